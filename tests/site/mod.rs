//! The site that `docs build` writes, as readers use it: its search, and its pages in a browser.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

mod browser;
mod large;
mod narrowed;
mod search;

use std::process::Command;

use tempfile::TempDir;
use toolwrit_tests::program::toolwrit;

/// A site of the vault server, built with these flags.
fn built(flags: &[&str]) -> TempDir {
    let folder = TempDir::new().unwrap();
    let output = Command::new(toolwrit())
        .args(["docs", "build", "--out"])
        .arg(folder.path())
        .args(flags)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    folder
}
