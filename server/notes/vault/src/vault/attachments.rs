//! Reading files that are not notes.

use super::Vault;
use crate::error::Result;
use crate::large;
use crate::path::VaultPath;
use crate::storage::root::FileEntry;

/// A file that has been found, of any kind.
pub struct Attachment {
    /// Its path, under its own name.
    pub path: VaultPath,
    /// Its size in bytes.
    pub size: u64,
    entry: FileEntry,
}

impl Vault {
    /// Finds a file of any kind. Reads nothing.
    ///
    /// # Errors
    /// `NotFound`, `InvalidPath`, `Io`.
    pub fn attachment(&self, path: &VaultPath) -> Result<Attachment> {
        let entry = self.root().find_existing(path)?;
        Ok(Attachment { path: entry.path.clone(), size: entry.size(), entry })
    }
}

impl Attachment {
    /// The bytes of the file.
    ///
    /// # Errors
    /// `TooLarge` if it has more than `limit` bytes; `Crowded`, `Io`.
    pub fn read(self, limit: u64) -> Result<Vec<u8>> {
        let Self { size, entry, .. } = self;
        large::load(size.min(limit), move || Ok(entry.read_within(limit)?.bytes))
    }
}
