//! The programs under test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The shipped server. Cargo does not build another package's programs for a test, so one that is not up to date fails
/// the test.
pub fn toolwrit() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let path = path("toolwrit");
        if let Some(why) = outdated(&path) {
            let profile = if cfg!(debug_assertions) { "" } else { " --release" };
            panic!(
                "{} {why}. To build it: cargo build{profile} -p toolwrit-server, or with all tests: cargo \
                 test{profile} --workspace",
                path.display()
            );
        }
        path
    })
}

/// The laboratory, which cargo builds before the tests of its own package.
pub fn lab() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| existing(path("lab")))
}

/// The ledger, which cargo builds before the tests of its own package.
pub fn ledger() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| existing(path("ledger")))
}

/// A program of the shipped server's package with default features, in any profile of the caller.
pub fn released(name: &str) -> PathBuf {
    let mut command = cargo();
    command.args(["build", "--release", "--quiet", "--package", "toolwrit-server"]);
    let status = command.current_dir(workspace()).status().expect("cargo runs");
    assert!(status.success(), "the server does not build");
    let folder = target().with_file_name("release");
    existing(folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
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

/// Why a program must be built first: it is missing, or older than one of its sources, by which cargo decides, too. Only
/// `cargo build` writes the list of them, and `cargo test` leaves it as it is, so it may lack, or name files that are gone.
fn outdated(program: &Path) -> Option<String> {
    let changed = |path: &Path| fs::metadata(path).and_then(|file| file.modified());
    let Ok(built) = changed(program) else { return Some("is missing".to_owned()) };
    let rules = fs::read_to_string(program.with_extension("d")).unwrap_or_default();
    let is_newer = |source: &PathBuf| changed(source).is_ok_and(|at| at > built);
    let newer = prerequisites(&rules).into_iter().find(is_newer)?;
    Some(format!("is older than its source {}", newer.display()))
}

/// The files from which the first target is made, of rules in the syntax of make: `target: file another\ file`.
fn prerequisites(rules: &str) -> Vec<PathBuf> {
    let rule = rules.lines().next().unwrap_or_default();
    let (_, files) = rule.split_once(": ").unwrap_or_default();
    // No path contains this character.
    let files = files.replace("\\ ", "\0");
    let files = files.split(' ').filter(|file| !file.is_empty());
    files.map(|file| file.replace('\0', " ").into()).collect()
}

fn existing(program: PathBuf) -> PathBuf {
    assert!(program.is_file(), "{} is missing", program.display());
    program
}

/// Where cargo puts a program.
fn path(name: &str) -> PathBuf {
    target().join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
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
