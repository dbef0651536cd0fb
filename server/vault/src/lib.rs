//! A Markdown vault on disk.
//!
//! [`Vault`] is the only door. Every file is named by a [`VaultPath`] and reached through a
//! capability handle on the vault's root, one path segment at a time, so that nothing outside the
//! folder can be named or followed. The rules, each kept in one place:
//!
//! * **Paths** ([`path`]): relative, `/` separated, `.md` optional. Symbolic links are never
//!   followed, in the vault or out of it. Names match whatever their Unicode normal form (NFC, NFD).
//! * **Text** ([`note`]): content is read with `\n` endings and no byte order mark; a write puts the
//!   file's own encoding, mark and endings back. A file that is not text is never rewritten.
//! * **Writes**: one writer at a time per vault, across processes. A note is replaced by renaming a
//!   synced temporary file over it, so a crash leaves the old bytes or the new ones.
//! * **Several files**: a move with the links that it rewrites, or a deletion of many, happens whole or
//!   not at all, also when the process dies.
//! * **Links**: which file a link names follows Obsidian's rules; [`Vault::move_note`] keeps each link
//!   naming what it named.
//! * **Index**: names, links, tags, frontmatter and words, in memory. It is built by whoever needs it
//!   first or by [`Vault::start_index`], and follows the changes of all programs.
//! * **Versions** ([`Etag`]): a hash of the bytes. Every change accepts the etag it was based on.
//! * **Structure** ([`document`]): what stands in a note is found by byte offsets; links, tags and
//!   ids are never found in code, blocks of comments or math.
//! * **Edits** ([`patch`], [`frontmatter`]): a section, a block or a property changes alone; every
//!   other byte stays.
//! * **Active file** ([`Vault::active_file`]): the one open in Obsidian, by the layout that Obsidian
//!   saves.
//! * **Deletion** ([`Vault::delete`]): to where the vault's settings send it, never overwriting
//!   what is already in the trash.
//!
//! Hidden folders (`.obsidian`, `.git`, `.trash`) are not part of the vault: no path names them and
//! no listing shows them. The engine keeps its lock and temporary files in `.toolwrit/`. What it has to
//! trust later, the record of an unfinished change and the index, it keeps in folders of the user's own
//! ([`OpenOptions`]): what is in a vault may come from anybody.
//!
//! All calls block; run them on a blocking thread. [`Vault`] is cheap to clone and thread-safe.

mod atomic;
mod attributes;
mod bulk;
pub mod document;
mod error;
mod etag;
mod file_system;
pub mod frontmatter;
mod glob;
mod index;
mod interrupted;
mod journal;
mod large;
mod links;
mod list;
mod lock;
mod moves;
pub mod note;
mod obsidian;
mod parsed;
mod part;
pub mod patch;
pub mod path;
mod private;
mod query;
mod root;
mod seal;
mod search;
mod similar;
mod tags;
pub mod target;
mod trash;
mod vault;
mod walk;
mod watcher;
mod workspace;

pub use bulk::{BulkDeletion, BulkMode, BulkOutcome};
pub use error::{Result, VaultError};
pub use etag::Etag;
pub use file_system::FileSystem;
pub use glob::PathGlob;
pub use interrupted::Interruptions;
pub use links::Backlinks;
pub use list::{Entry, EntryKind, FileStat, Listing, Order};
pub use moves::Moved;
pub use note::Note;
pub use obsidian::{LinkFormat, ObsidianSettings, TrashOption};
pub use parsed::Parsed;
pub use part::Part;
pub use path::{Folder, PathError, PathFault, VaultPath};
pub use search::{CaseSensitivity, Excerpt, Hit, Pattern, SearchResults};
pub use tags::TagCount;
pub use trash::{Deleted, Disposal};
pub use vault::{Access, IfMissing, OpenOptions, Vault, WriteMode, Written};
pub use walk::{CancelCheck, Depth};
pub use workspace::WorkspaceError;
