//! The programs under test, built on first use with the profile of the tests.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The shipped server.
pub fn toolwrit() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| build("toolwrit"))
}

/// The laboratory, which cargo builds before the tests of its own package.
pub fn lab() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| binary("lab"))
}

/// Cargo sets no path for another package's programs, so they are built here, with the options of `cargo
/// test --workspace`, which has then already built them.
fn build(name: &str) -> PathBuf {
    let mut command = cargo();
    command.args(["test", "--workspace", "--no-run", "--quiet"]);
    if !cfg!(debug_assertions) {
        command.arg("--release");
    }
    let status = command.current_dir(workspace()).status().expect("cargo runs");
    assert!(status.success(), "the workspace does not build");
    binary(name)
}

/// Cargo, without what it tells this package. Build scripts of others run again when these variables change.
fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        let is_of_package = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_EXE_"]
            .iter()
            .any(|own| name.to_string_lossy().starts_with(own));
        if is_of_package {
            command.env_remove(name);
        }
    }
    command
}

/// A program of the shipped server's package with default features, in any profile of the caller.
pub fn released(name: &str) -> PathBuf {
    let mut command = cargo();
    command.args(["build", "--release", "--quiet", "--package", "toolwrit-server"]);
    let status = command.current_dir(workspace()).status().expect("cargo runs");
    assert!(status.success(), "the server does not build");
    let path =
        target().with_file_name("release").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(path.is_file(), "{} is missing", path.display());
    path
}

fn binary(name: &str) -> PathBuf {
    let path = target().join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(path.is_file(), "{} is missing", path.display());
    path
}

/// The folder of the workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").to_owned()
}

/// The folder of cargo's programs: tests run from `<target>/<profile>/deps`.
fn target() -> PathBuf {
    let here = std::env::current_exe().expect("this program has a path");
    let profile = here.parent().and_then(Path::parent).expect("<target>/<profile>/deps");
    profile.to_owned()
}
