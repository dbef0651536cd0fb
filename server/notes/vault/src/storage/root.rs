//! The capability handle on the vault's root, and the way from it to a named file.
//!
//! Each step opens one folder by one name without following symbolic links. The file is then used
//! through its folder's handle. Another program that exchanges folders meanwhile cannot lead an
//! operation out of the vault.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, FileType, Metadata, OpenOptions};
use jiff::Timestamp;

use super::atomic::FileVersion;
use super::attributes::keep_extended;
use super::file_system::FileSystem;
use crate::error::{Result, VaultError};
use crate::note::NOTE_LIMIT;
use crate::path::{Folder, PathError, PathFault, VaultPath, fold, normal_form};

/// The vault's root folder.
pub(crate) struct VaultRoot {
    pub(crate) dir: Dir,
    /// Where the root was when opened, for the watcher and the system's trash, which need paths.
    pub(crate) location: PathBuf,
    pub(crate) file_system: FileSystem,
}

/// An entry in an open folder: the name of an existing or future file.
pub(crate) struct FileEntry {
    pub(crate) folder: Dir,
    pub(crate) path: VaultPath,
}

/// A file's bytes, and its metadata when they were read.
pub(crate) struct StoredFile {
    pub(crate) bytes: Vec<u8>,
    pub(crate) metadata: Metadata,
}

impl VaultRoot {
    /// Opens the root. Detects the file system's properties unless they are given.
    pub(crate) fn open(location: &Path, file_system: Option<FileSystem>) -> Result<Self> {
        let unopenable = |error: io::Error| VaultError::Unopenable { reason: error.to_string() };
        let location = location.canonicalize().map_err(unopenable)?;
        let dir = Dir::open_ambient_dir(&location, ambient_authority()).map_err(unopenable)?;
        let file_system = file_system.unwrap_or_else(|| FileSystem::detect(&dir, &location));
        Ok(Self { dir, location, file_system })
    }

    /// Finds an existing file: the exact name first, then the name with `.md`.
    pub(crate) fn find(&self, path: &VaultPath) -> Result<Option<FileEntry>> {
        let exact = self.find_exact(path);
        if path.is_note() || matches!(exact, Ok(Some(_))) {
            return exact;
        }
        let note = match path.with_extension("md") {
            Ok(note) => self.find_exact(&note)?,
            // The name is too long for `.md` to be added.
            Err(_) => None,
        };
        note.map_or(exact, |entry| Ok(Some(entry)))
    }

    /// Finds an existing file by its exact name.
    pub(crate) fn find_exact(&self, path: &VaultPath) -> Result<Option<FileEntry>> {
        let Some((folder, within)) = self.find_folder(&path.folder(), path.as_str())? else {
            return Ok(None);
        };
        let found = self.find_name(&folder, path.name()).map_err(|e| read_error(path, e))?;
        let Some((name, kind)) = found else { return Ok(None) };
        if kind.is_file() {
            return Ok(Some(FileEntry { folder, path: within.child(&name)? }));
        }
        let fault = if kind.is_symlink() {
            PathFault::SymbolicLink(name)
        } else if kind.is_dir() {
            PathFault::IsFolder(name)
        } else {
            PathFault::NotAFile(name)
        };
        Err(PathError::new(path.as_str(), fault).into())
    }

    /// The entry for a file that does not exist yet. Missing folders are created.
    pub(crate) fn entry_for_new(&self, path: &VaultPath) -> Result<FileEntry> {
        let mut folder = self.dir.try_clone().map_err(|e| write_error(path, e))?;
        let mut within = Folder::ROOT;
        for segment in path.folder().segments() {
            let (next, name) = match self.open_child(&folder, segment, path.as_str())? {
                Some(found) => found,
                None => self.create_folder(&folder, segment, path.as_str())?,
            };
            folder = next;
            within = within.child(&name)?.into();
        }
        Ok(FileEntry { folder, path: within.child(path.name())? })
    }

    /// The path for a file that does not exist yet. Existing folders in it get their own names.
    pub(crate) fn path_for_new(&self, path: &VaultPath) -> Result<VaultPath> {
        let mut folder = Some(self.dir.try_clone().map_err(|e| read_error(path, e))?);
        let mut within = Folder::ROOT;
        for segment in path.folder().segments() {
            let found = match &folder {
                Some(folder) => self.open_child(folder, segment, path.as_str())?,
                None => None,
            };
            let (next, name) = found.unzip();
            within = within.child(name.as_deref().unwrap_or(segment))?.into();
            folder = next;
        }
        Ok(within.child(path.name())?)
    }

    /// Refuses a path for a new file if it has a name that no new file may have. Folders that exist
    /// may have such names. A file that `keeps_name` may have one that only some systems do not allow.
    ///
    /// Refuses the path of a file that is only in iCloud, too.
    pub(crate) fn check_new_names(&self, path: &VaultPath, keeps_name: bool) -> Result<()> {
        if let Some(path) = self.find_undownloaded(path) {
            return Err(VaultError::NotDownloaded { path });
        }
        if path.check_new().is_ok() {
            return Ok(());
        }
        let mut within = Folder::ROOT;
        for segment in path.folder().segments() {
            within = within.child(segment)?.into();
            let allowed = VaultPath::from_disk(segment)?.check_new();
            if allowed.is_err() && self.find_folder(&within, path.as_str())?.is_none() {
                return Ok(allowed?);
            }
        }
        let name = VaultPath::from_disk(path.name())?;
        Ok(if keeps_name { name.check_visible() } else { name.check_new() }?)
    }

    /// Whether a path is spelled exactly like the names on disk.
    pub(crate) fn is_spelled(&self, path: &VaultPath) -> bool {
        !self.file_system.ignores_case
            || self.find_folder(&path.folder(), path.as_str()).is_ok_and(|found| {
                found.is_some_and(|(dir, folder)| {
                    let name = self.find_name(&dir, path.name());
                    let name = name.ok().flatten().map(|(name, _)| name);
                    folder == path.folder() && name.as_deref() == Some(path.name())
                })
            })
    }

    /// Opens an existing folder, and returns it with its own name.
    pub(crate) fn open_folder(&self, folder: &Folder) -> Result<(Dir, Folder)> {
        if let Some(found) = self.find_folder(folder, folder.as_str())? {
            return Ok(found);
        }
        folder.check_new()?;
        Err(VaultError::NotFound { path: folder.to_string(), similar: Vec::new() })
    }

    /// Opens a folder, on behalf of `path` in errors.
    fn find_folder(&self, folder: &Folder, path: &str) -> Result<Option<(Dir, Folder)>> {
        if *folder != Folder::ROOT
            && !self.file_system.ignores_case
            && let Some(dir) = open_below(&self.dir, folder)
        {
            return Ok(Some((dir, folder.clone())));
        }
        let mut dir = None;
        let mut within = Folder::ROOT;
        for segment in folder.segments() {
            let outer = dir.as_ref().unwrap_or(&self.dir);
            let Some((next, name)) = self.open_child(outer, segment, path)? else {
                return Ok(None);
            };
            dir = Some(next);
            within = within.child(&name)?.into();
        }
        let dir = dir.map_or_else(|| self.dir.try_clone(), Ok);
        Ok(Some((dir.map_err(|e| VaultError::read_error("open", path, e))?, within)))
    }

    /// Opens a folder by its name in another. `None` if the name does not exist.
    fn open_child(&self, dir: &Dir, segment: &str, path: &str) -> Result<Option<(Dir, String)>> {
        if !self.file_system.ignores_case
            && let Ok(next) = dir.open_dir_nofollow(segment)
        {
            return Ok(Some((next, segment.to_owned())));
        }
        let found =
            self.find_name(dir, segment).map_err(|e| VaultError::read_error("open", path, e))?;
        let Some((name, kind)) = found else { return Ok(None) };
        let fault = if kind.is_symlink() {
            PathFault::SymbolicLink(name)
        } else if kind.is_dir() {
            let next = dir
                .open_dir_nofollow(&name)
                .map_err(|e| VaultError::read_error("open", path, e))?;
            return Ok(Some((next, name)));
        } else {
            PathFault::NotAFolder(name)
        };
        Err(PathError::new(path, fault).into())
    }

    fn create_folder(&self, dir: &Dir, segment: &str, path: &str) -> Result<(Dir, String)> {
        match dir.create_dir(segment) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(VaultError::change_error("create a folder for", path, error));
            }
            _ => {}
        }
        let missing = || {
            VaultError::change_error("create a folder for", path, io::ErrorKind::NotFound.into())
        };
        self.open_child(dir, segment, path)?.ok_or_else(missing)
    }

    /// Finds a name as given, then by its normal form, and returns it as it is on disk.
    fn find_name(&self, dir: &Dir, name: &str) -> io::Result<Option<(String, FileType)>> {
        if self.file_system.ignores_case {
            // The file system may have found it in another case.
            return find_entry(dir, name, |other| fold(other) == fold(name));
        }
        match dir.symlink_metadata(name) {
            Ok(metadata) => Ok(Some((name.to_owned(), metadata.file_type()))),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            // An ASCII name has only one form.
            Err(_) if name.is_ascii() => Ok(None),
            Err(_) => find_entry(dir, name, |other| {
                !other.is_ascii() && normal_form(other) == normal_form(name)
            }),
        }
    }
}

/// The entry with this name, otherwise the first with a name like it.
fn find_entry(
    dir: &Dir,
    name: &str,
    is_like: impl Fn(&str) -> bool,
) -> io::Result<Option<(String, FileType)>> {
    let mut found: Option<(String, FileType)> = None;
    for entry in dir.entries()? {
        let entry = entry?;
        let Ok(other) = entry.file_name().into_string() else { continue };
        if other == name {
            return Ok(Some((other, entry.file_type()?)));
        }
        if is_like(&other) && found.as_ref().is_none_or(|(first, _)| other < *first) {
            found = Some((other, entry.file_type()?));
        }
    }
    Ok(found)
}

impl FileEntry {
    /// Opens the file for reading. Refuses links, folders, pipes and devices.
    pub(crate) fn open(&self) -> Result<(File, Metadata)> {
        open_file(&self.folder, self.path.name()).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => VaultError::read_error("read", self.path.as_str(), error),
            _ => self.path_or_io_error(error),
        })
    }

    /// Copies the extended attributes of the existing file to its replacement.
    pub(crate) fn copy_extended_to(&self, file: &File) {
        // A file that cannot be read is never replaced, so opening it does not fail for lack of
        // rights.
        if let Ok((old, _)) = self.open() {
            keep_extended(file, &old);
        }
    }

    /// The version of the file; `None` if there is no file.
    pub(crate) fn version(&self) -> Result<Option<FileVersion>> {
        match FileVersion::read(&self.folder, self.path.name()) {
            Ok(version) => Ok(Some(version)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(read_error(&self.path, error)),
        }
    }

    /// The size of the file; zero if it cannot be determined.
    pub(crate) fn size(&self) -> u64 {
        let metadata = self.folder.symlink_metadata(self.path.name());
        metadata.map_or(0, |metadata| metadata.len())
    }

    /// Reports a link or folder in the place of the file as an error of the path, not of the
    /// system.
    fn path_or_io_error(&self, error: io::Error) -> VaultError {
        let name = self.path.name().to_owned();
        let fault = match self.folder.symlink_metadata(&name) {
            Ok(metadata) if metadata.is_symlink() => PathFault::SymbolicLink(name),
            Ok(metadata) if metadata.is_dir() => PathFault::IsFolder(name),
            Ok(metadata) if !metadata.is_file() => PathFault::NotAFile(name),
            _ => return VaultError::read_error("read", self.path.as_str(), error),
        };
        PathError::new(self.path.as_str(), fault).into()
    }

    /// Reads a file of any kind; `None` if it has more than `limit` bytes or cannot be read.
    pub(crate) fn read_small(&self, limit: u64) -> Option<Vec<u8>> {
        match read_limited(&self.folder, self.path.name(), limit) {
            Ok(ReadOutcome::Whole(bytes)) => Some(bytes),
            Ok(ReadOutcome::TooLarge) | Err(_) => None,
        }
    }

    /// Reads the whole file, up to [`NOTE_LIMIT`].
    pub(crate) fn read(&self) -> Result<StoredFile> {
        self.read_within(NOTE_LIMIT)
    }

    /// Reads the whole file, up to a limit.
    pub(crate) fn read_within(&self, limit: u64) -> Result<StoredFile> {
        let (mut file, metadata) = self.open()?;
        let too_large = |size| VaultError::TooLarge { path: self.path.clone(), size, limit };
        if metadata.len() > limit {
            return Err(too_large(metadata.len()));
        }
        let bytes = read_up_to(&mut file, limit, metadata.len())
            .map_err(|e| read_error(&self.path, e))?
            .ok_or_else(|| too_large(metadata.len()))?;
        let now = file.metadata().map_err(|e| read_error(&self.path, e))?;
        if FileVersion::from_metadata(&now) != FileVersion::from_metadata(&metadata) {
            return Err(VaultError::ChangedMeanwhile { path: self.path.clone() });
        }
        Ok(StoredFile { bytes, metadata })
    }
}

/// Opens a regular file by its name in a folder. Does not follow links or block on pipes.
pub(crate) fn open_file(folder: &Dir, name: &str) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = folder.open_with(name, &options)?;
    let metadata = file.metadata()?;
    if metadata.is_file() {
        Ok((file, metadata))
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
    }
}

/// Reads a file to its end; `None` if it exceeds `limit`.
pub(crate) fn read_up_to(
    file: &mut File,
    limit: u64,
    expected: u64,
) -> io::Result<Option<Vec<u8>>> {
    let expected = usize::try_from(expected).unwrap_or(0);
    let mut bytes = vec![0; expected.saturating_add(1)];
    let read = match file.read(&mut bytes) {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
        read => read?,
    };
    bytes.truncate(read);
    // If the file returned all expected bytes and no further one, it is at its end.
    if read != expected {
        file.take((limit + 1).saturating_sub(read as u64)).read_to_end(&mut bytes)?;
    }
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// The result of reading a file up to a limit.
pub(crate) enum ReadOutcome {
    Whole(Vec<u8>),
    TooLarge,
}

/// Reads a regular file by its name in a folder, at most `limit` bytes. Does not follow links or
/// block on pipes.
pub(crate) fn read_limited(folder: &Dir, name: &str, limit: u64) -> io::Result<ReadOutcome> {
    let (mut file, metadata) = open_file(folder, name)?;
    if metadata.len() > limit {
        return Ok(ReadOutcome::TooLarge);
    }
    let bytes = read_up_to(&mut file, limit, metadata.len())?;
    Ok(bytes.map_or(ReadOutcome::TooLarge, ReadOutcome::Whole))
}

/// Opens a nested folder in one step, where the system can refuse links meanwhile. On `None` the
/// caller goes name by name, which opens it or finds the error.
fn open_below(dir: &Dir, folder: &Folder) -> Option<Dir> {
    #[cfg(all(any(target_os = "linux", target_os = "android"), not(toolwrit_portable)))]
    {
        use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let resolve =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let opened = openat2(dir, folder.as_str(), flags, Mode::empty(), resolve);
        opened.ok().map(|folder| Dir::from_std_file(folder.into()))
    }
    #[cfg(not(all(any(target_os = "linux", target_os = "android"), not(toolwrit_portable))))]
    {
        let _ = (dir, folder);
        None
    }
}

/// When a file last changed, if the file system knows.
pub(crate) fn modified_time(metadata: &Metadata) -> Option<Timestamp> {
    Timestamp::try_from(metadata.modified().ok()?.into_std()).ok()
}

/// When a file was created, if the file system knows; otherwise when it last changed.
pub(crate) fn created_time(metadata: &Metadata) -> Option<Timestamp> {
    let created = metadata.created().ok().map(cap_std::time::SystemTime::into_std);
    created
        .and_then(|created| Timestamp::try_from(created).ok())
        .or_else(|| modified_time(metadata))
}

pub(crate) fn read_error(path: &VaultPath, error: io::Error) -> VaultError {
    VaultError::read_error("read", path.as_str(), error)
}

pub(crate) fn write_error(path: &VaultPath, error: io::Error) -> VaultError {
    VaultError::change_error("write", path.as_str(), error)
}
