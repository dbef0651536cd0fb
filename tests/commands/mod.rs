//! Operations that are commands, as clients and the command line see them: a repository of git.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::{Client, Era};

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_repository"))
}

/// An empty repository, and the configuration of a server for it.
fn home() -> TempDir {
    let folder = TempDir::new().unwrap();
    let repository = folder.path().join("repository");
    let made = Command::new("git").arg("init").arg("--quiet").arg(&repository).status().unwrap();
    assert!(made.success());
    let settings = format!("[providers.git]\nrepo = {:?}\n", repository.to_str().unwrap());
    fs::write(folder.path().join("config.toml"), settings).unwrap();
    folder
}

/// The flags that every command needs, and others.
fn flags(home: &TempDir, command: &str, others: &[&str]) -> Vec<String> {
    let path = |name: &str| home.path().join(name).display().to_string();
    let own = ["--config", &path("config.toml"), command, "--data-dir", &path("data")];
    own.iter().chain(others).map(|flag| (*flag).to_owned()).collect()
}

fn run(home: &TempDir, command: &str, others: &[&str]) -> Output {
    Command::new(program()).args(flags(home, command, others)).output().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn clients_make_and_read_commits() {
    let home = home();
    for era in Era::ALL {
        let flags = flags(&home, "serve", &["--surface", "dispatch"]);
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let mut client = Client::connect(program(), &flags, era);
        let mut call = |name: &str, args: Value| {
            let tool = if name == "create" { "commits_write" } else { "commits_read" };
            client.call(tool, &json!({ "operation": name, "params": args }))
        };
        let message = "First; touch $(id) 'x'";
        let shown = call("create", json!({ "message": message, "dry_run": true })).ok();
        let words = ["git", "commit", "--quiet", "--allow-empty", "--message", message];
        assert_eq!(shown, json!({ "command": words }));
        call("create", json!({ "message": message })).text();
        let newest = json!({ "subject": message, "author": "Ada" });
        assert_eq!(call("get", json!({})).ok(), newest);

        let refused = call("create", json!({ "message": "--amend" })).error();
        assert_eq!(
            (&refused["code"], &refused["path"]),
            (&json!("VALIDATION_ERROR"), &json!("/message"))
        );
        let refused = call("list", json!({ "path": "-p" })).error();
        assert_eq!(refused["path"], "/path");
        let failed = call("list", json!({ "max": 1, "author": "\\(" })).error();
        assert_eq!(failed["code"], "UPSTREAM_ERROR");
        assert!(failed["message"].as_str().unwrap().contains("exit code 128: fatal:"), "{failed}");
    }
}

#[test]
fn the_command_line_calls_them_too() {
    let home = home();
    for message in ["One", "Two"] {
        let made = run(&home, "call", &["commits.create", "--message", message]);
        assert!(made.status.success(), "{made:?}");
    }
    let listed = run(&home, "call", &["commits.list", "--json"]);
    assert_eq!(json(&listed), "Two\nOne");
    let one = run(&home, "call", &["commits.list", "--max", "1", "--merges", "--json"]);
    assert_eq!(json(&one), "");
}

#[test]
fn doctor_looks_for_the_folder_and_the_program() {
    let home = home();
    let found = |home: &TempDir| {
        let checks = json(&run(home, "doctor", &["--json"]))["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["check"] == "provider git").unwrap()
    };
    assert_eq!(found(&home)["status"], "ok");
    fs::remove_dir_all(home.path().join("repository")).unwrap();
    let missing = found(&home);
    assert_eq!(missing["status"], "fail", "{missing}");
    assert!(missing.to_string().contains("is not the absolute path of a folder"), "{missing}");
}
