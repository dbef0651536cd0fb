//! Where deleted files go.
//!
//! A file is moved out of its folder by the folder's handle, also into the *system* trash. So if
//! another program replaces a folder meanwhile, the replacement is not deleted. If there is no
//! system trash, files go to the vault's `.trash`, and the result says so.
//!
//! A delete is not synced. After a power cut the file may be in its old place again, but it is
//! always complete.

#[cfg(any(target_os = "macos", windows))]
mod by_path;
#[cfg(not(any(target_os = "macos", windows)))]
mod freedesktop;

use std::io;

use cap_std::fs::Dir;

#[cfg(any(target_os = "macos", windows))]
use by_path as system_trash;
#[cfg(not(any(target_os = "macos", windows)))]
use freedesktop as system_trash;

use crate::path::{NAME_LIMIT, VaultPath};
use crate::storage::atomic::rename_no_replace;
use crate::storage::own_folder::open_or_create;
use crate::storage::root::{FileEntry, VaultRoot};

pub(crate) const LOCAL_TRASH: &str = ".trash";

impl VaultRoot {
    /// Moves a file to the system's trash, or to the vault's own if there is none.
    pub(crate) fn to_any_trash(&self, entry: &FileEntry) -> io::Result<()> {
        if self.to_system_trash(entry) { Ok(()) } else { self.to_local_trash(entry).map(drop) }
    }

    /// Whether the file is now in the system's trash.
    pub(crate) fn to_system_trash(&self, entry: &FileEntry) -> bool {
        system_trash::move_to_trash(self, entry).is_ok()
    }

    /// Moves the file to the same path below `.trash`, numbered if that is taken.
    pub(crate) fn to_local_trash(&self, entry: &FileEntry) -> io::Result<String> {
        loop {
            let (dir, path) = self.find_free_path(&entry.path, &|_| false)?;
            let name = path.rsplit('/').next().unwrap_or(&path);
            match rename_no_replace(&entry.folder, entry.path.name(), &dir, name) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                done => return done.map(|()| path),
            }
        }
    }

    /// A folder below `.trash`, created if needed, and a path in it that is free and not `taken` by
    /// another file of the same change.
    pub(crate) fn find_free_path(
        &self,
        path: &VaultPath,
        taken: &dyn Fn(&str) -> bool,
    ) -> io::Result<(Dir, String)> {
        let mut dir = open_or_create(&self.dir, LOCAL_TRASH)?;
        let folder = path.folder();
        for segment in folder.segments() {
            dir = open_or_create(&dir, segment)?;
        }
        let mut name = path.name().to_owned();
        let mut copy = 1_u32;
        loop {
            let segments = [LOCAL_TRASH].into_iter().chain(folder.segments());
            let trashed = segments.chain([name.as_str()]).collect::<Vec<_>>().join("/");
            if dir.symlink_metadata(&name).is_err() && !taken(&trashed) {
                return Ok((dir, trashed));
            }
            copy += 1;
            name = numbered_name(path, copy, NAME_LIMIT);
        }
    }
}

/// `Plan 2.md`, the second file of that name in the trash. If the name exceeds `limit` bytes, the
/// end of its stem is cut.
fn numbered_name(path: &VaultPath, copy: u32, limit: usize) -> String {
    let number = if copy == 1 { String::new() } else { format!(" {copy}") };
    let ending = match path.extension() {
        Some(extension) => format!("{number}.{extension}"),
        None => number,
    };
    let stem = path.stem();
    let kept = stem.floor_char_boundary(limit.saturating_sub(ending.len()));
    format!("{}{ending}", &stem[..kept])
}
