//! Deleting many files at once.

use crate::error::{Result, VaultError};
use crate::glob::PathGlob;
use crate::path::{Folder, VaultPath};
use crate::trash::Deleted;
use crate::vault::Vault;
use crate::walk::{CancelCheck, files};

/// Whether a bulk deletion happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BulkMode {
    /// Only say what would be deleted.
    DryRun,
    /// Delete.
    Delete,
}

/// What became of one matching file.
#[derive(Debug)]
pub enum BulkOutcome {
    /// It would be deleted.
    Would(VaultPath),
    /// It is deleted.
    Deleted(Deleted),
    /// It is still there, for this reason.
    Failed(VaultPath, VaultError),
}

/// The outcome of a bulk deletion, file by file in the order of the paths.
#[derive(Debug)]
pub struct BulkDeletion {
    /// One outcome for each file reached.
    pub outcomes: Vec<BulkOutcome>,
    /// How many matching files were not reached because the caller asked to stop.
    pub not_reached: usize,
}

impl Vault {
    /// Deletes every file that matches, one by one as [`delete`](Self::delete) does: whenever it
    /// stops, each file is whole, in its place or in the trash.
    ///
    /// # Errors
    /// `Cancelled` or `Io` before anything was deleted; afterwards, failures are outcomes.
    pub fn bulk_delete(
        &self,
        glob: &PathGlob,
        mode: BulkMode,
        cancel: CancelCheck<'_>,
    ) -> Result<BulkDeletion> {
        let mut matching = files(self.root(), &Folder::ROOT, cancel)?;
        matching.retain(|path| glob.matches(path));
        let mut outcomes = Vec::with_capacity(matching.len());
        let mut matching = matching.into_iter();
        while !cancel()
            && let Some(path) = matching.next()
        {
            outcomes.push(match mode {
                BulkMode::DryRun => BulkOutcome::Would(path),
                BulkMode::Delete => match self.delete_exact(&path) {
                    Ok(deleted) => BulkOutcome::Deleted(deleted),
                    Err(error) => BulkOutcome::Failed(path, error),
                },
            });
        }
        Ok(BulkDeletion { outcomes, not_reached: matching.len() })
    }
}
