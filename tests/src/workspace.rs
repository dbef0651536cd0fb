//! A separate cargo workspace for programs that a benchmark generates, so that the profiles, features and
//! flags of this workspace do not affect them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::workspace as repository;

/// The common start of generated source files: the macro call, an application without state, and `main`.
/// Implementations of `Handlers` for `App` follow.
pub const APP: &str = "use std::process::ExitCode;

use toolwrit::{Context, Result};

toolwrit::authority!(\"../authority.yaml\");

struct App;

impl toolwrit::App for App {
    type Options = ();

    async fn open((): (), _: toolwrit::Updates) -> std::result::Result<Self, Box<dyn std::error::Error>> {
        Ok(App)
    }
}

fn main() -> ExitCode {
    toolwrit::cli::main::<Tools<App>>()
}
";

/// The folder in which the programs are generated and built.
pub struct Workspace {
    home: PathBuf,
}

impl Workspace {
    /// A workspace in this folder with these packages, whose dependencies have the same versions as here.
    pub fn write(home: PathBuf, packages: &[&str]) -> Self {
        let workspace = Self { home };
        let root = format!("[workspace]\nresolver = \"3\"\nmembers = {packages:?}\n");
        workspace.put(Path::new("Cargo.toml"), &root);
        fs::copy(repository().join("Cargo.lock"), workspace.path("Cargo.lock")).unwrap();
        workspace
    }

    /// Writes a package's `Cargo.toml`, with these lines of dependencies.
    pub fn put_package(&self, name: &str, dependencies: &str) {
        let package = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
             [dependencies]\n{dependencies}"
        );
        self.put(&Path::new(name).join("Cargo.toml"), &package);
    }

    /// Writes a file unless it already has this text, because cargo compares modification times.
    pub fn put(&self, path: &Path, text: &str) {
        let path = self.home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            return;
        }
        fs::write(path, text).unwrap();
    }

    /// A path inside the workspace.
    pub fn path(&self, inside: &str) -> PathBuf {
        self.home.join(inside)
    }

    /// A cargo command, such as `build`, for one of the packages.
    pub fn cargo(&self, command: &str, package: &str) -> Command {
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args([command, "--quiet", "--package", package])
            .current_dir(&self.home)
            .env("CARGO_TARGET_DIR", self.path("target"));
        cargo
    }

    /// The program that a debug build of the package creates.
    pub fn program(&self, package: &str) -> PathBuf {
        self.path("target/debug").join(format!("{package}{}", std::env::consts::EXE_SUFFIX))
    }
}

/// The engine as a dependency, with its default features.
pub fn engine() -> String {
    let engine = repository().join("server/engine/facade");
    format!("toolwrit = {{ path = '{}' }}\n", engine.display())
}
