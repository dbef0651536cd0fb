//! Notes that one writer of this process keeps to itself for a while, and attachments.
//!
//! Writes of a conversation's own calls to its note are refused here, because every change of a file passes here, also
//! a rename that would rewrite a link in the note.

use super::write::{check_content, rewrite};
use super::{Vault, decode};
use crate::error::{Result, VaultError};
use crate::etag::Etag;
use crate::path::VaultPath;
use crate::vault::Written;

/// A note that only its holder changes through this [`Vault`] and its clones, until it is dropped. Other programs change it
/// as before.
#[derive(Debug)]
pub struct Lease {
    vault: Vault,
    path: VaultPath,
}

impl Vault {
    /// Leases a note: every other change, move or deletion of it through this vault fails with [`VaultError::Leased`]. A note
    /// may have several holders.
    ///
    /// # Errors
    /// As [`locate`](Self::locate).
    pub fn lease(&self, path: &VaultPath) -> Result<Lease> {
        let path = self.locate(path)?;
        self.0.lock.lease(&path);
        Ok(Lease { vault: self.clone(), path })
    }

    /// The bytes of a file of any kind.
    ///
    /// # Errors
    /// `TooLarge` if it has more than `most` bytes; otherwise as [`read`](Self::read).
    pub fn read_bytes(&self, path: &VaultPath, most: u64) -> Result<Vec<u8>> {
        let entry = self.root().find_existing(path)?;
        let size = entry.size();
        if size > most {
            return Err(VaultError::TooLarge { path: entry.path, size, limit: most });
        }
        Ok(entry.read()?.bytes)
    }
}

impl Lease {
    /// The note, under its own name.
    pub fn path(&self) -> &VaultPath {
        &self.path
    }

    /// Replaces the content of the note, as [`Vault::write`] does.
    ///
    /// # Errors
    /// As [`Vault::write`]; `NotFound` if the note no longer exists.
    pub fn write(&self, content: &str, if_match: Option<&Etag>) -> Result<Written> {
        check_content(&self.path, content)?;
        let (_awaited, writer) = self.vault.lock_writer_for(&self.path)?;
        let writer = writer.with_lease_of(&self.path);
        let entry = self.vault.root().find_existing(&self.path)?;
        let content = content.to_owned();
        rewrite(&writer, entry, if_match, move |entry, bytes| {
            let new = decode(entry, bytes.clone())?.format.encode(&content);
            Ok((new != bytes).then_some(new))
        })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.vault.0.lock.end_lease(&self.path);
    }
}
