//! What can go wrong, in the vocabulary of the vault.

use std::io;

use crate::document::Excess;
use crate::etag::Etag;
use crate::note::NotText;
use crate::patch::PatchError;
use crate::path::{PathError, VaultPath};
use crate::target::TargetError;
use crate::workspace::WorkspaceError;

/// Shorthand for a result whose error is a [`VaultError`].
pub type Result<T, E = VaultError> = std::result::Result<T, E>;

/// A failed vault operation. No message names a place outside the vault.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// The vault folder itself could not be opened.
    #[error("the vault folder cannot be opened: {reason}")]
    Unopenable {
        /// What the operating system said.
        reason: String,
    },
    /// No such note or folder.
    #[error("`{path}` does not exist in the vault")]
    NotFound {
        /// The path as asked for.
        path: String,
        /// Existing files whose names are close, best first, at most three.
        similar: Vec<VaultPath>,
    },
    /// The destination is taken; nothing was overwritten.
    #[error("`{path}` already exists and was not overwritten")]
    AlreadyExists {
        /// The file in the way, under its own name.
        path: VaultPath,
    },
    /// The note is not the version the caller based its change on.
    #[error(
        "`{path}` has changed: its etag is now {current}; read it again, then repeat the change"
    )]
    Conflict {
        /// The note.
        path: VaultPath,
        /// The etag of the bytes now on disk.
        current: Etag,
    },
    /// The path breaks a rule of [`VaultPath`], or leads through something the vault does not follow.
    #[error(transparent)]
    InvalidPath(#[from] PathError),
    /// The bytes are not text, or the new content cannot be stored as text.
    #[error("`{path}` is not a text note: {reason}")]
    NotText {
        /// The file.
        path: VaultPath,
        /// What gave it away.
        reason: NotText,
    },
    /// The file, or the content offered for it, is beyond [`NOTE_LIMIT`](crate::note::NOTE_LIMIT).
    #[error("`{path}` is {size} bytes; notes of at most {limit} bytes are handled")]
    TooLarge {
        /// The file.
        path: VaultPath,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The note has too much structure for its parts to be told.
    #[error("`{path}` is too large to be taken apart: {reason}")]
    TooComplex {
        /// The note.
        path: VaultPath,
        /// What is too much.
        reason: Excess,
    },
    /// The note has no such part, or several.
    #[error("nothing was read of `{path}`: {reason}")]
    NoSuchPart {
        /// The note.
        path: VaultPath,
        /// What is not there.
        reason: TargetError,
    },
    /// The patch does not fit the note, which is as it was.
    #[error("`{path}` was not patched: {reason}")]
    NotPatched {
        /// The note.
        path: VaultPath,
        /// What does not fit.
        reason: PatchError,
    },
    /// Which file is active in Obsidian cannot be told.
    #[error(transparent)]
    NoActiveFile(#[from] WorkspaceError),
    /// A glob or regular expression that does not parse or is too large.
    #[error("`{pattern}` is not a usable pattern: {reason}")]
    BadPattern {
        /// The pattern as given, shortened.
        pattern: String,
        /// The pattern library's own explanation.
        reason: String,
    },
    /// The file system or the file's permissions forbid the change.
    #[error("`{path}` cannot be changed: {reason}")]
    ReadOnly {
        /// The file.
        path: String,
        /// What forbids it.
        reason: &'static str,
    },
    /// A change of several files cannot be put on record before it begins, so it does not begin.
    #[error(
        "several files cannot be changed as one, because no record of it can be kept: {reason}"
    )]
    NoJournal {
        /// What is in the way.
        reason: String,
    },
    /// Another program kept the vault's write lock for longer than a writer waits.
    #[error("another program is writing to the vault; try again in a moment")]
    Busy,
    /// Callers wait for so many large notes that another would delay everybody.
    #[error("too many large notes are being read at the moment")]
    Crowded,
    /// Any other failure of the file system.
    #[error("cannot {doing} `{path}`: {source}")]
    Io {
        /// The step that failed, as a verb: `read`, `write`.
        doing: &'static str,
        /// The file or folder.
        path: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// What a pattern matches is not, or not any more, what the caller agrees to.
    #[error("what the pattern matches has changed since it was confirmed; nothing was deleted")]
    NotAgreed,
    /// The caller asked to stop before the answer was complete.
    #[error("cancelled")]
    Cancelled,
}

impl VaultError {
    /// A failure of the file system while reading.
    pub(crate) fn io(doing: &'static str, path: &str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path, similar: Vec::new() },
            _ => Self::Io { doing, path, source },
        }
    }

    /// A failure of the file system while changing something.
    pub(crate) fn change(doing: &'static str, path: &str, source: io::Error) -> Self {
        let reason = match source.kind() {
            io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only",
            io::ErrorKind::PermissionDenied => "permission denied by the operating system",
            _ => return Self::io(doing, path, source),
        };
        Self::ReadOnly { path: path.to_owned(), reason }
    }
}
