//! A view of all notes at one moment, for programs that derive their own data from them.

use std::sync::RwLockReadGuard;

use jiff::Timestamp;

use super::Vault;
use crate::error::Result;
use crate::index::{Index, Revision};
use crate::note::{Decoded, NOTE_LIMIT};
use crate::path::VaultPath;
use crate::storage::root::{created_time, modified_time, open_file, read_up_to};
use crate::storage::walk::{CancelCheck, LastFolder};

/// The notes of a vault and their links at one moment. While it is held, changes of the vault are
/// not entered into the index.
pub struct Snapshot<'a> {
    vault: &'a Vault,
    index: RwLockReadGuard<'a, Index>,
}

/// A note as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteSource {
    /// Its content with `\n` endings and without a byte order mark.
    pub text: String,
    /// The size of the file in bytes.
    pub size: u64,
    /// When the file was created, if the file system knows; otherwise when it last changed.
    pub created: Option<Timestamp>,
    /// When it last changed, if the file system knows.
    pub modified: Option<Timestamp>,
}

impl Vault {
    /// Waits until the index is built, and returns a view of it.
    ///
    /// # Errors
    /// `Unopenable` if the vault cannot be read, `Cancelled`.
    pub fn snapshot(&self, cancel: CancelCheck<'_>) -> Result<Snapshot<'_>> {
        Ok(Snapshot { vault: self, index: self.index(cancel)? })
    }
}

impl Snapshot<'_> {
    /// How often the vault has changed since it was opened. Two snapshots of a [`Vault`] with the
    /// same number are equal.
    pub fn changes(&self) -> u64 {
        self.index.change_count()
    }

    /// The notes that can be read as text, unordered. A note whose revision is the same has not
    /// changed.
    pub fn notes(&self) -> impl Iterator<Item = (&VaultPath, Revision)> {
        self.index.revisions()
    }

    /// All files, unordered.
    pub fn files(&self) -> impl Iterator<Item = &VaultPath> {
        self.index.names.iter().map(|(_, path)| path)
    }

    /// The file that a link names by a decoded target without subpath, by Obsidian's rules. The
    /// link is in the note `source`, or in none.
    pub fn resolve(&self, target: &str, source: Option<&VaultPath>) -> Option<&VaultPath> {
        let names = &self.index.names;
        let source = source.and_then(|source| names.id(source));
        names.current().resolve(target, source).and_then(|id| names.path(id))
    }

    /// Reads notes one after another from the disk. A note that no longer exists or cannot be read
    /// as text is `None`. Notes in the same folder should follow each other.
    pub fn read<'s>(
        &'s self,
        paths: impl IntoIterator<Item = &'s VaultPath>,
    ) -> impl Iterator<Item = (&'s VaultPath, Option<NoteSource>)> {
        let mut folder = LastFolder::new(self.vault.root());
        paths.into_iter().map(move |path| {
            let dir = folder.open(path);
            (path, dir.and_then(|dir| NoteSource::read(dir, path)))
        })
    }
}

impl NoteSource {
    fn read(dir: &cap_std::fs::Dir, path: &VaultPath) -> Option<Self> {
        let (mut file, metadata) = open_file(dir, path.name()).ok()?;
        let expected = metadata.len().min(NOTE_LIMIT);
        let bytes = read_up_to(&mut file, NOTE_LIMIT, expected).ok()??;
        let text = Decoded::from_bytes(bytes).ok()?.into_content();
        let (created, modified) = (created_time(&metadata), modified_time(&metadata));
        Some(Self { text, size: metadata.len(), created, modified })
    }
}
