//! Where deleted files go.
//!
//! A file is moved out of its folder by the folder's handle, also into the *system* trash. So if
//! another program replaces a folder meanwhile, the replacement is not deleted. If there is no
//! system trash, files go to the vault's `.trash`, and the result says so.
//!
//! A delete is not synced. After a power cut the file may be in its old place again, but it is
//! always complete.

#[cfg(any(target_os = "macos", windows, toolwrit_portable))]
mod by_path;
#[cfg(not(any(target_os = "macos", windows, toolwrit_portable)))]
mod freedesktop;

mod place;

use std::io;

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, Metadata};
use jiff::Timestamp;

#[cfg(any(target_os = "macos", windows, toolwrit_portable))]
use by_path as system_trash;
#[cfg(not(any(target_os = "macos", windows, toolwrit_portable)))]
use freedesktop as system_trash;

pub(crate) use place::TrashPlace;

use crate::path::{Folder, NAME_LIMIT, PathError, VaultPath};
use crate::storage::atomic::{FileVersion, rename_no_replace};
use crate::storage::own_folder::open_or_create;
use crate::storage::root::{FileEntry, VaultRoot};

pub(crate) const LOCAL_TRASH: &str = ".trash";

impl VaultRoot {
    /// Moves a file to the system's trash, or to the vault's own if there is none.
    pub(crate) fn to_any_trash(&self, entry: &FileEntry) -> io::Result<()> {
        match self.to_system_trash(entry) {
            Ok(_) => Ok(()),
            Err(_) => self.to_local_trash(entry).map(drop),
        }
    }

    /// Moves a file to the system's trash, and returns its place there if the file can be moved back.
    ///
    /// # Errors
    /// If there is no trash, or it refuses the file. The file is in its old place then.
    pub(crate) fn to_system_trash(&self, entry: &FileEntry) -> io::Result<Option<TrashPlace>> {
        Ok(system_trash::move_to_trash(self, entry)?.map(TrashPlace::Desktop))
    }

    /// The files in the trashes that can be moved back, unordered. A trash that cannot be read has none.
    pub(crate) fn list_trash(&self) -> Vec<TrashedFile> {
        let mut files = system_trash::list(self).unwrap_or_default();
        if let Ok(trash) = self.dir.open_dir_nofollow(LOCAL_TRASH) {
            list_local(&trash, &Folder::ROOT, &mut files);
        }
        files
    }

    /// The file in a trash; `None` if it is not there, or was not in the vault.
    pub(crate) fn find_trashed(&self, place: &TrashPlace) -> Option<TrashedFile> {
        match place {
            TrashPlace::Desktop(name) => system_trash::find(self, name),
            TrashPlace::Vault(path) => {
                let mut folder = self.dir.open_dir_nofollow(LOCAL_TRASH).ok()?;
                for segment in path.folder().segments() {
                    folder = folder.open_dir_nofollow(segment).ok()?;
                }
                describe_local(&folder, path)
            }
        }
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

/// Moves a file back from the desktop's trash.
///
/// # Errors
/// `NotFound`, `AlreadyExists`, `CrossesDevices`.
pub(crate) fn restore_from_desktop(name: &str, to: &FileEntry) -> io::Result<()> {
    system_trash::restore(name, to)
}

/// A path relative to the vault's trash.
pub(crate) fn path_in_trash(path: &str) -> Result<VaultPath, PathError> {
    let below = path.strip_prefix(LOCAL_TRASH).and_then(|rest| rest.strip_prefix('/'));
    VaultPath::from_disk(below.unwrap_or(path))
}

/// A file in a trash.
#[derive(Debug, Clone)]
pub(crate) struct TrashedFile {
    pub(crate) place: TrashPlace,
    /// Its path in the vault before, as far as the trash knows it.
    pub(crate) path: VaultPath,
    /// When it was deleted, if the trash knows.
    pub(crate) at: Option<Timestamp>,
    pub(crate) version: FileVersion,
}

/// Adds the files in and below a folder of the vault's trash.
fn list_local(dir: &Dir, folder: &Folder, files: &mut Vec<TrashedFile>) {
    for entry in dir.entries().into_iter().flatten().flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let (Ok(path), Ok(kind)) = (folder.child(&name), entry.file_type()) else { continue };
        if kind.is_dir() {
            if let Ok(inner) = dir.open_dir_nofollow(&name) {
                list_local(&inner, &path.into(), files);
            }
        } else {
            files.extend(describe_local(dir, &path));
        }
    }
}

/// A file in a folder of the vault's trash. A rename changes its `ctime`, so that this is when it was deleted.
fn describe_local(dir: &Dir, path: &VaultPath) -> Option<TrashedFile> {
    let found = dir.symlink_metadata(path.name()).ok().filter(Metadata::is_file)?;
    #[cfg(unix)]
    let at = {
        use cap_std::fs::MetadataExt;
        Timestamp::from_second(found.ctime()).ok()
    };
    #[cfg(not(unix))]
    let at = crate::storage::root::modified_time(&found);
    let version = FileVersion::from_metadata(&found);
    Some(TrashedFile { place: TrashPlace::Vault(path.clone()), path: path.clone(), at, version })
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
