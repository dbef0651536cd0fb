//! The sample vault: it is made once, named, and left alone after.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// Runs the command in `here` with an empty standard input and its own data folder.
fn toolwrit(here: &Path, data: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_toolwrit"))
        .args(arguments)
        .current_dir(here)
        .env_remove("TOOLWRIT_VAULT")
        .env("XDG_DATA_HOME", data)
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn a_sample_vault_is_made_named_and_kept() {
    let (here, data) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let first = toolwrit(here.path(), data.path(), &["serve", "--sample"]);
    assert!(first.status.success());
    assert!(first.stdout.is_empty(), "standard output belongs to the protocol");
    let vault = data.path().join("toolwrit/sample-vault");
    let said = String::from_utf8(first.stderr).unwrap();
    assert!(said.contains(vault.to_str().unwrap()), "{said}");
    assert!(vault.join("Start here.md").is_file());
    assert!(vault.join(".obsidian/app.json").is_file());

    fs::write(vault.join("Inbox.md"), "mine\n").unwrap();
    let again = toolwrit(
        here.path(),
        data.path(),
        &["call", "vault.read", "--path", "Inbox", "--json", "--sample"],
    );
    let note: serde_json::Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(note["content"], "mine\n");
}

#[test]
fn the_current_folder_is_served_when_it_is_a_vault() {
    let (here, data) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    fs::create_dir(here.path().join(".obsidian")).unwrap();
    fs::write(here.path().join("Mine.md"), "here\n").unwrap();
    let read =
        toolwrit(here.path(), data.path(), &["call", "vault.read", "--path", "Mine", "--json"]);
    assert!(String::from_utf8(read.stderr).unwrap().contains(here.path().to_str().unwrap()));
    let note: serde_json::Value = serde_json::from_slice(&read.stdout).unwrap();
    assert_eq!(note["content"], "here\n");
    assert!(!data.path().join("toolwrit/sample-vault").exists(), "no sample was asked for");
}

#[test]
fn a_vault_that_is_not_there_is_a_configuration_error() {
    let (here, data) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let missing = here.path().join("nowhere");
    let run = toolwrit(here.path(), data.path(), &["serve", "--vault", missing.to_str().unwrap()]);
    assert_eq!(run.status.code(), Some(3));
    assert!(String::from_utf8(run.stderr).unwrap().contains("nowhere"));
}
