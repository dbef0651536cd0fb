//! Files of the user's own about a vault, beside its journal.

use std::io;

use super::Vault;

impl Vault {
    /// What was kept under a name by [`keep_private_file`](Self::keep_private_file); `None` if nothing
    /// was, or the vault was opened without a state folder.
    ///
    /// # Errors
    /// `InvalidInput` if the name is not of lower-case letters, digits and `-`; `InvalidData` if the file
    /// is another user's or larger than 64 MiB; others of the file system.
    pub fn private_file(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        self.store().read_kept(name)
    }

    /// Replaces or creates a file that only the user can read, in one step that survives a power cut. It
    /// belongs to this vault, and is in the user's state folder. Returns whether there is such a folder.
    ///
    /// # Errors
    /// As [`private_file`](Self::private_file).
    pub fn keep_private_file(&self, name: &str, bytes: &[u8]) -> io::Result<bool> {
        self.store().write_kept(name, bytes)
    }
}
