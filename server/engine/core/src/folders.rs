//! The folders for a user's files: those of the [XDG base directory specification], or of Windows and macOS.
//!
//! [XDG base directory specification]: https://specifications.freedesktop.org/basedir-spec/latest/

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Returns the folder for a user's data; `None` if the user has no home folder.
pub fn data() -> Option<PathBuf> {
    folder(
        ("LOCALAPPDATA", "AppData/Local"),
        "Library/Application Support",
        ("XDG_DATA_HOME", ".local/share"),
    )
}

/// Returns the folder for files that can be rebuilt; `None` if the user has no home folder.
pub fn cache() -> Option<PathBuf> {
    folder(("LOCALAPPDATA", "AppData/Local"), "Library/Caches", ("XDG_CACHE_HOME", ".cache"))
}

/// Returns the folder for a user's configuration; `None` if the user has no home folder.
pub fn configuration() -> Option<PathBuf> {
    folder(
        ("APPDATA", "AppData/Roaming"),
        "Library/Application Support",
        ("XDG_CONFIG_HOME", ".config"),
    )
}

/// Returns the folder of this system: from the environment variable, or else in the user's home folder.
fn folder(windows: (&str, &str), macos: &str, elsewhere: (&str, &str)) -> Option<PathBuf> {
    let in_home = |path| home().map(|home| home.join(path));
    let either = |(variable, path)| path_in_variable(variable).or_else(|| in_home(path));
    if cfg!(windows) {
        either(windows)
    } else if cfg!(target_os = "macos") {
        in_home(macos)
    } else {
        either(elsewhere)
    }
}

/// Creates a folder that only the user may read, and its parents, unless they exist.
pub fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Creates a file that only the user may read, unless it exists.
pub fn make_private_file(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)
}

/// Removes other users' permissions from a folder and its files. Earlier versions created them with the
/// default permissions of the process.
#[cfg(unix)]
pub fn tighten(folder: &Path) -> io::Result<()> {
    use std::fs::{Permissions, metadata, read_dir, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    let restrict = |path: &Path, mode: u32| match metadata(path) {
        Ok(found) if found.permissions().mode() & 0o077 != 0 => {
            set_permissions(path, Permissions::from_mode(mode))
        }
        Ok(_) => Ok(()),
        // SQLite deletes the files beside a database at any time.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    };
    restrict(folder, 0o700)?;
    for entry in read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            restrict(&entry.path(), 0o600)?;
        }
    }
    Ok(())
}

/// Does nothing: on other systems a user's folders are private by default.
#[cfg(not(unix))]
pub fn tighten(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns the user's home folder; `None` without an absolute path.
pub fn home() -> Option<PathBuf> {
    path_in_variable("HOME").or_else(|| path_in_variable("USERPROFILE"))
}

/// Returns a path that begins with `~` in the user's home folder, as shells do, and any other as it is.
pub fn expanded(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), home()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

/// Returns the path in a variable. Ignores relative paths, as the specification says.
fn path_in_variable(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}
