//! Runs the programs under test. Output is no terminal, and input only if a test types an answer.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

/// The output of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Standard output of a run that must have succeeded.
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.stdout
    }

    /// The code of the failure that a run with `--json` printed.
    pub(crate) fn failure(&self) -> String {
        assert_eq!(self.code, Some(1), "{self:?}");
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// Runs the laboratory.
pub(crate) fn lab(arguments: &[&str]) -> Run {
    run(command(Path::new(env!("CARGO_BIN_EXE_lab"))).args(arguments))
}

/// Runs the shipped program on a vault.
pub(crate) fn toolwrit(vault: &Path, arguments: &[&str]) -> Run {
    let program = toolwrit_tests::program::toolwrit();
    run(command(program).env("TOOLWRIT_VAULT", vault).args(arguments))
}

/// Runs the shipped program on a vault, with a terminal on which the user types an answer.
pub(crate) fn toolwrit_answered(vault: &Path, answer: &str, arguments: &[&str]) -> Run {
    let terminal = nix::pty::openpty(None, None).expect("a terminal");
    let mut user = File::from(terminal.master);
    writeln!(user, "{answer}").expect("the answer is typed");
    let program = toolwrit_tests::program::toolwrit();
    let mut command = command(program);
    run(command.stdin(terminal.slave).env("TOOLWRIT_VAULT", vault).args(arguments))
}

/// A program without the environment variables of the user who runs the tests.
pub(crate) fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("TOOLWRIT_")) {
        command.env_remove(name);
    }
    let own = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli");
    command.env("TOOLWRIT_DATA_DIR", &own).env("XDG_CACHE_HOME", own);
    command
}

pub(crate) fn run(command: &mut Command) -> Run {
    let output = command.output().expect("the program runs");
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}
