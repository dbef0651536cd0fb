//! `install` and `uninstall`: what they change in the files of clients, and that they give these back.

mod asking;
mod choosing;
mod fixtures;
mod killed;
mod real;
mod starting;
mod undoing;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::cli::program::{Run, command, run};

/// A user with a home folder and an empty vault, whose `PATH` has no client.
pub(super) struct User {
    home: TempDir,
}

impl User {
    pub(super) fn new() -> Self {
        let user = Self { home: TempDir::new().expect("a temporary folder") };
        fs::create_dir_all(user.vault()).expect("a vault");
        user
    }

    pub(super) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(super) fn vault(&self) -> PathBuf {
        self.home().join("My Notes")
    }

    pub(super) fn path(&self, file: &str) -> PathBuf {
        self.home().join(file)
    }

    /// The program with arguments, in the user's home folder.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        self.command_of(toolwrit_tests::program::toolwrit(), arguments)
    }

    pub(super) fn command_of(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = command(program);
        command.args(arguments).current_dir(self.home());
        for (name, value) in self.environment() {
            command.env(name, value);
        }
        command.env_remove("TOOLWRIT_DATA_DIR").env_remove("CODEX_HOME");
        command
    }

    /// The variables that lead to the user's files.
    pub(super) fn environment(&self) -> [(&'static str, String); 5] {
        let folder = |name: &str| self.path(name).display().to_string();
        [
            ("HOME", self.home().display().to_string()),
            ("XDG_CONFIG_HOME", folder(".config")),
            ("XDG_DATA_HOME", folder(".local/share")),
            ("XDG_CACHE_HOME", folder(".cache")),
            ("PATH", "/usr/bin:/bin".to_owned()),
        ]
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Run {
        run(&mut self.command(arguments))
    }

    /// Installs the vault into clients.
    pub(super) fn install(&self, clients: &[&str]) -> Run {
        let vault = self.vault().display().to_string();
        let flags = ["--yes", "--name", "notes", "--vault", vault.as_str()];
        self.run(&[&["install"], clients, &flags].concat())
    }

    pub(super) fn uninstall(&self, clients: &[&str]) -> Run {
        self.run(&[&["uninstall", "--yes"], clients].concat())
    }
}
