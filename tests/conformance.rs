//! The unmodified conformance suite of MCP, against a server with its own authority: every scored scenario
//! for servers of both revisions, and those of the tasks extension. No failures are expected.
//!
//! `tests/conformance/install` installs the suite.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use toolwrit_tests::conformance::Suite;

#[test]
fn the_requirements_of_2025_11_25_are_met() {
    let Some(suite) = Suite::find() else { return };
    suite.conforms(&Server::start().url, "2025-11-25", 30);
}

#[test]
fn the_requirements_of_2026_07_28_are_met() {
    let Some(suite) = Suite::find() else { return };
    suite.conforms(&Server::start().url, "2026-07-28", 37);
}

/// They are not scored, and no revision requires extensions, so each scenario is run by name.
#[test]
fn the_tasks_extension_is_supported() {
    let Some(suite) = Suite::find() else { return };
    let listed = suite.listed(&[]);
    let own = listed.iter().filter_map(|name| name.strip_suffix(" [extension]"));
    let own: Vec<&str> = own.filter(|name| name.starts_with("tasks-")).collect();
    assert_eq!(own.len(), 10, "{own:?}");
    let server = Server::start();
    for scenario in own {
        let told = suite.meets(&server.url, &["--scenario", scenario]);
        // The suite has no check of these yet, and skips them.
        let is_skipped = scenario == "tasks-status-notifications";
        assert_eq!(passed(&told) == 0, is_skipped, "{scenario}:\n{told}");
    }
}

/// The number of passed checks of a scenario that was run by name.
fn passed(told: &str) -> u32 {
    let (_, counts) = told.split_once("\nPassed: ").unwrap();
    counts.split_once('/').unwrap().0.parse().unwrap()
}

/// The conformance server on a free port. It is stopped when dropped.
struct Server {
    child: Child,
    url: String,
    _home: TempDir,
}

impl Server {
    fn start() -> Self {
        let home = TempDir::new().unwrap();
        let program = PathBuf::from(env!("CARGO_BIN_EXE_conformance-server"));
        let mut child = Command::new(program)
            .args(["serve", "--http", "127.0.0.1:0", "--surface", "flat", "--sessions", "64"])
            .env("TOOLWRIT_DATA_DIR", home.path())
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let url = lines.find_map(|line| line.strip_prefix("listening on ").map(str::to_owned));
        let url = url.unwrap();
        // Its further output must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, url, _home: home }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
