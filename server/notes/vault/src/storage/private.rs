//! Files of the user's own, outside of every vault. Only the user can read the files and enter the
//! folders.

use std::io::{self, Write};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};

use super::atomic::{create_temporary, rename_no_replace, sync_folder};
use super::root::{ReadOutcome, open_file, read_limited};

/// An open folder of the user's own.
pub(crate) struct PrivateFolder(Dir);

impl PrivateFolder {
    /// Opens a folder; `None` if it does not exist.
    pub(crate) fn open(path: &Path) -> io::Result<Option<Self>> {
        use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
        match Dir::open_ambient_dir(path, ambient_authority()) {
            Ok(dir) => Ok(Some(Self(dir))),
            Err(error) if matches!(error.kind(), NotFound | NotADirectory | PermissionDenied) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Opens a folder, and creates it and its parents if they are missing. Others lose their rights
    /// to it.
    ///
    /// # Errors
    /// `InvalidData` if it is another user's.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let missing: Vec<&Path> = path.ancestors().take_while(|folder| !folder.exists()).collect();
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(path)?;
        // Sync the parent too, so that a new folder survives a power cut with its content.
        for parent in missing.into_iter().filter_map(Path::parent) {
            sync_folder(&Dir::open_ambient_dir(parent, ambient_authority())?)?;
        }
        let folder = Dir::open_ambient_dir(path, ambient_authority())?;
        keep_private(&folder, ".", &folder.dir_metadata()?, 0o700)?;
        Ok(Self(folder))
    }

    /// Reads a regular file of at most `limit` bytes; `None` if it does not exist.
    ///
    /// # Errors
    /// `InvalidData` if it is not such a file, or another user's.
    pub(crate) fn read(&self, name: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let unfit = |reason| io::Error::new(io::ErrorKind::InvalidData, reason);
        match self.0.symlink_metadata(name) {
            Ok(found) if found.is_file() => keep_private(&self.0, name, &found, 0o600)?,
            Ok(_) => return Err(unfit("it is not a regular file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        }
        match read_limited(&self.0, name, limit)? {
            ReadOutcome::Whole(bytes) => Ok(Some(bytes)),
            ReadOutcome::TooLarge => Err(unfit("it is too large")),
        }
    }

    /// The names of everything in the folder that are UTF-8.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        let entries = self.0.entries()?.map(|entry| Ok(entry?.file_name().into_string().ok()));
        let names: io::Result<Vec<Option<String>>> = entries.collect();
        Ok(names?.into_iter().flatten().collect())
    }

    /// Whether anything with this name exists.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.symlink_metadata(name).is_ok()
    }

    /// The size of a file; zero if it does not exist.
    pub(crate) fn size(&self, name: &str) -> u64 {
        self.0.symlink_metadata(name).map_or(0, |found| found.len())
    }

    /// Opens a regular file, and returns its size.
    pub(crate) fn open_file(&self, name: &str) -> io::Result<(File, u64)> {
        open_file(&self.0, name).map(|(file, metadata)| (file, metadata.len()))
    }

    /// Replaces or creates a file, in one step that survives a power cut.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.replace(name, |file| write(file, bytes))?;
        sync_folder(&self.0)
    }

    /// Replaces or creates a file, in one step.
    pub(crate) fn replace(
        &self,
        name: &str,
        write: impl FnOnce(File) -> io::Result<()>,
    ) -> io::Result<()> {
        let (staged, file) = self.stage()?;
        let put = write(file).and_then(|()| self.0.rename(&staged, &self.0, name));
        put.inspect_err(|_| drop(self.0.remove_file(&staged)))
    }

    /// Creates a file that must not exist.
    ///
    /// # Errors
    /// `AlreadyExists`.
    pub(crate) fn write_new(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let (staged, file) = self.stage()?;
        let put = write(file, bytes);
        let put = put.and_then(|()| rename_no_replace(&self.0, &staged, &self.0, name));
        put.inspect_err(|_| drop(self.0.remove_file(&staged)))?;
        sync_folder(&self.0)
    }

    /// Renames a file, and replaces the file with the new name.
    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.0.rename(from, &self.0, to)?;
        sync_folder(&self.0)
    }

    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        self.0.remove_file(name)?;
        sync_folder(&self.0)
    }

    fn stage(&self) -> io::Result<(String, File)> {
        create_temporary(&self.0, private_options())
    }
}

/// Takes the rights of others to a file or folder away.
///
/// # Errors
/// `InvalidData` if it is another user's, who could give the rights back.
#[cfg(unix)]
fn keep_private(folder: &Dir, name: &str, found: &Metadata, mode: u32) -> io::Result<()> {
    use cap_std::fs::{MetadataExt, Permissions, PermissionsExt};
    if found.uid() != rustix::process::geteuid().as_raw() {
        let reason = "it belongs to another user, who could read and change what is in it";
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    let others = found.mode() & 0o077;
    if others == 0 {
        return Ok(());
    }
    folder.set_permissions(name, Permissions::from_mode(mode))
}

/// Elsewhere rights are inherited from the user's folder.
#[cfg(not(unix))]
fn keep_private(_: &Dir, _: &str, _: &Metadata, _: u32) -> io::Result<()> {
    Ok(())
}

fn write(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

/// Options for creating a file that only the user can read.
fn private_options() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
