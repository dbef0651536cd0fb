//! `list`, `search`, `describe`, `completions`, and a closed output pipe.

use std::path::Path;
use std::process::Stdio;

use serde_json::json;

use crate::program::{command, lab, toolwrit};

const NO_VAULT: &str = "/nowhere";

fn run_command(arguments: &[&str]) -> crate::program::Run {
    // These commands open no vault.
    toolwrit(Path::new(NO_VAULT), arguments)
}

#[test]
fn list_shows_only_what_the_policy_allows() {
    let table = run_command(&["list"]).ok();
    assert!(table.starts_with("OPERATION"), "{table}");
    assert!(
        table.contains("vault.delete       destroy  Delete a note into the trash.\n"),
        "{table}"
    );
    let ids = |arguments: &[&str]| -> Vec<String> {
        let rows = run_command(arguments).json()["operations"].take();
        let rows = rows.as_array().cloned().unwrap_or_default();
        rows.iter().map(|row| row["id"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert!(ids(&["list", "vault", "--json"]).contains(&"vault.delete".to_owned()));
    let read = ids(&["list", "--json", "--role", "reader"]);
    let vault = ["vault.read", "vault.list", "vault.search", "vault.backlinks", "vault.tags"];
    assert_eq!(read, [&vault[..], &["active.read"]].concat());
    assert_eq!(run_command(&["list", "cellar", "--json"]).failure(), "VALIDATION_ERROR");
}

#[test]
fn search_ranks_and_may_find_nothing() {
    let run = run_command(&["search", "rename", "a", "note", "--limit", "2", "--json"]);
    assert_eq!(run.json()["operations"][0]["id"], "vault.rename");
    assert_eq!(run.json()["operations"].as_array().map(Vec::len), Some(2));
    let run = run_command(&["search", "xylophone"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
    let categories = run_command(&["search"]);
    assert!(categories.stdout.starts_with("vault: read, "), "{categories:?}");
    assert!(run.stderr.ends_with(&categories.stdout), "{run:?}");
    let nothing = run_command(&["search", "xylophone", "--json"]).json();
    assert_eq!(nothing["operations"], json!([]));
    assert_eq!(nothing["reason"], "nothing_matches");
    assert_eq!(nothing["categories"], run_command(&["search", "--json"]).json()["categories"]);
}

#[test]
fn describe_has_parameters_rules_and_examples() {
    let page = run_command(&["describe", "get_vault_file"]).ok();
    for part in [
        "vault.read(path: NotePath,",
        "Read a note.",
        "roles        owner, editor, reader",
        "older names  get_vault_file",
        "default \"markdown\"",
        "call vault.read --path Inbox.md",
    ] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    let tools =
        run_command(&["describe", "vault.read", "vault.list", "--json"]).json()["tools"].take();
    assert_eq!(tools[0]["parameters"]["required"], json!(["path"]));
    assert_eq!(tools[1]["id"], "vault.list");
    let run = run_command(&["describe", "vault.delete", "--role", "reader", "--json"]);
    assert_eq!(run.failure(), "TOOL_NOT_FOUND");
}

#[test]
fn completions_have_the_operations_and_their_flags() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run_command(&["completions", shell]).ok();
        for word in ["vault.bulk_delete", "dry-run", "case-sensitive", "scaffold"] {
            assert!(script.contains(word), "{word} is not in the script for {shell}");
        }
    }
}

#[test]
fn a_closed_output_pipe_is_not_an_error() {
    let mut child = command(Path::new(env!("CARGO_BIN_EXE_lab")))
        .args(["call", "lab.text", "--bytes", "1000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn output_into_a_pipe_has_no_colours() {
    for run in [lab(&["list"]), lab(&["call", "lab.ehco"]), lab(&["call", "lab.echo", "-h"])] {
        assert!(!run.stdout.contains('\x1b') && !run.stderr.contains('\x1b'), "{run:?}");
    }
}

#[test]
fn exit_codes_of_the_command_line_itself() {
    assert_eq!(lab(&["--version"]).code, Some(0));
    assert_eq!(lab(&["--help"]).code, Some(0));
    assert_eq!(lab(&[]).code, Some(2));
    assert_eq!(lab(&["lsit"]).code, Some(2));
    assert_eq!(lab(&["list", "--focus", "nowhere"]).code, Some(3));
}
