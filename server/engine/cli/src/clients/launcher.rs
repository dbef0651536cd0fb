//! The command that starts this program, and still does after an upgrade of it.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::program::program_name;

/// Returns the words with which a client starts this program, of this version. Absolute paths, because programs of a desktop have
/// another `PATH` than shells.
pub(crate) fn words(version: &str) -> Vec<String> {
    let executable = env::current_exe().and_then(|path| path.canonicalize());
    let executable = executable.unwrap_or_else(|_| PathBuf::from(program_name()));
    let package = format!("{}@{version}", program_name());
    let has = |name: &str| executable.components().any(|part| part.as_os_str() == name);
    if has("_npx") {
        let shell: &[&str] = if cfg!(windows) { &["cmd", "/c"] } else { &[] };
        let words = shell.iter().chain(&["npx", "-y"]).map(|word| (*word).to_owned());
        return words.chain([package]).collect();
    }
    // The cache of uv.
    if has("archive-v0")
        && let Some(wheel) = wheel(&executable, version)
    {
        let from = format!("{wheel}=={version}");
        return ["uvx", "--from", &from, program_name()].map(str::to_owned).to_vec();
    }
    let lasting = in_path(&executable).or_else(|| homebrew(&executable)).unwrap_or(executable);
    vec![lasting.to_string_lossy().into_owned()]
}

/// The program of this name in `PATH`, or the one at this path.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let name = Path::new(name);
    if name.components().count() > 1 {
        return name.is_file().then(|| name.to_owned());
    }
    // npm installs launchers with the extension `cmd` on Windows.
    let extensions: &[&str] = if cfg!(windows) { &["exe", "cmd"] } else { &[""] };
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).flat_map(|folder| {
        extensions.iter().map(move |extension| folder.join(name).with_added_extension(extension))
    });
    found.into_iter().find(|file| file.is_file())
}

/// The entry of `PATH` that is this program, or the launcher of its package: a link there outlives what it leads to.
fn in_path(executable: &Path) -> Option<PathBuf> {
    let name = Path::new(program_name()).with_added_extension(env::consts::EXE_EXTENSION);
    let launcher = Path::new(program_name()).with_added_extension("cmd");
    let package = node_package(executable);
    let is_own = |entry: &PathBuf| {
        let target = entry.canonicalize().ok();
        target.is_some_and(|target| {
            target == executable || (package.is_some() && node_package(&target) == package)
        })
    };
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> =
        env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    let names = if cfg!(windows) { vec![name, launcher] } else { vec![name] };
    folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name))).find(is_own)
}

/// The name of the Python package that has brought a program, which may be another than that of the program: the environment
/// of the program says what is installed there.
fn wheel(executable: &Path, version: &str) -> Option<String> {
    let environment = executable.parent()?.parent()?;
    let libraries = ["lib", "Lib"].map(|name| environment.join(name));
    let pythons = libraries.iter().flat_map(|folder| folders(folder));
    let sites = libraries.iter().cloned().chain(pythons).map(|folder| folder.join("site-packages"));
    let installed = sites.flat_map(|site| folders(&site)).filter_map(|folder| {
        let name = folder.file_name()?.to_str()?.strip_suffix(".dist-info")?;
        Some(name.strip_suffix(version)?.strip_suffix('-')?.replace('_', "-"))
    });
    // Where names differ by more than capitals, one of the two folders does not exist.
    let installed: BTreeSet<String> = installed.collect();
    if installed.len() == 1 { installed.into_iter().next() } else { None }
}

/// What is in a folder; nothing if it cannot be read.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

/// The first folder `node_modules` above a path.
fn node_package(path: &Path) -> Option<PathBuf> {
    let above: Vec<&Path> = path.ancestors().collect();
    let is_modules = |folder: &&&Path| folder.file_name() == Some(OsStr::new("node_modules"));
    above.iter().rev().find(is_modules).map(|folder| folder.to_path_buf())
}

/// The link that Homebrew moves to each new version: `PREFIX/opt/NAME`, for a program in `PREFIX/Cellar/NAME/VERSION`.
fn homebrew(executable: &Path) -> Option<PathBuf> {
    let cellar =
        executable.ancestors().find(|folder| folder.file_name() == Some(OsStr::new("Cellar")))?;
    let mut inside = executable.strip_prefix(cellar).ok()?.components();
    let (name, _version) = (inside.next()?, inside.next()?);
    let link = cellar.parent()?.join("opt").join(name).join(inside.as_path());
    link.exists().then_some(link)
}
