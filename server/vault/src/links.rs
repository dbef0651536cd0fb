//! What links name, and how they are written.
//!
//! A link's target is text: `Plan`, `Projects/Plan`, `../Plan.md`, `scan.png`. Which file it names is
//! Obsidian's rule, as read from Obsidian 1.12 and 1.13. Upper and lower case are the same, and so are
//! Unicode's normal forms. Aliases in frontmatter name nothing.
//!
//! 1. An empty target is the note itself.
//! 2. The candidates are the files with the target's last name. If that has no dot, or no file has
//!    it, `.md` is added to the target. Without candidates the target names nothing.
//! 3. A bare name with one candidate is that.
//! 4. A target that starts with `./` or `../` is joined to the folder of the note that holds the
//!    link; above the root is the root.
//! 5. A leading `/` is dropped. The file at the path wins; a target that started with `/` is nothing
//!    else.
//! 6. Else it is a candidate whose path ends with the target as plain text: `b/n` is the end of
//!    `ab/n.md`, too. Those whose path starts with the note's folder as plain text come first, and
//!    among them, as among the others, that with the shortest path.
//!
//! Where Obsidian takes what it came to know first, the choice is made here: of equally long paths
//! the first in the order of code points wins, and of files at one path that differ only in case or
//! normal form, the one spelled like the target, else the first.

mod backlinks;
pub(crate) mod canvas;
mod form;
mod names;
mod resolve;
mod rewrite;

pub use backlinks::Backlinks;
pub(crate) use names::{FileId, Names};
pub(crate) use resolve::Renamed;
pub(crate) use rewrite::{LinkChange, Unlinkable};
