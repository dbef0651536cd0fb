//! What links name.
//!
//! A link's target is text: `Plan`, `Projects/Plan`, `../Plan.md`, `scan.png`. Which file it names
//! follows Obsidian's rules as observed on Obsidian 1.13; where none is known, a choice is made here.
//!
//! 1. A target that starts with `/` is a path from the vault's root, one that starts with `./` or
//!    `../` a path from the folder of the note that holds the link. Nothing else is tried for these.
//! 2. Else the target is a path from the vault's root, if there is such a file.
//! 3. Else a path from the note's own folder. The folders above do not count.
//! 4. Else the end of a path, whole names only: `Plan` is the end of `Projects/Plan.md`, and so is
//!    `Projects/Plan` of `Work/Projects/Plan.md` (chosen). Of several files the one with the shortest
//!    path as text wins, counted in UTF-16 units; of equally short ones the first in the order of
//!    code points (chosen).
//!
//! At each step the target is tried as written, then with `.md`; so notes need no extension, and all
//! other files do. Upper and lower case are the same, and so are Unicode's normal forms; of files
//! that differ in nothing else, rules 1 to 3 take the one spelled like the target, else the first
//! (chosen). Aliases in frontmatter name nothing. An empty target is the note itself.

mod backlinks;
pub(crate) mod canvas;
mod form;
mod names;
mod resolve;
mod rewrite;

pub use backlinks::Backlinks;
pub(crate) use names::{FileId, Names};
pub(crate) use resolve::Renamed;
pub(crate) use rewrite::{Change, Unlinkable};
