//! Changes of a single file.

use std::io;

use cap_std::fs::{Dir, Metadata};

use super::collected;
use super::lock::Writer;
use crate::error::{Result, VaultError};
use crate::etag::Etag;
use crate::storage::atomic::{
    FileVersion, rename_no_replace, replace_version, stage_unsynced, sync, sync_folder,
};
use crate::storage::root::{FileEntry, write_error};

impl Writer<'_> {
    /// Replaces an existing file. The new file keeps the permissions and, where allowed, the owner,
    /// the group and the extended attributes.
    ///
    /// Another program that ignores the lock may have saved the file since it was read as `old`.
    /// What it saved is kept.
    ///
    /// # Errors
    /// [`VaultError::Conflict`] if the file is no longer `old`.
    pub(crate) fn replace(&self, entry: &FileEntry, bytes: &[u8], old: &Metadata) -> Result<()> {
        let (folder, name) = (&entry.folder, entry.path.name());
        if old.permissions().readonly() {
            let path = entry.path.to_string();
            return Err(VaultError::ReadOnly { path, reason: "the file is marked read-only" });
        }
        self.report_change(&entry.path)?;
        let kept = collected::is_collecting().then(|| entry.read().ok()).flatten();
        let replaced = self.stage_and_install(entry, bytes, Some(old), |staging, staged| {
            replace_version(staging, staged, folder, name, FileVersion::from_metadata(old))
        })?;
        if replaced {
            collected::note_replaced(&entry.path, kept.map(|old| old.bytes.into()), bytes);
            return Ok(());
        }
        let current = Etag::from_bytes(&entry.read()?.bytes);
        Err(VaultError::Conflict { path: entry.path.clone(), current })
    }

    /// Creates a file that must not exist.
    ///
    /// # Errors
    /// [`VaultError::AlreadyExists`] if it does.
    pub(crate) fn create(&self, entry: &FileEntry, bytes: &[u8]) -> Result<()> {
        self.report_change(&entry.path)?;
        self.stage_and_install(entry, bytes, None, |staging, staged| {
            rename_no_replace(staging, staged, &entry.folder, entry.path.name())
        })?;
        collected::note_created(&entry.path, bytes);
        Ok(())
    }

    /// Writes and syncs a temporary file, lets `put` move it into place, and syncs the folder.
    fn stage_and_install<T>(
        &self,
        entry: &FileEntry,
        bytes: &[u8],
        old: Option<&Metadata>,
        put: impl Fn(&Dir, &str) -> io::Result<T>,
    ) -> Result<T> {
        let staged_in = |dir: &Dir| {
            let (staged, file) = stage_unsynced(dir, bytes, old)?;
            if old.is_some() {
                entry.copy_extended_to(&file);
            }
            let put = sync(&file).and_then(|()| put(dir, &staged));
            put.inspect_err(|_| drop(dir.remove_file(&staged)))
        };
        let done = match staged_in(&self.staging) {
            // A folder of the vault may be on another file system. Stage next to the file then.
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => staged_in(&entry.folder),
            done => done,
        };
        let synced = done.and_then(|done| sync_folder(&entry.folder).map(|()| done));
        synced.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => VaultError::AlreadyExists { path: entry.path.clone() },
            _ => write_error(&entry.path, error),
        })
    }
}
