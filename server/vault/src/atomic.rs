//! The change of a single file as one step.
//!
//! New bytes are written to a temporary file, synced, and renamed into place, and then the folder
//! is synced: whenever the process dies, the file is whole, the old one or the new one. What such
//! a replacement cannot keep is what belongs to the old inode: extended attributes, hard links,
//! the time of creation.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use cap_fs_ext::{FollowSymlinks, MetadataExt, OpenOptionsFollowExt};
use cap_std::fs::{Dir, File, Metadata, OpenOptions};

use crate::error::{Result, VaultError};
use crate::etag::Etag;
use crate::lock::Writer;
use crate::root::{Place, write_error};

impl Writer<'_> {
    /// Replaces an existing file, keeping its permissions and, where allowed, its owner.
    ///
    /// Programs that know nothing of the lock may have saved the file since it was read as `old`;
    /// that is looked at once more just before the replacement.
    ///
    /// # Errors
    /// [`VaultError::Conflict`] if the file is no longer `old`.
    pub(crate) fn replace(&self, place: &Place, bytes: &[u8], old: &Metadata) -> Result<()> {
        let (folder, name) = (&place.folder, place.path.name());
        if old.permissions().readonly() {
            let path = place.path.to_string();
            return Err(VaultError::ReadOnly { path, reason: "the file is marked read-only" });
        }
        self.changes(&place.path);
        let replaced = self.stage_and(place, bytes, Some(old), |staging, staged| {
            let current = is_version(&folder.symlink_metadata(name)?, old)?;
            if current {
                staging.rename(staged, folder, name)?;
            } else {
                staging.remove_file(staged)?;
            }
            Ok(current)
        })?;
        if replaced {
            return Ok(());
        }
        let current = Etag::of(&place.read()?.bytes);
        Err(VaultError::Conflict { path: place.path.clone(), current })
    }

    /// Creates a file that must not exist.
    ///
    /// # Errors
    /// [`VaultError::AlreadyExists`] if it does.
    pub(crate) fn create(&self, place: &Place, bytes: &[u8]) -> Result<()> {
        self.changes(&place.path);
        self.stage_and(place, bytes, None, |staging, staged| {
            rename_no_replace(staging, staged, &place.folder, place.path.name())
        })
    }

    /// Writes and syncs a temporary file, lets `put` move it into place, and syncs the folder.
    fn stage_and<T>(
        &self,
        place: &Place,
        bytes: &[u8],
        old: Option<&Metadata>,
        put: impl Fn(&Dir, &str) -> io::Result<T>,
    ) -> Result<T> {
        let staged_in = |dir: &Dir| {
            let staged = stage(dir, bytes, old)?;
            put(dir, &staged).inspect_err(|_| drop(dir.remove_file(&staged)))
        };
        let done = match staged_in(&self.staging) {
            // A folder of the vault is on another file system: stage next to the file.
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => staged_in(&place.folder),
            done => done,
        };
        let synced = done.and_then(|done| sync_folder(&place.folder).map(|()| done));
        synced.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => VaultError::AlreadyExists { path: place.path.clone() },
            _ => write_error(&place.path, error),
        })
    }
}

/// Whether a file is still the one it was: same inode, size and time of change.
fn is_version(now: &Metadata, old: &Metadata) -> io::Result<bool> {
    Ok((now.dev(), now.ino(), now.len()) == (old.dev(), old.ino(), old.len())
        && now.modified()? == old.modified()?)
}

/// Writes and syncs a new file in `dir` and returns its name.
pub(crate) fn stage(dir: &Dir, bytes: &[u8], old: Option<&Metadata>) -> io::Result<String> {
    let (name, mut file) = create_temporary(dir)?;
    let mut write = || {
        if let Some(old) = old {
            keep_owner(&file, old);
            file.set_permissions(old.permissions())?;
        }
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().inspect_err(|_| drop(dir.remove_file(&name)))?;
    Ok(name)
}

/// The name is new even where no lock keeps other processes out, and hidden wherever it is.
fn create_temporary(dir: &Dir) -> io::Result<(String, File)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).follow(FollowSymlinks::No);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!(".toolwrit-{}-{number}.tmp", std::process::id());
        match dir.open_with(&name, &options) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return Ok((name, opened?)),
        }
    }
}

/// A server running as another user, root for instance, should not take the user's notes over.
/// Only a privileged process can change owners; any other already owns what it may replace.
#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) {
    use cap_std::fs::MetadataExt;
    use rustix::fs::{Gid, Uid, fchown};

    let _ = fchown(file, Some(Uid::from_raw(old.uid())), Some(Gid::from_raw(old.gid())));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}

/// Moves a file to a name that must be free, in one step where the system has one.
pub(crate) fn rename_no_replace(
    from_dir: &Dir,
    from: &str,
    to_dir: &Dir,
    to: &str,
) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    {
        use rustix::fs::{RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(from_dir, from, to_dir, to, RenameFlags::NOREPLACE) {
            // Not known to this kernel or file system: the portable way below.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
            done => return done.map_err(Into::into),
        }
    }
    from_dir.hard_link(from, to_dir, to)?;
    from_dir.remove_file(from)
}

/// Makes a folder's change of names survive a power cut. Windows has no such step.
pub(crate) fn sync_folder(dir: &Dir) -> io::Result<()> {
    if cfg!(unix) { dir.open(".")?.sync_all() } else { Ok(()) }
}
