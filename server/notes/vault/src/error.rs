//! The errors of vault operations.

use std::io;

use crate::document::{Excess, InvalidTag};
use crate::etag::Etag;
use crate::large::Crowded;
use crate::note::NotText;
use crate::patch::PatchError;
use crate::path::{PathError, VaultPath, escape};
use crate::target::TargetError;

/// Shorthand for a result whose error is a [`VaultError`].
pub type Result<T, E = VaultError> = std::result::Result<T, E>;

/// A failed vault operation. No message contains a path outside the vault.
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
        /// The path as given.
        path: String,
        /// Existing files whose names are close, best first, at most three.
        similar: Vec<VaultPath>,
    },
    /// The destination already exists. Nothing was overwritten.
    #[error("`{path}` already exists and was not overwritten")]
    AlreadyExists {
        /// The existing file, under its own name.
        path: VaultPath,
    },
    /// The note has changed since the version that the caller's change was based on.
    #[error(
        "`{path}` has changed: its etag is now {current}; read it again, then repeat the change"
    )]
    Conflict {
        /// The note.
        path: VaultPath,
        /// The etag of the bytes now on disk.
        current: Etag,
    },
    /// Another program has written to the file while it was read.
    #[error("`{path}` was changed while it was read")]
    ChangedMeanwhile {
        /// The file.
        path: VaultPath,
    },
    /// The file is only in iCloud, and a placeholder is here.
    #[error("`{path}` is only in iCloud; its content has not been downloaded")]
    NotDownloaded {
        /// The file.
        path: VaultPath,
    },
    /// A conversation is writing in the note, and other changes through this server would disturb it.
    #[error(
        "`{path}` is the note of a conversation that is going on, so only the conversation changes it"
    )]
    Leased {
        /// The note.
        path: VaultPath,
    },
    /// The path breaks a rule of [`VaultPath`], or leads through something the vault does not follow.
    #[error(transparent)]
    InvalidPath(#[from] PathError),
    /// The bytes are not text, or the new content cannot be stored as text.
    #[error("`{path}` is not a text note: {reason}")]
    NotText {
        /// The file.
        path: VaultPath,
        /// Why the bytes are not text.
        reason: NotText,
    },
    /// Text can be added to Markdown only, and only it can be changed in one place.
    #[error("`{path}` is not a Markdown note; it can only be written as a whole")]
    NotMarkdown {
        /// The file.
        path: VaultPath,
    },
    /// The content is not what the file's extension says. Obsidian could not open the file.
    #[error("`{path}` was not written: the content is not {format}: {reason}")]
    Malformed {
        /// The file.
        path: VaultPath,
        /// The format, such as `JSON`.
        format: &'static str,
        /// What is wrong, and where.
        reason: String,
    },
    /// The file, or the content for it, exceeds a limit; for notes [`NOTE_LIMIT`](crate::note::NOTE_LIMIT).
    #[error("`{path}` is {size} bytes; the limit for {} is {limit} bytes", if path.is_note() { "notes" } else { "such files" })]
    TooLarge {
        /// The file.
        path: VaultPath,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The note is too long or has too much structure to be parsed.
    #[error("`{path}` is too large to be parsed: {reason}")]
    TooComplex {
        /// The note.
        path: VaultPath,
        /// Which limit is exceeded.
        reason: Excess,
    },
    /// The note has no such part, or more than one.
    #[error("cannot read that part of `{path}`: {reason}")]
    NoSuchPart {
        /// The note.
        path: VaultPath,
        /// Why the part was not found.
        reason: TargetError,
    },
    /// The patch does not fit the note. The note is unchanged.
    #[error("`{path}` was not patched: {reason}")]
    NotPatched {
        /// The note.
        path: VaultPath,
        /// Why the patch does not fit.
        reason: PatchError,
    },
    /// The text is not the name of a tag.
    #[error(transparent)]
    InvalidTag(#[from] InvalidTag),
    /// One change would concern too many notes. Nothing was changed.
    #[error("more than {notes} notes, or {mebibytes} MiB of them, would change at once")]
    TooMany {
        /// Most notes of one change.
        notes: usize,
        /// Most bytes of one change.
        mebibytes: usize,
    },
    /// The active file in Obsidian cannot be determined.
    #[error(transparent)]
    NoActiveFile(#[from] LayoutError),
    /// A glob or regular expression that does not parse or is too large.
    #[error("`{pattern}` is not a valid pattern: {reason}")]
    BadPattern {
        /// The pattern as given, shortened.
        pattern: String,
        /// The pattern library's own explanation.
        reason: String,
    },
    /// What Obsidian keeps besides the notes cannot be read.
    #[error("the settings of Obsidian cannot be read: {problem}")]
    Settings {
        /// The file, and what is wrong with it.
        problem: String,
    },
    /// The file system or the file's permissions forbid the change.
    #[error("`{path}` cannot be changed: {reason}")]
    ReadOnly {
        /// The file.
        path: String,
        /// What forbids it.
        reason: &'static str,
    },
    /// Something else is in the place of a file or folder of the engine's own, so nothing can be
    /// changed.
    #[error("`{path}` is {found} where the server needs {needed} of its own")]
    Obstructed {
        /// Its path from the vault's root.
        path: &'static str,
        /// What is there: `a symbolic link`.
        found: &'static str,
        /// What should be there: `a folder`.
        needed: &'static str,
    },
    /// A change of several files cannot be recorded, so it was not started.
    #[error("cannot change several files as one, because the change cannot be recorded: {reason}")]
    NoJournal {
        /// Why it cannot be recorded.
        reason: String,
    },
    /// Another program held the vault's write lock for longer than a writer waits.
    #[error("another program is writing to the vault; try again in a moment")]
    Busy,
    /// Callers already wait for so many large notes that another one would delay all of them.
    #[error("too many large notes are being read or changed now; try again in a moment")]
    Crowded,
    /// The process or the system has as many open files as are allowed.
    #[error("cannot {doing} `{path}`: too many files are open; try again in a moment")]
    OpenFiles {
        /// The step that failed, as a verb: `read`, `write`.
        doing: &'static str,
        /// The file or folder.
        path: String,
    },
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
    /// A file stays, although others were deleted with it.
    #[error("`{path}` was not deleted: {reason}")]
    NotDeleted {
        /// The file.
        path: VaultPath,
        /// Why.
        reason: String,
    },
    /// No such change is recorded, or it is another account's.
    #[error("there is no change {} that can be undone", id.as_deref().unwrap_or("of yours"))]
    NoSuchChange {
        /// The id that was given.
        id: Option<String>,
    },
    /// A change cannot be undone.
    #[error("`{path}` stays as it is: {obstacle}")]
    NotUndone {
        /// The first of its files.
        path: VaultPath,
        /// Why.
        obstacle: Obstacle,
    },
    /// The files that would be deleted differ from what the caller confirmed.
    #[error("what would be deleted has changed since it was confirmed; nothing was deleted")]
    NotAgreed,
    /// The caller cancelled the operation before the result was complete.
    #[error("cancelled")]
    Cancelled,
}

/// Why the change of a file is not undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    #[error("it has changed since")]
    Changed,
    #[error("there is another file at its path")]
    Taken,
    #[error("its old content was too large to be kept")]
    Lost,
    #[error("it is no longer in the trash")]
    NotInTrash,
    #[error("it cannot be read now")]
    Unreadable,
    #[error("the trash did not give it back")]
    NotRestored,
}

/// Why the active file cannot be determined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// Obsidian has not saved a layout.
    #[error("there is no `{file}`, in which Obsidian saves the active file")]
    Missing {
        /// Its expected path in the vault.
        file: String,
    },
    /// The layout cannot be read or is malformed.
    #[error("cannot read the active file from `{file}`: {reason}")]
    Malformed {
        /// Its path in the vault.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No file is open, and none was open before.
    #[error("no file is open in Obsidian, according to `{file}`")]
    NothingOpen {
        /// The path of the layout in the vault.
        file: String,
    },
}

impl From<Crowded> for VaultError {
    fn from(_: Crowded) -> Self {
        Self::Crowded
    }
}

impl VaultError {
    /// A file system error while reading.
    pub(crate) fn read_error(doing: &'static str, path: &str, source: io::Error) -> Self {
        let path = escape(path).into_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path, similar: Vec::new() },
            _ if is_open_file_limit(&source) => Self::OpenFiles { doing, path },
            _ => Self::Io { doing, path, source },
        }
    }

    /// A file system error while changing something.
    pub(crate) fn change_error(doing: &'static str, path: &str, source: io::Error) -> Self {
        let reason = match source.kind() {
            io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only",
            io::ErrorKind::PermissionDenied => "permission denied by the operating system",
            _ => return Self::read_error(doing, path, source),
        };
        Self::ReadOnly { path: escape(path).into_owned(), reason }
    }
}

/// Whether the process or the system has as many open files as are allowed.
fn is_open_file_limit(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let reached = Errno::from_io_error(error);
        reached == Some(Errno::MFILE) || reached == Some(Errno::NFILE)
    }
    #[cfg(windows)]
    {
        // ERROR_TOO_MANY_OPEN_FILES
        error.raw_os_error() == Some(4)
    }
}
