//! Packages of the program that the tests built: each is made, installed as its user would, and started; and validators of
//! others accept what describes it.
//!
//! `check.py` has the checks. `tests/packages/install` installs the validators.

use std::path::Path;
use std::process::Command;

use toolwrit_tests::program::{toolwrit, workspace};
use toolwrit_tests::requirement::{Need, met, skip};

const INSTALL: &str =
    "tests/packages/install and tests/clients/install; Debian has lintian and systemd-analyze";

/// What only other machines or other companies' services can try.
const NOT_TRIED: [&str; 5] = [
    "programs for macOS, Windows and arm64, and their signatures",
    "the installer for PowerShell beyond its grammar: no registry has PSScriptAnalyzer",
    "Homebrew, Scoop and winget: their own validators are in no registry",
    "npm, PyPI, ghcr.io and the MCP registry as places to publish to",
    "Claude Desktop: only its format is tried, with the modes that it gives to files",
];

/// Runs a check, on stand-ins for programs or on the shipped server.
fn check(name: &str, program: Option<&Path>) {
    let folder = workspace().join("tests/packages");
    let python = folder.join(".venv/bin/python");
    let client = workspace().join("tests/clients/python/.venv/bin/mcp");
    let needs = [
        Need::Program(&python, (3, 11)),
        Need::File(&folder.join("node_modules/.bin/mcpb")),
        Need::File(&client),
        Need::Program(Path::new("lintian"), (2, 100)),
        Need::Program(Path::new("systemd-analyze"), (250, 0)),
    ];
    if !met(&needs, INSTALL) {
        return;
    }
    let script = folder.join("check.py");
    let output = Command::new(python).arg(script).arg(name).args(program).output();
    let output = output.unwrap_or_else(|error| panic!("the check cannot start: {error}"));
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&said));
}

#[test]
fn equal_programs_give_equal_packages() {
    check("equal", None);
}

#[test]
fn an_incomplete_release_is_refused() {
    check("release", None);
}

#[test]
fn validators_accept_the_descriptions() {
    check("descriptions", None);
}

#[test]
fn validators_accept_the_workflow() {
    check("workflow", None);
}

#[test]
fn claude_code_connects_through_its_plugin() {
    check("plugins", Some(toolwrit()));
}

#[test]
fn npm_installs_without_scripts_and_starts() {
    check("npm", Some(toolwrit()));
}

#[test]
fn uvx_starts_the_wheel() {
    check("wheel", Some(toolwrit()));
}

#[test]
fn a_bundle_starts_without_its_modes() {
    check("bundle", Some(toolwrit()));
}

#[test]
fn dpkg_installs_a_service_that_is_not_enabled() {
    check("deb", Some(toolwrit()));
}

#[test]
fn the_installer_verifies_sums() {
    check("archive", Some(toolwrit()));
}

#[test]
fn the_terms_of_others_go_with_the_program() {
    check("notices", None);
}

#[test]
fn gemini_validates_its_extension() {
    check("extension", Some(toolwrit()));
}

#[test]
fn what_is_not_tried_is_listed() {
    skip(&format!("NOT TRIED: {}", NOT_TRIED.join("; ")));
}
