//! The unmodified conformance suite of MCP, which `tests/conformance/install` installs.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::program::workspace;
use crate::requirement::{Need, met};

/// The suite.
pub struct Suite(PathBuf);

impl Suite {
    /// Returns the suite, if it can run.
    pub fn find() -> Option<Self> {
        let suite = workspace().join(
            "tests/conformance/suite/node_modules/@modelcontextprotocol/conformance/dist/index.js",
        );
        let node = Path::new("node");
        let needs = [Need::Program(node, (22, 0)), Need::File(&suite)];
        met(&needs, "tests/conformance/install").then_some(Self(suite))
    }

    /// The scenarios for servers, as the suite lists them.
    pub fn listed(&self, which: &[&str]) -> Vec<String> {
        let list = self.run(&[&["list", "--server"], which].concat());
        let list = String::from_utf8(list.stdout).unwrap();
        let from = list.lines().skip_while(|line| !line.starts_with("Server scenarios")).skip(1);
        let scenarios = from.map_while(|line| line.trim().strip_prefix("- ").map(str::to_owned));
        scenarios.collect()
    }

    /// Runs scenarios against a server, none of which may fail, and returns the suite's output.
    pub fn meets(&self, url: &str, which: &[&str]) -> String {
        let results = TempDir::new().unwrap();
        let arguments = ["server", "--url", url, "-o", results.path().to_str().unwrap()];
        let run = self.run(&[&arguments[..], which].concat());
        let told = String::from_utf8(run.stdout).unwrap();
        assert!(run.status.success(), "{told}\n{}", String::from_utf8_lossy(&run.stderr));
        told
    }

    /// Runs the scenarios that a revision requires of servers, each of which must pass. Their number is known.
    pub fn conforms(&self, url: &str, revision: &str, scenarios: usize) {
        let required = self.listed(&["--requirements", revision]);
        assert_eq!(required.len(), scenarios, "{required:?}");
        let told = self.meets(url, &["--requirements", revision]);
        for scenario in required {
            let passed = format!("✓ {scenario}: ");
            assert!(told.contains(&passed), "{scenario} did not pass:\n{told}");
        }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new("node").arg(&self.0).args(arguments).output().unwrap()
    }
}
