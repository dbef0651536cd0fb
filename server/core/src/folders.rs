//! Where programs keep a user's files, after the [XDG base directory specification] and its
//! counterparts.
//!
//! [XDG base directory specification]: https://specifications.freedesktop.org/basedir-spec/latest/

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The folder for a user's data; none when the user has no home.
pub fn data() -> Option<PathBuf> {
    folder(
        ("LOCALAPPDATA", "AppData/Local"),
        "Library/Application Support",
        ("XDG_DATA_HOME", ".local/share"),
    )
}

/// The folder for what can be made anew; none when the user has no home.
pub fn cache() -> Option<PathBuf> {
    folder(("LOCALAPPDATA", "AppData/Local"), "Library/Caches", ("XDG_CACHE_HOME", ".cache"))
}

/// The folder for a user's configuration; none when the user has no home.
pub fn configuration() -> Option<PathBuf> {
    folder(
        ("APPDATA", "AppData/Roaming"),
        "Library/Application Support",
        ("XDG_CONFIG_HOME", ".config"),
    )
}

/// The folder of this system: the variable that names it, and else a path in the user's home.
fn folder(windows: (&str, &str), macos: &str, elsewhere: (&str, &str)) -> Option<PathBuf> {
    let in_home = |path| home().map(|home| home.join(path));
    let either = |(variable, path)| named(variable).or_else(|| in_home(path));
    if cfg!(windows) {
        either(windows)
    } else if cfg!(target_os = "macos") {
        in_home(macos)
    } else {
        either(elsewhere)
    }
}

/// Makes a folder and those above it, unless they are there: what is kept in it is the user's own.
pub fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Makes a file that only the user may read, unless it exists.
pub fn make_private_file(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)
}

/// Takes a folder of the user's own, and the files in it, from everybody else. Earlier versions left them
/// to the rights of the process.
#[cfg(unix)]
pub fn tighten(folder: &Path) -> io::Result<()> {
    use std::fs::{Permissions, metadata, read_dir, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    let restrict = |path: &Path, mode: u32| match metadata(path) {
        Ok(found) if found.permissions().mode() & 0o077 != 0 => {
            set_permissions(path, Permissions::from_mode(mode))
        }
        Ok(_) => Ok(()),
        // Files beside a database come and go.
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

/// Elsewhere a folder of the user's own has the rights that it needs.
#[cfg(not(unix))]
pub fn tighten(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The user's home.
pub fn home() -> Option<PathBuf> {
    named("HOME").or_else(|| named("USERPROFILE"))
}

/// The specification has relative paths ignored.
fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}
