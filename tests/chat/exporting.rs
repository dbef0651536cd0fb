//! `export`: the operations as the tools of providers. `describe --block`: a block for a note.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use toolwrit_tests::program::workspace;
use toolwrit_tests::requirement::{Need, met};

use crate::chat::desk::{Desk, Done};

const FORMATS: [&str; 12] = [
    "mcp",
    "openai",
    "openai-responses",
    "anthropic",
    "gemini",
    "ollama",
    "azure",
    "openrouter",
    "deepseek",
    "grok",
    "mistral",
    "openapi",
];

#[test]
fn the_types_of_the_vendors_accept_the_tools() {
    let vendors = workspace().join("server/chat/tests/vendors");
    let python = vendors.join(".venv/bin/python");
    if !met(&[Need::File(&python)], "server/chat/tests/vendors/install") {
        return;
    }
    let desk = Desk::new([]);
    let mut lines = String::new();
    for format in FORMATS {
        let done = desk.run(&["export", "--format", format]);
        assert_eq!(done.code, Some(0), "{format}: {}", done.err);
        let line = json!({ "kind": format, "tools": done.json() });
        writeln!(lines, "{line}").unwrap();
    }
    let input = desk.path("tools.jsonl");
    fs::write(&input, &lines).unwrap();
    let checked = check(&python, &vendors.join("check.py"), &input);
    assert_eq!(checked.matches(" ok\n").count(), FORMATS.len(), "{checked}");
}

fn check(python: &Path, script: &Path, input: &Path) -> String {
    let output = Command::new(python).arg(script).arg(input).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn names(tools: &Value) -> Vec<&str> {
    tools.as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect()
}

#[test]
fn only_what_the_policy_allows_is_written() {
    let desk = Desk::new([]);
    let all = desk.run(&["export", "--format", "anthropic"]).json();
    let read =
        desk.run(&["export", "--format", "anthropic", "--read-only", "--tools", "vault"]).json();
    assert!(names(&all).contains(&"vault_delete") && names(&read).contains(&"vault_read"));
    assert!(names(&read).iter().all(|name| name.starts_with("vault_") && *name != "vault_delete"));
    // A program that calls over MCP confirms with the token of the answer.
    let delete =
        all.as_array().unwrap().iter().find(|tool| tool["name"] == "vault_delete").unwrap();
    assert!(delete["input_schema"]["properties"]["confirm"].is_object(), "{delete}");
}

#[test]
fn tools_are_left_to_the_search_of_a_model() {
    let desk = Desk::new([]);
    let done =
        desk.run(&["export", "--format", "anthropic", "--defer", "effect:destroy,vault.read"]);
    let tools = done.json();
    let deferred: Vec<&str> = tools
        .as_array()
        .unwrap()
        .iter()
        .filter(|tool| tool["defer_loading"] == true)
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert!(deferred.contains(&"vault_read") && deferred.contains(&"vault_delete"), "{deferred:?}");
    assert!(!deferred.contains(&"vault_search"), "{deferred:?}");
    assert!(names(&tools).contains(&"tool_search_tool_bm25"));

    let refused = desk.run(&["export", "--format", "openai", "--defer", "vault"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("--defer needs --format anthropic"), "{}", refused.err);
    let unknown = desk.run(&["export", "--format", "anthropic", "--defer", "vualt"]);
    assert_eq!(unknown.code, Some(3));
    assert!(unknown.err.contains("did you mean `vault`?"), "{}", unknown.err);
    let format = desk.run(&["export", "--format", "antropic"]);
    assert_eq!(format.code, Some(2));
    assert!(format.err.contains("anthropic"), "{}", format.err);
}

#[test]
fn a_manifest_without_its_handlers_is_written_whole() {
    let desk = Desk::new([]);
    let manifest = workspace().join("manifest/authority.yaml");
    let manifest = manifest.to_str().unwrap();
    // The configuration of the vault server is not that of the manifest.
    let mut command = desk.command(&["--manifest", manifest, "export", "--format", "mcp"]);
    let given = Done::of(command.env_remove("TOOLWRIT_CONFIG").output().unwrap());
    assert_eq!(given.code, Some(0), "{}", given.err);
    assert!(names(&given.json()["tools"]).contains(&"vault_read"));
}

#[test]
fn a_block_of_an_operation_runs_in_a_note() {
    let desk = Desk::new([]);
    let described = desk.run(&["describe", "vault.search", "--block"]);
    assert_eq!(described.code, Some(0), "{}", described.err);
    insta::assert_snapshot!(described.out);
    desk.write("Board.md", &described.out);
    let done = desk.run(&["run", "Board"]);
    assert_eq!(done.code, Some(0), "{}{}", done.out, done.err);
    assert!(done.out.contains("vault.search ok"), "{}", done.out);
}
