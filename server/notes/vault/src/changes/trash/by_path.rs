//! The trash of macOS and Windows, which takes absolute paths.
//!
//! A path may lead elsewhere by the time it is followed. So the file is first moved, by handles,
//! into a new folder with a random name, which on macOS nobody else may enter. A file restored from
//! the trash returns to that folder, below the vault's `.trash`.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::Path;

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, DirBuilder};
use trash::TrashContext;

use super::{LOCAL_TRASH, TrashedFile};
use crate::storage::atomic::rename_no_replace;
use crate::storage::own_folder::open_or_create;
use crate::storage::root::{FileEntry, VaultRoot};

/// The files in the trash that were in the vault: the system does not say which.
#[expect(clippy::unnecessary_wraps, reason = "the trash of other systems can fail")]
pub(super) fn list(_: &VaultRoot) -> io::Result<Vec<TrashedFile>> {
    Ok(Vec::new())
}

/// As [`list`].
pub(super) fn find(_: &VaultRoot, _: &str) -> Option<TrashedFile> {
    None
}

/// As [`list`].
pub(super) fn restore(_: &str, _: &FileEntry) -> io::Result<()> {
    Err(io::ErrorKind::NotFound.into())
}

/// Moves a file to the system's trash, which returns no name for it.
///
/// # Errors
/// If there is no trash, or it refuses the file. The file is in its old place then.
pub(super) fn move_to_trash(root: &VaultRoot, entry: &FileEntry) -> io::Result<Option<String>> {
    let local = open_or_create(&root.dir, LOCAL_TRASH)?;
    // The hasher is seeded with random numbers of the system.
    let fresh = format!(".toolwrit-{:016x}", RandomState::new().build_hasher().finish());
    let private = open_private_folder(&local, &fresh)?;
    let name = entry.path.name();
    let received = rename_no_replace(&entry.folder, name, &private, name).and_then(|()| {
        let path = root.location.join(LOCAL_TRASH).join(&fresh).join(name);
        delete(&path).or_else(|error| {
            rename_no_replace(&private, name, &entry.folder, name)?;
            Err(io::Error::other(error))
        })
    });
    // The folder stays if something is left in it.
    let _ = local.remove_dir(&fresh);
    received.map(|()| None)
}

fn open_private_folder(within: &Dir, name: &str) -> io::Result<Dir> {
    #[cfg_attr(windows, expect(unused_mut, reason = "only modes change it"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    cap_std::fs::DirBuilderExt::mode(&mut builder, 0o700);
    within.create_dir_with(name, &builder)?;
    within.open_dir_nofollow(name)
}

fn delete(path: &Path) -> Result<(), trash::Error> {
    #[cfg_attr(not(target_os = "macos"), expect(unused_mut, reason = "only macOS has two ways"))]
    let mut context = TrashContext::default();
    #[cfg(target_os = "macos")]
    {
        use trash::macos::{DeleteMethod, TrashContextExtMacos};
        // The Finder would ask the user for permission, and needs a logged-in user.
        context.set_delete_method(DeleteMethod::NsFileManager);
    }
    context.delete(path)
}
