//! The engine's own folder in the vault, and the folders in it.

use std::io;

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;

/// Its name.
pub(crate) const OWN_FOLDER: &str = ".toolwrit";

/// Opens a folder, which is created if needed and must not be a link.
pub(crate) fn open_or_create(dir: &Dir, name: &str) -> io::Result<Dir> {
    match dir.open_dir_nofollow(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    match dir.create_dir(name) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => dir.open_dir_nofollow(name),
    }
}
