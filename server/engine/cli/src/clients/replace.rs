//! Replaces a client's file as a whole, so that a program that is killed leaves the old bytes or the new ones.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::Builder;

use toolwrit_core::folders;

/// A file as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The file to which links lead.
    pub(crate) path: PathBuf,
    /// `None` if there is no file.
    pub(crate) bytes: Option<Vec<u8>>,
}

impl Seen {
    /// Reads a file, or sees that there is none.
    ///
    /// # Errors
    /// Why it cannot be read, or should not be written.
    pub(crate) fn read(path: &Path) -> io::Result<Self> {
        let path = match path.canonicalize() {
            Ok(path) => path,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {
                return Ok(Self { path: path.to_owned(), bytes: None });
            }
            Err(error) => return Err(error),
        };
        let bytes = Some(fs::read(&path)?);
        Ok(Self { path, bytes })
    }

    /// Whether the file may not be written: its owner said so.
    pub(crate) fn is_read_only(&self) -> bool {
        fs::metadata(&self.path).is_ok_and(|file| file.permissions().readonly())
    }

    /// Writes a file in place of this one. `None` removes it.
    ///
    /// # Errors
    /// If it has changed since it was read, or cannot be written. The old file stays then.
    pub(crate) fn replace(&self, bytes: Option<&[u8]>) -> io::Result<()> {
        let Some(bytes) = bytes else {
            self.check()?;
            return match fs::remove_file(&self.path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                removed => removed,
            };
        };
        write(&self.path, bytes, || self.check())
    }

    fn check(&self) -> io::Result<()> {
        if Self::read(&self.path)? == *self {
            return Ok(());
        }
        Err(io::Error::other("another program has changed it meanwhile; try again"))
    }
}

/// Writes a file that only its user may read, unless it exists with other permissions. `check` is asked last.
pub(super) fn write(
    path: &Path,
    bytes: &[u8],
    check: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new("."));
    folders::make_private(folder)?;
    let mut draft = Builder::new().prefix(".toolwrit-").tempfile_in(folder)?;
    draft.write_all(bytes)?;
    if let Ok(old) = fs::metadata(path) {
        draft.as_file().set_permissions(old.permissions())?;
        keep_owner(draft.as_file(), &old)?;
    }
    draft.as_file().sync_all()?;
    check()?;
    persist(draft, path)?;
    sync(folder)
}

/// Renames the draft. On Windows another program may have the file open for a moment.
fn persist(mut draft: tempfile::NamedTempFile, path: &Path) -> io::Result<()> {
    let attempts = if cfg!(windows) { 10 } else { 1 };
    for _ in 1..attempts {
        match draft.persist(path) {
            Ok(_) => return Ok(()),
            Err(failed) => draft = failed.file,
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    draft.persist(path).map(drop).map_err(|failed| failed.error)
}

#[cfg(unix)]
fn keep_owner(draft: &File, old: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};

    let new = draft.metadata()?;
    if (new.uid(), new.gid()) == (old.uid(), old.gid()) {
        return Ok(());
    }
    fchown(draft, Some(old.uid()), Some(old.gid()))
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// Makes a rename in a folder last.
#[cfg(unix)]
fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync(_: &Path) -> io::Result<()> {
    Ok(())
}
