//! The change of a single file as one step.
//!
//! New bytes are written to a temporary file, synced, and renamed into place, and then the folder
//! is synced: whenever the process dies, the file is whole, the old one or the new one. What such
//! a replacement cannot keep is what belongs to the old inode alone: its other names and the time of
//! its creation.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use cap_fs_ext::{FollowSymlinks, MetadataExt, OpenOptionsFollowExt};
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use serde::{Deserialize, Serialize};

use crate::attributes::{keep_extended, keep_owner, keep_permissions};
use crate::error::{Result, VaultError};
use crate::etag::Etag;
use crate::lock::Writer;
use crate::path::folded;
use crate::root::{Place, write_error};

impl Writer<'_> {
    /// Replaces an existing file, keeping its permissions and, where allowed, its owner, its group and its
    /// extended attributes.
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
            let (staged, file) = stage_unsynced(dir, bytes, old)?;
            if old.is_some() {
                place.give_extended(&file);
            }
            let put = sync(&file).and_then(|()| put(dir, &staged));
            put.inspect_err(|_| drop(dir.remove_file(&staged)))
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

/// What tells one version of a file from another, also after the system was started anew, which may give
/// devices other numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Version {
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
        Self { inode: metadata.ino(), size: metadata.len(), modified }
    }

    /// Whether it is the same file, whatever was written to it.
    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        self.inode == other.inode
    }

    /// Of what has a name in a folder.
    pub(crate) fn at(folder: &Dir, name: &str) -> io::Result<Self> {
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
        match renameat_with(from_dir, from, to_dir, to, RenameFlags::EXCHANGE) {
            Err(error) if is_unknown(error) => Ok(false),
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
    sync(&file).inspect_err(|_| drop(dir.remove_file(&name)))?;
    Ok(name)
}

/// Writes a new file in `dir`, which is still to be synced, and returns its name.
pub(crate) fn stage_unsynced(
    dir: &Dir,
    bytes: &[u8],
    old: Option<&Metadata>,
) -> io::Result<(String, File)> {
    let (name, mut file) = create_temporary(dir, OpenOptions::new())?;
    let mut write = || {
        if let Some(old) = old {
            keep_owner(&file, old);
            keep_permissions(&file, old)?;
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
        self.0.drain(..).try_for_each(|file| sync(&file))
    }
}

/// Makes a file as the options say. Its name is new even where no lock keeps other processes out, and hidden
/// wherever it is.
pub(crate) fn create_temporary(dir: &Dir, mut options: OpenOptions) -> io::Result<(String, File)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
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

impl Place {
    /// Gives a file in its place the extended attributes of the one that is there.
    pub(crate) fn give_extended(&self, file: &File) {
        // Without rights to read it there would be no new bytes for it.
        if let Ok((old, _)) = self.open() {
            keep_extended(file, &old);
        }
    }
}

/// Moves a file to a name that must be free, in one step where the system has one. Its own name in another
/// case is free.
pub(crate) fn rename_no_replace(
    from_dir: &Dir,
    from: &str,
    to_dir: &Dir,
    to: &str,
) -> io::Result<()> {
    match rename_to_free(from_dir, from, to_dir, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if is_other_case(from_dir, from, to_dir, to).unwrap_or(false) {
                return change_case(from_dir, from, to);
            }
            Err(error)
        }
        done => done,
    }
}

fn rename_to_free(from_dir: &Dir, from: &str, to_dir: &Dir, to: &str) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    {
        use rustix::fs::{RenameFlags, renameat_with};
        match renameat_with(from_dir, from, to_dir, to, RenameFlags::NOREPLACE) {
            // Not known to this kernel or file system: the portable way below.
            Err(error) if is_unknown(error) => {}
            done => return done.map_err(Into::into),
        }
    }
    match from_dir.hard_link(from, to_dir, to) {
        Ok(()) => from_dir.remove_file(from),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::AlreadyExists
                    | io::ErrorKind::CrossesDevices
                    | io::ErrorKind::NotFound
            ) =>
        {
            Err(error)
        }
        // A file system without hard links leaves a moment between the look and the rename.
        Err(_) => match to_dir.symlink_metadata(to) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                from_dir.rename(from, to_dir, to)
            }
            Err(error) => Err(error),
        },
    }
}

/// Whether the second name finds the first file because the file system folds case.
fn is_other_case(from_dir: &Dir, from: &str, to_dir: &Dir, to: &str) -> io::Result<bool> {
    let folder = |dir: &Dir| dir.dir_metadata().map(|metadata| (metadata.dev(), metadata.ino()));
    Ok(from != to
        && folded(from) == folded(to)
        && folder(from_dir)? == folder(to_dir)?
        && !is_listed(to_dir, to)?)
}

/// Whether a folder holds a file of exactly this name.
pub(crate) fn is_listed(dir: &Dir, name: &str) -> io::Result<bool> {
    for entry in dir.entries()? {
        if entry?.file_name() == name {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Gives a file its name in another case. Some systems take that for no change at all: there it has a third
/// name in between, one that people see, because the process may die then.
fn change_case(dir: &Dir, from: &str, to: &str) -> io::Result<()> {
    dir.rename(from, dir, to)?;
    if is_listed(dir, to)? {
        return Ok(());
    }
    let mut copy = 2_u32;
    let between = loop {
        let name = match to.rsplit_once('.') {
            Some((stem, extension)) => format!("{stem} {copy}.{extension}"),
            None => format!("{to} {copy}"),
        };
        match rename_to_free(dir, from, dir, &name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => copy += 1,
            done => break done.map(|()| name)?,
        }
    };
    rename_to_free(dir, &between, dir, to)
        .inspect_err(|_| drop(rename_to_free(dir, &between, dir, from)))
}

/// Whether this says that a file system, or an older kernel, does not know what was asked of it. Which of
/// them it is differs: exFAT and SMB on macOS say `ENOTSUP`, which is not `EOPNOTSUPP` there.
#[cfg(unix)]
fn is_unknown(error: rustix::io::Errno) -> bool {
    use rustix::io::Errno;

    [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP].contains(&error)
}

/// Brings a file to the disk. Where a file system does not know the full way, that of macOS through the
/// disk's own cache, it is the one that it knows.
fn sync(file: &File) -> io::Result<()> {
    let synced = file.sync_all();
    #[cfg(unix)]
    if let Err(error) = &synced
        && rustix::io::Errno::from_io_error(error).is_some_and(is_unknown)
    {
        return rustix::fs::fsync(file).map_err(Into::into);
    }
    synced
}

/// Makes a folder's change of names survive a power cut, where the system has such a step. Windows and
/// some network drives have none.
pub(crate) fn sync_folder(dir: &Dir) -> io::Result<()> {
    #[cfg(unix)]
    match sync(&dir.open(".")?) {
        Err(error) if rustix::io::Errno::from_io_error(&error).is_some_and(is_unknown) => {}
        synced => return synced,
    }
    #[cfg(not(unix))]
    let _ = dir;
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use rustix::io::Errno;

    use super::is_unknown;

    #[test]
    fn what_file_systems_say_of_steps_that_they_do_not_know_is_understood() {
        for unknown in [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP] {
            assert!(is_unknown(unknown), "{unknown}");
        }
        for other in [Errno::EXIST, Errno::XDEV, Errno::PERM, Errno::NOSPC, Errno::IO] {
            assert!(!is_unknown(other), "{other}");
        }
    }
}
