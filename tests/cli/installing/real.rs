//! The clients themselves: what `install` writes is what they list, and what they write is what `doctor` sees.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use toolwrit_tests::drivers::http::Server;
use toolwrit_tests::files::put;
use toolwrit_tests::program::workspace;
use toolwrit_tests::requirement::{Need, met, number, skip};

use super::User;
use crate::cli::program::{Run, run};

const INSTALL: &str = "tests/clients/programs/install";

/// The folder of the clients' programs.
pub(super) fn programs() -> PathBuf {
    workspace().join("tests/clients/programs/node_modules/.bin")
}

/// Whether a client is installed. Only full runs need them, because they take 1 GB.
pub(super) fn has(client: &str) -> bool {
    let program = programs().join(client);
    let is_needed = program.exists() || number(false, true);
    if !is_needed {
        skip(&format!("{client} is not installed. To install it: {INSTALL}"));
    }
    is_needed && met(&[Need::File(&program)], INSTALL)
}

/// The variable `PATH` with the clients.
pub(super) fn path() -> String {
    let node = std::env::var("PATH").unwrap_or_default();
    format!("{}:{node}", programs().display())
}

/// Runs this program with the clients in `PATH`.
pub(super) fn with_clients(user: &User, arguments: &[&str]) -> Run {
    run(user.command(arguments).env("PATH", path()))
}

/// What a client prints, on both streams.
fn listed(user: &User, words: &[&str]) -> String {
    let mut command = Command::new(programs().join(words[0]));
    command.args(&words[1..]).current_dir(user.home()).stdin(Stdio::null());
    for (name, value) in user.environment() {
        command.env(name, value);
    }
    let output =
        command.env("PATH", path()).env("NO_COLOR", "1").output().expect("the client runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

/// Installs, lists with the client and with `doctor`, and uninstalls.
fn agrees(client: &str, list: &[&str], file: &str, connected: &str) {
    if !has(list[0]) {
        return;
    }
    let user = User::new();
    // Gemini CLI starts servers only in folders that are trusted.
    let trusted = serde_json::json!({ user.home().to_str().expect("a path"): "TRUST_FOLDER" });
    put(&user.path(".gemini/trustedFolders.json"), trusted.to_string());
    let vault = user.vault().display().to_string();
    let installed =
        with_clients(&user, &["install", client, "--yes", "--name", "notes", "--vault", &vault]);
    assert_eq!(installed.code, Some(0), "{installed:?}");
    let before = listed(&user, list);
    let line = before.lines().find(|line| line.contains("notes")).unwrap_or_default();
    assert!(line.to_lowercase().contains(connected), "{client}: {before}");
    let doctor = with_clients(&user, &["doctor", "--json", "--start", "--vault", &vault]);
    let report = doctor.json();
    let mut checks = report["checks"].as_array().expect("a list").iter();
    let check = checks.find(|check| check["check"] == client).unwrap_or_else(|| panic!("{report}"));
    assert_eq!(check["status"], "ok", "{check}");
    assert!(check["message"].as_str().expect("a text").contains("it answers with"), "{check}");
    let removed = with_clients(&user, &["uninstall", client, "--yes"]);
    assert_eq!(removed.code, Some(0), "{removed:?}");
    let after = fs::read_to_string(user.path(file)).unwrap_or_default();
    assert!(!after.contains("notes"), "{after}");
    assert!(!listed(&user, list).contains("notes"), "{client}");
}

#[test]
fn claude_code_lists_what_is_installed() {
    agrees("claude-code", &["claude", "mcp", "list"], ".claude.json", "connected");
}

#[test]
fn codex_lists_what_is_installed() {
    agrees("codex", &["codex", "mcp", "list"], ".codex/config.toml", "enabled");
}

#[test]
fn gemini_cli_lists_what_is_installed() {
    agrees("gemini", &["gemini", "mcp", "list"], ".gemini/settings.json", "connected");
}

#[test]
fn opencode_lists_what_is_installed() {
    agrees(
        "opencode",
        &["opencode", "mcp", "list"],
        ".config/opencode/opencode.jsonc",
        "connected",
    );
}

/// Adds the address of a server with the client's own command, which `doctor` then sees and tries.
fn connects(client: &str, add: &[&str]) {
    if !has(add[0]) {
        return;
    }
    let user = User::new();
    let vault = user.vault().display().to_string();
    let server =
        Server::start(user.command(&["serve", "--http", "127.0.0.1:0", "--vault", &vault]));
    listed(&user, &[add, &[server.url.as_str()]].concat());
    let report = with_clients(&user, &["doctor", "--json", "--start", "--vault", &vault]).json();
    let mut checks = report["checks"].as_array().expect("a list").iter();
    let check = checks.find(|check| check["check"] == client).unwrap_or_else(|| panic!("{report}"));
    let said = check["message"].as_str().expect("a text");
    assert!(said.contains(&format!("connects to {}", server.url)), "{check}");
    assert!(said.contains("it answers with"), "{check}");
}

#[test]
fn doctor_tries_the_address_that_claude_code_wrote() {
    connects("claude-code", &["claude", "mcp", "add", "-s", "user", "-t", "http", "notes"]);
}

#[test]
fn doctor_tries_the_address_that_codex_wrote() {
    connects("codex", &["codex", "mcp", "add", "notes", "--url"]);
}

#[test]
fn doctor_tries_the_address_that_gemini_cli_wrote() {
    connects("gemini", &["gemini", "mcp", "add", "-s", "user", "-t", "http", "notes"]);
}

#[test]
fn doctor_tries_the_address_that_opencode_wrote() {
    connects("opencode", &["opencode", "mcp", "add", "notes", "--url"]);
}

#[test]
fn a_client_of_a_project_reads_the_file_of_the_project() {
    if !has("claude") {
        return;
    }
    let user = User::new();
    let vault = user.vault().display().to_string();
    let arguments = [
        "install",
        "claude-code",
        "--yes",
        "--scope",
        "project",
        "--name",
        "notes",
        "--vault",
        &vault,
    ];
    assert_eq!(with_clients(&user, &arguments).code, Some(0));
    let file = Path::new(".mcp.json");
    assert!(user.home().join(file).is_file());
    assert!(listed(&user, &["claude", "mcp", "get", "notes"]).contains("Project config"));
}
