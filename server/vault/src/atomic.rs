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
use serde::{Deserialize, Serialize};

use crate::error::{Result, VaultError};
use crate::etag::Etag;
use crate::lock::Writer;
use crate::root::{Place, write_error};

impl Writer<'_> {
    /// Replaces an existing file, keeping its permissions and, where allowed, its owner.
    ///
    /// Programs that know nothing of the lock may have saved the file since it was read as `old`; what
    /// they saved stays.
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
            replace_version(staging, staged, folder, name, Version::of(old))
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

/// What tells one version of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Version {
    device: u64,
    inode: u64,
    size: u64,
    /// Seconds and nanoseconds since 1970; none if the file system does not know.
    modified: Option<(u64, u32)>,
}

impl Version {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok().and_then(|modified| {
            let since = modified.into_std().duration_since(std::time::UNIX_EPOCH).ok()?;
            Some((since.as_secs(), since.subsec_nanos()))
        });
        Self { device: metadata.dev(), inode: metadata.ino(), size: metadata.len(), modified }
    }

    fn at(folder: &Dir, name: &str) -> io::Result<Self> {
        folder.symlink_metadata(name).map(|metadata| Self::of(&metadata))
    }
}

/// Puts a staged file in the place of one that is still `old`, and says whether it was. The staged
/// name is gone afterwards.
///
/// Another program can save the file between a look and a rename. So the two files change places
/// first, and what came out is looked at then; where it is not `old`, it goes back.
pub(crate) fn replace_version(
    staging: &Dir,
    staged: &str,
    folder: &Dir,
    name: &str,
    old: Version,
) -> io::Result<bool> {
    if Version::at(folder, name)? != old {
        return staging.remove_file(staged).map(|()| false);
    }
    let mut put = Version::at(staging, staged)?;
    if !exchange(staging, staged, folder, name)? {
        return staging.rename(staged, folder, name).map(|()| true);
    }
    let mut out = Version::at(staging, staged)?;
    let replaced = out == old;
    // Whoever saves meanwhile saves over what was put there last, and comes out in its stead.
    while !replaced && out != put {
        let back = out;
        exchange(staging, staged, folder, name)?;
        out = Version::at(staging, staged)?;
        if out != put {
            put = back;
        }
    }
    staging.remove_file(staged).map(|()| replaced)
}

/// Lets two files change places in one step, or says that the system has no such step.
fn exchange(from_dir: &Dir, from: &str, to_dir: &Dir, to: &str) -> io::Result<bool> {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    {
        use rustix::fs::{RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(from_dir, from, to_dir, to, RenameFlags::EXCHANGE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(false),
            done => done.map(|()| true).map_err(Into::into),
        }
    }
    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    {
        let _ = (from_dir, from, to_dir, to);
        Ok(false)
    }
}

/// Writes and syncs a new file in `dir` and returns its name.
pub(crate) fn stage(dir: &Dir, bytes: &[u8], old: Option<&Metadata>) -> io::Result<String> {
    let (name, file) = stage_unsynced(dir, bytes, old)?;
    file.sync_all().inspect_err(|_| drop(dir.remove_file(&name)))?;
    Ok(name)
}

/// Writes a new file in `dir`, which is still to be synced, and returns its name.
pub(crate) fn stage_unsynced(
    dir: &Dir,
    bytes: &[u8],
    old: Option<&Metadata>,
) -> io::Result<(String, File)> {
    let (name, mut file) = create_temporary(dir)?;
    let mut write = || {
        if let Some(old) = old {
            keep_owner(&file, old);
            file.set_permissions(old.permissions())?;
        }
        file.write_all(bytes)
    };
    write().inspect_err(|_| drop(dir.remove_file(&name)))?;
    Ok((name, file))
}

/// Files that are synced together once all are written: the first brings most of the others to the disk with
/// it, where one by one each would wait for the disk.
#[derive(Default)]
pub(crate) struct Unsynced(Vec<File>);

impl Unsynced {
    /// Most files that are open for it.
    const MOST: usize = 64;

    pub(crate) fn add(&mut self, file: File) -> io::Result<()> {
        self.0.push(file);
        if self.0.len() < Self::MOST { Ok(()) } else { self.sync() }
    }

    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.0.drain(..).try_for_each(|file| file.sync_all())
    }
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
