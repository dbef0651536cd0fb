//! How the file system of a vault differs from a local Linux disk.

use std::io;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::atomic::is_listed;

/// The properties of a vault's file system that the engine depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSystem {
    /// Whether a name in another case names the same file, as it does on most disks of macOS and Windows.
    pub ignores_case: bool,
    /// Whether the system reports all changes. It does not report changes that other machines make
    /// on a network drive, or that a host makes in a folder shared with a virtual machine.
    pub reports_changes: bool,
}

impl FileSystem {
    /// Detects the properties of a folder's file system. What cannot be detected gets the system's
    /// usual value.
    pub(crate) fn detect(dir: &Dir, location: &Path) -> Self {
        let usual = cfg!(any(windows, target_vendor = "apple"));
        let ignores_case = ignores_case(dir, location).unwrap_or(usual);
        Self { ignores_case, reports_changes: reports_changes(location) }
    }
}

/// Whether names are found in another case too, tested with the first name that has two cases.
/// `None` if there is no such name.
fn ignores_case(dir: &Dir, location: &Path) -> Option<bool> {
    for entry in dir.entries().ok()?.flatten() {
        if let Some(name) = entry.file_name().to_str()
            && let Some(folds) = is_found_in_other_case(dir, name)
        {
            return Some(folds);
        }
    }
    // If the folder is empty, its parent most likely treats names the same way.
    let (above, name) = (location.parent()?, location.file_name()?.to_str()?);
    is_found_in_other_case(&Dir::open_ambient_dir(above, ambient_authority()).ok()?, name)
}

fn is_found_in_other_case(dir: &Dir, name: &str) -> Option<bool> {
    let swapped = |c: char| {
        if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
    };
    let other: String = name.chars().map(swapped).collect();
    if other == name {
        return None;
    }
    match dir.symlink_metadata(&other) {
        // Inode numbers are no proof: some file systems assign one to each spelling of a name.
        Ok(_) => is_listed(dir, &other).ok().map(|listed| !listed),
        Err(error) => (error.kind() == io::ErrorKind::NotFound).then_some(false),
    }
}

/// Whether the system reports all changes in a folder. If that cannot be determined, assume that it
/// does.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn reports_changes(folder: &Path) -> bool {
    /// Values of `f_type` in `statfs(2)`, from `linux/magic.h` and from the sources of file systems
    /// that are not part of Linux. sshfs, rclone, Docker Desktop and virtiofs appear as FUSE; the
    /// host folders of WSL 2 and QEMU appear as 9P.
    const SILENT: [u32; 20] = [
        0x0000_6969, // NFS
        0x0000_517B, // SMB, the first
        0xFF53_4D42, // CIFS
        0xFE53_4D42, // SMB 2 and 3
        0x6573_5546, // FUSE
        0x0102_1997, // 9P
        0x5346_4846, // the host's disks in WSL 1
        0x00C3_6400, // Ceph
        0x5346_414F, // AFS
        0x6B41_4653, // AFS in Linux
        0x7375_7245, // Coda
        0x0000_564C, // NetWare
        0x0BD0_0BD0, // Lustre
        0x4750_4653, // GPFS
        0x0116_1970, // GFS 2
        0x7461_636F, // OCFS 2
        0xAAD7_AAEA, // Panasas
        0x786F_4256, // VirtualBox
        0xBACB_ACBC, // VMware
        0x7C7C_6673, // Parallels
    ];
    let Ok(found) = rustix::fs::statfs(folder) else { return true };
    // The field's size and sign depend on the processor.
    !SILENT.iter().any(|&silent| i128::from(found.f_type) & 0xFFFF_FFFF == i128::from(silent))
}

/// Whether the system reports all changes in a folder. Apple's systems say whether a file system is local.
#[cfg(target_vendor = "apple")]
pub(crate) fn reports_changes(folder: &Path) -> bool {
    const LOCAL: u32 = 0x1000;
    rustix::fs::statfs(folder).is_ok_and(|found| found.f_flags & LOCAL != 0)
}

/// Whether the system reports all changes in a folder. On Windows the canonical path shows whether it is on a network.
#[cfg(windows)]
pub(crate) fn reports_changes(folder: &Path) -> bool {
    use std::path::{Component, Prefix};

    let prefix = folder.components().next();
    !matches!(prefix, Some(Component::Prefix(prefix))
        if matches!(prefix.kind(), Prefix::UNC(..) | Prefix::VerbatimUNC(..)))
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple", windows)))]
pub(crate) fn reports_changes(_: &Path) -> bool {
    true
}
