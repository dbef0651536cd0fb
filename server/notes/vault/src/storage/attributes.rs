//! Permissions, owner and extended attributes that a replacement file takes over.

use cap_std::fs::{File, Metadata};

/// Gives a file the owner and group of the file that it replaces. A server that runs as another
/// user, such as root, must not take over the user's notes. Only a privileged process can change
/// owners; any other process already owns what it may replace, and may still set a group that it is
/// in.
#[cfg(unix)]
pub(crate) fn keep_owner(file: &File, old: &Metadata) {
    use cap_std::fs::MetadataExt;
    use rustix::fs::{Gid, Uid, fchown};

    let group = Some(Gid::from_raw(old.gid()));
    if fchown(file, Some(Uid::from_raw(old.uid())), group).is_err() {
        let _ = fchown(file, None, group);
    }
}

#[cfg(not(unix))]
pub(crate) fn keep_owner(_: &File, _: &Metadata) {}

/// Copies permissions. The rights of the group are copied only if the group is the same.
#[cfg(unix)]
pub(crate) fn keep_permissions(file: &File, old: &Metadata) -> std::io::Result<()> {
    use cap_std::fs::{MetadataExt, Permissions, PermissionsExt};

    let mut mode = old.permissions().mode();
    if file.metadata()?.gid() != old.gid() {
        mode &= !0o070 | mode << 3;
    }
    file.set_permissions(Permissions::from_mode(mode))
}

#[cfg(not(unix))]
pub(crate) fn keep_permissions(file: &File, old: &Metadata) -> std::io::Result<()> {
    file.set_permissions(old.permissions())
}

/// Copies extended attributes, including Linux's access control lists, as far as the system allows.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(crate) fn keep_extended(file: &File, old: &File) {
    use rustix::fs::{XattrFlags, fremovexattr, fsetxattr};

    let (now, mut kept) = (read_extended(file), read_extended(old));
    if !has_same_group(file, old) {
        // It describes the rights of a group that is different now.
        kept.retain(|(name, _)| name != b"system.posix_acl_access");
    }
    for (name, _) in now.iter().filter(|(name, _)| kept.iter().all(|(other, _)| other != name)) {
        // Inherited from the folder in which the file was created.
        let _ = fremovexattr(file, name.as_slice());
    }
    for (name, value) in kept.iter().filter(|attribute| !now.contains(attribute)) {
        let _ = fsetxattr(file, name.as_slice(), value, XattrFlags::empty());
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(crate) fn keep_extended(_: &File, _: &File) {}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn has_same_group(a: &File, b: &File) -> bool {
    use cap_std::fs::MetadataExt;

    let group = |file: &File| file.metadata().ok().map(|metadata| metadata.gid());
    group(a) == group(b)
}

/// Name and value of each extended attribute that can be read.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn read_extended(file: &File) -> Vec<(Vec<u8>, Vec<u8>)> {
    use rustix::buffer::spare_capacity;
    use rustix::fs::{fgetxattr, flistxattr};
    use rustix::io::{Errno, Result};

    /// Reads a value whose size is not known beforehand.
    fn read(mut into: impl FnMut(&mut Vec<u8>) -> Result<usize>) -> Option<Vec<u8>> {
        /// More than any system allows.
        const MOST: usize = 1 << 20;
        let mut bytes = Vec::with_capacity(256);
        loop {
            match into(&mut bytes) {
                Err(Errno::RANGE) if bytes.capacity() < MOST => bytes.reserve(2 * bytes.capacity()),
                read => return read.ok().map(|_| bytes),
            }
        }
    }
    let names = read(|names| flistxattr(file, spare_capacity(names))).unwrap_or_default();
    let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let valued = |name: &[u8]| {
        let value = read(|value| fgetxattr(file, name, spare_capacity(value)))?;
        Some((name.to_owned(), value))
    };
    names.filter_map(valued).collect()
}
