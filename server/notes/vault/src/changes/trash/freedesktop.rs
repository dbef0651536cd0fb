//! The trash of Linux desktops, by version 1.0 of freedesktop.org's Trash specification.
//!
//! A file is moved from its folder's handle to that of the trash. Its path is only written down,
//! for programs that restore it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, DirBuilderExt as _, Metadata, MetadataExt as _, OpenOptions};
use cap_std::fs::{OpenOptionsExt as _, PermissionsExt as _};
use jiff::Zoned;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

use super::{TrashPlace, TrashedFile, numbered_name};
use crate::path::{NAME_LIMIT, VaultPath};
use crate::storage::atomic::{FileVersion, rename_no_replace};
use crate::storage::root::{FileEntry, ReadOutcome, VaultRoot, read_limited};

/// Characters of a path that are not escaped: RFC 3986's unreserved characters and the slash.
const ESCAPED: AsciiSet =
    NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The extension of the records of trashed files.
const RECORD: &str = ".trashinfo";
/// Largest record in bytes that is read.
const RECORD_LIMIT: u64 = 1 << 16;

/// Only the user may read a trash folder.
const PRIVATE: u32 = 0o700;

/// A trash for the files of one file system.
struct Trash {
    files: Dir,
    records: Dir,
}

/// Moves a file to the trash in the user's home, or to that of the file's volume. Returns its name in the trash of the home.
///
/// # Errors
/// If there is no such trash. The file is in its old place then.
pub(super) fn move_to_trash(root: &VaultRoot, entry: &FileEntry) -> io::Result<Option<String>> {
    let origin = root.location.join(entry.path.as_str());
    match Trash::open_home()?.move_in(entry, &origin).map(Some) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let folder = root.location.join(entry.path.folder().as_str());
            let volume = find_volume(&folder)?;
            let origin = origin.strip_prefix(volume).map_err(io::Error::other)?;
            Trash::open_on_volume(volume)?.move_in(entry, origin).map(|_| None)
        }
        done => done,
    }
}

/// The files in the trash of the user's home that were in the vault.
pub(super) fn list(root: &VaultRoot) -> io::Result<Vec<TrashedFile>> {
    let trash = Trash::open_home()?;
    let mut files = Vec::new();
    for entry in trash.records.entries()? {
        let Ok(record) = entry?.file_name().into_string() else { continue };
        let Some(name) = record.strip_suffix(RECORD) else { continue };
        files.extend(trash.read_record(root, name));
    }
    Ok(files)
}

/// What is known of a file in the trash of the user's home; `None` if it was not in the vault.
pub(super) fn find(root: &VaultRoot, name: &str) -> Option<TrashedFile> {
    Trash::open_home().ok()?.read_record(root, name)
}

/// Moves a file from the trash of the user's home to a path that is free.
///
/// # Errors
/// `NotFound`, `AlreadyExists`, `CrossesDevices`.
pub(super) fn restore(name: &str, to: &FileEntry) -> io::Result<()> {
    let trash = Trash::open_home()?;
    rename_no_replace(&trash.files, name, &to.folder, to.path.name())?;
    // A record without a file does no harm.
    let _ = trash.records.remove_file(format!("{name}{RECORD}"));
    Ok(())
}

impl Trash {
    /// What the record of a file says, if the file was in the vault and is still here.
    fn read_record(&self, root: &VaultRoot, name: &str) -> Option<TrashedFile> {
        let found = self.files.symlink_metadata(name).ok().filter(Metadata::is_file)?;
        let record = read_limited(&self.records, &format!("{name}{RECORD}"), RECORD_LIMIT).ok()?;
        let ReadOutcome::Whole(record) = record else { return None };
        let record = String::from_utf8(record).ok()?;
        let value = |key: &str| record.lines().find_map(|line| line.strip_prefix(key));
        let origin: Vec<u8> = percent_decode_str(value("Path=")?).collect();
        let origin = Path::new(OsStr::from_bytes(&origin)).strip_prefix(&root.location).ok()?;
        let date: Option<DateTime> = value("DeletionDate=").and_then(|date| date.parse().ok());
        let at = date.and_then(|date| date.to_zoned(TimeZone::system()).ok());
        Some(TrashedFile {
            place: TrashPlace::Desktop(name.to_owned()),
            path: VaultPath::from_disk(origin.to_str()?).ok()?,
            at: at.map(|at| at.timestamp()),
            version: FileVersion::from_metadata(&found),
        })
    }

    fn open_home() -> io::Result<Self> {
        let absolute =
            |folder: OsString| Some(PathBuf::from(folder)).filter(|path| path.is_absolute());
        let data = env::var_os("XDG_DATA_HOME").and_then(absolute);
        let home = || env::var_os("HOME").and_then(absolute).map(|home| home.join(".local/share"));
        let trash = data.or_else(home).ok_or(io::ErrorKind::NotFound)?.join("Trash");
        std::fs::DirBuilder::new().recursive(true).mode(PRIVATE).create(&trash)?;
        Self::open_in(&Dir::open_ambient_dir(trash, ambient_authority())?)
    }

    /// The trash of a volume: the user's part of one that an administrator created for everybody,
    /// otherwise the user's own.
    fn open_on_volume(volume: &Path) -> io::Result<Self> {
        let volume = Dir::open_ambient_dir(volume, ambient_authority())?;
        let user = rustix::process::getuid().as_raw();
        // The specification says to skip a folder without a sticky bit, in which users can change
        // each other's files.
        let shared = volume.open_dir_nofollow(".Trash").and_then(|shared| {
            let is_sticky = shared.dir_metadata()?.permissions().mode() & 0o1000 != 0;
            Ok(Some(shared).filter(|_| is_sticky))
        });
        let trash = match shared {
            Ok(Some(shared)) => open_private_folder(&shared, &user.to_string())?,
            _ => open_private_folder(&volume, &format!(".Trash-{user}"))?,
        };
        if trash.dir_metadata()?.uid() != user {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Self::open_in(&trash)
    }

    fn open_in(trash: &Dir) -> io::Result<Self> {
        let (files, records) =
            (open_private_folder(trash, "files")?, open_private_folder(trash, "info")?);
        Ok(Self { files, records })
    }

    /// Moves a file here from `origin`, under a free name, which is returned.
    fn move_in(&self, entry: &FileEntry, origin: &Path) -> io::Result<String> {
        let mut copy = 0;
        loop {
            copy += 1;
            let name = numbered_name(&entry.path, copy, NAME_LIMIT - RECORD.len());
            // The program that creates the record first reserves the name.
            let record = format!("{name}{RECORD}");
            match self.write_down(&record, origin) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                written => written?,
            }
            let moved = rename_no_replace(&entry.folder, entry.path.name(), &self.files, &name);
            let Err(error) = moved else { return Ok(name) };
            let _ = self.records.remove_file(&record);
            if error.kind() != io::ErrorKind::AlreadyExists {
                return Err(error);
            }
        }
    }

    fn write_down(&self, record: &str, origin: &Path) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).follow(FollowSymlinks::No).mode(0o600);
        let mut file = self.records.open_with(record, &options)?;
        let path = percent_encode(origin.as_os_str().as_bytes(), &ESCAPED);
        let date = Zoned::now().strftime("%Y-%m-%dT%H:%M:%S");
        write!(file, "[Trash Info]\nPath={path}\nDeletionDate={date}\n")
            .inspect_err(|_| drop(self.records.remove_file(record)))
    }
}

/// The mount point of a folder's volume.
fn find_volume(folder: &Path) -> io::Result<&Path> {
    let device = |folder: &Path| std::fs::metadata(folder).map(|metadata| metadata.dev());
    let here = device(folder)?;
    let same =
        folder.ancestors().take_while(|above| device(above).is_ok_and(|number| number == here));
    same.last().ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Opens a folder, which is created if needed and must not be a link.
fn open_private_folder(within: &Dir, name: &str) -> io::Result<Dir> {
    match within.open_dir_nofollow(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    let mut builder = DirBuilder::new();
    builder.mode(PRIVATE);
    match within.create_dir_with(name, &builder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => within.open_dir_nofollow(name),
    }
}
