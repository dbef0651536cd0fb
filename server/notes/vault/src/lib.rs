//! A Markdown vault on disk.
//!
//! [`Vault`] is the only entry point. A [`VaultPath`] names each file. The engine reaches it
//! through a capability handle on the vault's root, one path segment at a time, so nothing outside
//! the folder can be named or followed. Each rule has one place:
//!
//! * **Paths** ([`path`]): relative, `/` separated, `.md` optional. Symbolic links are never
//!   followed. Names match in any Unicode normal form (NFC, NFD).
//! * **Text** ([`note`]): content is read with `\n` endings and no byte order mark; a write
//!   restores the file's encoding, mark and endings. A file that is not text is never rewritten.
//! * **Writes**: one writer at a time per vault, across processes. A note is replaced by renaming a
//!   synced temporary file over it, so a crash leaves the old bytes or the new ones.
//! * **Several files**: a move with the links that it rewrites, a deletion of many files, or a
//!   [`Vault::transaction`] happens completely or not at all, even if the process dies.
//! * **Links**: the file that a link names is found by Obsidian's rules. [`Vault::move_note`]
//!   rewrites links so that each still names the same file.
//! * **Index**: names, links, tags, frontmatter and words, in memory. The first caller that needs
//!   it builds it, or [`Vault::start_index`]. It follows the changes of all programs.
//! * **Versions** ([`Etag`]): a hash of the bytes. Every change accepts the etag that it is based
//!   on.
//! * **Structure** ([`document`]): the elements of a note by byte offsets. Links, tags and ids are
//!   never found in code, comment blocks or math.
//! * **Edits** ([`patch`], [`frontmatter`]): a section, a block or a property changes; every other
//!   byte stays.
//! * **Active file** ([`Vault::active_file`]): the file open in Obsidian, by the layout that
//!   Obsidian saves.
//! * **Deletion** ([`Vault::delete`]): as the vault's settings say. Nothing in the trash is
//!   overwritten.
//!
//! Hidden folders (`.obsidian`, `.git`, `.trash`) are not part of the vault: no path names them and
//! no listing shows them. The engine keeps its lock and temporary files in `.toolwrit/`. The record
//! of an unfinished change and the saved index must be trustworthy, while anybody may have written
//! the content of a vault. So these are kept in folders of the user's own ([`OpenOptions`]).
//!
//! All calls block; run them on a blocking thread. [`Vault`] is cheap to clone and thread-safe.
//!
//! # Modules
//!
//! - `vault/` has the operations, composed from the modules below; `vault/snapshot` is a view of all notes at one
//!   moment, from which other crates derive data, and `vault/lease` keeps the note of a conversation from other changes
//!   through the server.
//! - `storage/` has files and folders: `root` is the capability handle, `atomic` replaces a file, `file_system` finds
//!   how a file system differs from a local one on Linux, and `watcher` reports changes. `private` and `seal` are for
//!   files that only the user can read and write.
//! - `changes/` has the lock of the writer, changes of one file (`single`) and of several (`journal`), and deletion
//!   (`trash/`).
//! - `document/` is the structure of a note, with limits (`limits`) and shared between callers (`parsed`); `patch/`
//!   changes a place in it.
//! - `many/` edits a note in a change of many: its tags, its properties.
//! - `links/` finds the file that a link names, and rewrites links. `search/`, `expression` and `query/` find notes.
//! - `index/` is the index in memory: `build` reads the vault on all processors, `live` applies changes, `rescan`
//!   compares it with the disk, and `saved` keeps it in the cache of the user.
//! - `obsidian/` reads the settings of Obsidian (`settings`), and finds the file that it has open (`layout`).
//!
//! # Choices
//!
//! - cap-std, because a path that is checked and then opened can be swapped in between, and a handle cannot. No crate
//!   for walking: they begin with a path. rustix, for `renameat2` with `RENAME_NOREPLACE`, extended attributes and
//!   `statfs`.
//! - Our own trash for Linux desktops, by the specification of freedesktop.org: the crate trash names files by absolute
//!   path, whose target can be swapped.
//! - hmac, to seal the files that the engine writes for itself: anyone can compute a plain digest.
//! - pulldown-cmark for the structure of notes, but not for wikilinks: it returns `T\` for `[[T\|alias]]` in a table,
//!   and parses inside comments.
//! - Our own inverted index rather than tantivy: it maps words to postings, stores no text, and takes a fraction of the
//!   memory.
//! - notify to watch folders, but on Linux inotify directly: notify also subscribes to the opening of files, and wakes
//!   a thread for each note that is read. Events can be late, so that code that needs all earlier events creates a file
//!   and waits for its event.

mod changes;
pub mod document;
mod error;
mod etag;
mod expression;
mod glob;
mod index;
mod large;
mod links;
mod many;
pub mod note;
mod obsidian;
mod parsed;
mod part;
pub mod patch;
pub mod path;
mod query;
mod search;
mod storage;
pub mod target;
mod vault;

pub use changes::collected::Author;
pub use changes::history::{ChangeId, HistoryLimits};
pub use changes::journal::Interruptions;
pub use error::{LayoutError, Obstacle, Result, VaultError};
pub use etag::Etag;
pub use expression::CaseSensitivity;
pub use glob::PathGlob;
pub use index::{IndexStatus, Revision};
pub use many::{InvalidPropertyChange, PropertyChange, SkipReason, TagChange, TagEdit, TagPlace};
pub use note::Note;
pub use obsidian::settings::{LinkFormat, ObsidianSettings, TrashOption};
pub use parsed::ParsedNote;
pub use part::NotePart;
pub use path::{Folder, PathError, PathFault, VaultPath};
pub use query::{FieldCondition, FieldValues};
pub use search::{Excerpt, Hit, SearchOptions, SearchPattern, SearchResults};
pub use storage::file_system::FileSystem;
pub use storage::sync::SyncState;
pub use storage::walk::{CancelCheck, Depth};
pub use toolwrit_frontmatter as frontmatter;
pub use vault::{
    Access, AddedPlace, AddedTask, Attachment, Authors, Backlinks, BulkDeletion, BulkMode,
    BulkOutcome, ChangeMode, ChangedNote, ChangedTask, Deletable, Deleted, Disposal, EntryKind,
    FileStamp, FileStat, FileState, FolderEntry, FolderListing, FoundLink, FoundLinks,
    HistoryEntry, IfMissing, Lease, LinkDirection, ListOrder, ManyChanged, Moved, NoteChange,
    NoteChoice, NoteSource, Only, OpenOptions, SearchedTask, SkippedNote, Snapshot, Surroundings,
    TagCount, TaskChange, TaskEdit, TaskLine, UndoMode, Undone, Vault, WriteMode, Written,
};
