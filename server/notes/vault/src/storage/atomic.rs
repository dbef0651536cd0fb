//! Atomic changes of a single file.
//!
//! New bytes are written to a temporary file, synced, and renamed into place; then the folder is
//! synced. If the process dies at any point, the file holds all of the old bytes or all of the new
//! ones. A replacement loses what belongs to the old inode alone: its other hard links and its
//! creation time.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use cap_fs_ext::{FollowSymlinks, MetadataExt, OpenOptionsFollowExt};
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use serde::{Deserialize, Serialize};

use super::attributes::{keep_owner, keep_permissions};
use crate::path::fold;

/// Identifies one version of a file. It stays valid across a restart of the system, which may
/// number devices differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileVersion {
    inode: u64,
    size: u64,
    /// Seconds and nanoseconds since 1970; none if the file system does not know.
    modified: Option<(u64, u32)>,
}

impl FileVersion {
    pub(crate) fn from_metadata(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok().and_then(|modified| {
            let since = modified.into_std().duration_since(std::time::UNIX_EPOCH).ok()?;
            Some((since.as_secs(), since.subsec_nanos()))
        });
        Self { inode: metadata.ino(), size: metadata.len(), modified }
    }

    /// Whether it is the same file, even if its content differs.
    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        self.inode == other.inode
    }

    /// The version of the file with this name in a folder.
    pub(crate) fn read(folder: &Dir, name: &str) -> io::Result<Self> {
        folder.symlink_metadata(name).map(|metadata| Self::from_metadata(&metadata))
    }
}

/// Replaces a file with a staged one if the file is still `old`, and returns whether it did. The
/// staged name is gone afterwards.
///
/// Another program can save the file between a check and a rename. So the two files are exchanged
/// first and the file that came out is checked then. If it is not `old`, it is put back.
pub(crate) fn replace_version(
    staging: &Dir,
    staged: &str,
    folder: &Dir,
    name: &str,
    old: FileVersion,
) -> io::Result<bool> {
    if FileVersion::read(folder, name)? != old {
        return staging.remove_file(staged).map(|()| false);
    }
    let mut put = FileVersion::read(staging, staged)?;
    if !exchange(staging, staged, folder, name)? {
        return staging.rename(staged, folder, name).map(|()| true);
    }
    let mut out = FileVersion::read(staging, staged)?;
    let replaced = out == old;
    // If another program saves during this exchange, its file comes out instead of ours.
    while !replaced && out != put {
        let back = out;
        exchange(staging, staged, folder, name)?;
        out = FileVersion::read(staging, staged)?;
        if out != put {
            put = back;
        }
    }
    staging.remove_file(staged).map(|()| replaced)
}

/// Exchanges two files in one step. Returns `false` if the system has no such step.
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

/// Writes a new file in `dir` without syncing it, and returns its name.
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

/// Files that are synced together after all are written. Syncing the first brings most of the
/// others to the disk with it, which is faster than syncing each one after it is written.
#[derive(Default)]
pub(crate) struct Unsynced(Vec<File>);

impl Unsynced {
    /// Most files that are open for this at a time.
    const MOST: usize = 64;

    pub(crate) fn add(&mut self, file: File) -> io::Result<()> {
        self.0.push(file);
        if self.0.len() < Self::MOST { Ok(()) } else { self.sync() }
    }

    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.0.drain(..).try_for_each(|file| sync(&file))
    }
}

/// Creates a file with these options. Its name is unique even if no lock keeps other processes out,
/// and it is hidden in any folder.
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

/// Moves a file to a name that must be free, in one step where the system has one. A name that
/// differs from the file's own only in case counts as free.
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
            // This kernel or file system does not support it. Use the portable way below.
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
        // Without hard links, another program can take the name between the check and the rename.
        Err(_) => match to_dir.symlink_metadata(to) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                from_dir.rename(from, to_dir, to)
            }
            Err(error) => Err(error),
        },
    }
}

/// Whether both names find the same file because the file system ignores case.
fn is_other_case(from_dir: &Dir, from: &str, to_dir: &Dir, to: &str) -> io::Result<bool> {
    let folder = |dir: &Dir| dir.dir_metadata().map(|metadata| (metadata.dev(), metadata.ino()));
    Ok(from != to
        && fold(from) == fold(to)
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

/// Changes only the case of a file's name. Some systems ignore such a rename; there the file gets a
/// third name in between. That name is not hidden, because the process may die before the second
/// rename.
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

/// Whether an error says that a file system, or an older kernel, does not support an operation. The
/// code differs: exFAT and SMB on macOS return `ENOTSUP`, which is not `EOPNOTSUPP` there.
#[cfg(unix)]
fn is_unknown(error: rustix::io::Errno) -> bool {
    use rustix::io::Errno;

    [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP].contains(&error)
}

/// Syncs a file to the disk. On macOS the full sync flushes the disk's own cache; where a file
/// system does not support that, the plain sync is used.
pub(crate) fn sync(file: &File) -> io::Result<()> {
    let synced = file.sync_all();
    #[cfg(unix)]
    if let Err(error) = &synced
        && rustix::io::Errno::from_io_error(error).is_some_and(is_unknown)
    {
        return rustix::fs::fsync(file).map_err(Into::into);
    }
    synced
}

/// Syncs a folder, so that a change of names survives a power cut. Windows and some network drives
/// have no such operation.
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
    fn unsupported_operations_are_recognised_by_their_error_codes() {
        for unknown in [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP] {
            assert!(is_unknown(unknown), "{unknown}");
        }
        for other in [Errno::EXIST, Errno::XDEV, Errno::PERM, Errno::NOSPC, Errno::IO] {
            assert!(!is_unknown(other), "{other}");
        }
    }
}
