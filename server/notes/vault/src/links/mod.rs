//! Which files links name, and how links are written.
//!
//! A link's target is text: `Plan`, `Projects/Plan`, `../Plan.md`, `scan.png`. The file that it
//! names follows Obsidian's rules, as read from Obsidian 1.12 and 1.13. Case and Unicode normal
//! forms are ignored. Aliases in frontmatter do not count.
//!
//! 1. An empty target names the note itself.
//! 2. The candidates are the files with the target's last name. If that has no dot, or no file has
//!    it, `.md` is added to the target. Without candidates the target names nothing.
//! 3. A bare name with one candidate names that candidate.
//! 4. A target that starts with `./` or `../` is joined to the folder of the note that holds the
//!    link; above the root is the root.
//! 5. A leading `/` is dropped. The file at the path wins. A target that started with `/` names
//!    nothing else.
//! 6. Otherwise it names a candidate whose path ends with the target as plain text: `ab/n.md` ends
//!    with `b/n`, too. Candidates whose path starts with the note's folder as plain text come first.
//!    Among equals, the shortest path wins.
//!
//! Where Obsidian picks the file that it indexed first, the engine picks deterministically: of
//! equally long paths the first in the order of code points; of paths that differ only in case or
//! normal form, the one spelled like the target, otherwise the first.

pub(crate) mod canvas;
mod form;
mod names;
mod resolve;
mod rewrite;

pub(crate) use names::{FileId, FileNames};
pub(crate) use resolve::Renamed;
pub(crate) use rewrite::{LinkChange, Unlinkable};
