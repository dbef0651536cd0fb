//! The unmodified conformance suite of MCP, against a server with its own authority: every scored scenario
//! for servers of both revisions, and those of the tasks extension. No failures are expected.
//!
//! `tests/conformance/install` installs the suite.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;
use toolwrit_tests::program::workspace;
use toolwrit_tests::requirement::{Need, met};

const INSTALL: &str = "tests/conformance/install";

#[test]
fn the_requirements_of_2025_11_25_are_met() {
    conforms("2025-11-25", 30);
}

#[test]
fn the_requirements_of_2026_07_28_are_met() {
    conforms("2026-07-28", 37);
}

/// They are not scored, and no revision requires extensions, so each scenario is run by name.
#[test]
fn the_tasks_extension_is_supported() {
    let Some(suite) = suite() else { return };
    let listed = listed(&suite, &[]);
    let own = listed.iter().filter_map(|name| name.strip_suffix(" [extension]"));
    let own: Vec<&str> = own.filter(|name| name.starts_with("tasks-")).collect();
    assert_eq!(own.len(), 10, "{own:?}");
    let server = Server::start();
    for scenario in own {
        let told = server.meets(&suite, &["--scenario", scenario]);
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

/// Runs the scenarios that a revision requires of servers.
fn conforms(revision: &str, scenarios: usize) {
    let Some(suite) = suite() else { return };
    let required = listed(&suite, &["--requirements", revision]);
    assert_eq!(required.len(), scenarios, "{required:?}");
    let server = Server::start();
    let told = server.meets(&suite, &["--requirements", revision]);
    for scenario in required {
        let passed = format!("✓ {scenario}: ");
        assert!(told.contains(&passed), "{scenario} did not pass:\n{told}");
    }
}

/// The suite, if it can run.
fn suite() -> Option<PathBuf> {
    let suite = workspace().join(
        "tests/conformance/suite/node_modules/@modelcontextprotocol/conformance/dist/index.js",
    );
    let node = Path::new("node");
    met(&[Need::Program(node, (22, 0)), Need::File(&suite)], INSTALL).then_some(suite)
}

/// The scenarios for servers, as the suite lists them.
fn listed(suite: &Path, which: &[&str]) -> Vec<String> {
    let list = run(suite, &[&["list", "--server"], which].concat());
    let list = String::from_utf8(list.stdout).unwrap();
    let from = list.lines().skip_while(|line| !line.starts_with("Server scenarios")).skip(1);
    let scenarios = from.map_while(|line| line.trim().strip_prefix("- ").map(str::to_owned));
    scenarios.collect()
}

fn run(suite: &Path, arguments: &[&str]) -> Output {
    Command::new("node").arg(suite).args(arguments).output().unwrap()
}

/// The conformance server on a free port. It is stopped when dropped.
struct Server {
    child: Child,
    url: String,
    home: TempDir,
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
        Self { child, url, home }
    }

    /// Runs scenarios, none of which may fail, and returns the suite's output.
    fn meets(&self, suite: &Path, which: &[&str]) -> String {
        let results = self.home.path().join("results");
        let arguments = ["server", "--url", &self.url, "-o", results.to_str().unwrap()];
        let run = run(suite, &[&arguments[..], which].concat());
        let told = String::from_utf8(run.stdout).unwrap();
        assert!(run.status.success(), "{told}\n{}", String::from_utf8_lossy(&run.stderr));
        told
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
