//! Where programs keep a user's files, after the [XDG base directory specification] and its
//! counterparts.
//!
//! [XDG base directory specification]: https://specifications.freedesktop.org/basedir-spec/latest/

use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};

/// The folder for a user's data; none when the user has no home.
pub fn data() -> Option<PathBuf> {
    if cfg!(windows) {
        named("LOCALAPPDATA").or_else(|| Some(home()?.join("AppData/Local")))
    } else if cfg!(target_os = "macos") {
        Some(home()?.join("Library/Application Support"))
    } else {
        named("XDG_DATA_HOME").or_else(|| Some(home()?.join(".local/share")))
    }
}

/// The folder for what can be made anew; none when the user has no home.
pub fn cache() -> Option<PathBuf> {
    if cfg!(windows) {
        named("LOCALAPPDATA").or_else(|| Some(home()?.join("AppData/Local")))
    } else if cfg!(target_os = "macos") {
        Some(home()?.join("Library/Caches"))
    } else {
        named("XDG_CACHE_HOME").or_else(|| Some(home()?.join(".cache")))
    }
}

/// The folder for a user's configuration; none when the user has no home.
pub fn configuration() -> Option<PathBuf> {
    if cfg!(windows) {
        named("APPDATA").or_else(|| Some(home()?.join("AppData/Roaming")))
    } else if cfg!(target_os = "macos") {
        Some(home()?.join("Library/Application Support"))
    } else {
        named("XDG_CONFIG_HOME").or_else(|| Some(home()?.join(".config")))
    }
}

/// Makes a folder and those above it, unless they are there: what is kept in it is the user's own.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The user's home.
pub(crate) fn home() -> Option<PathBuf> {
    named("HOME").or_else(|| named("USERPROFILE"))
}

/// The specification has relative paths ignored.
fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}
