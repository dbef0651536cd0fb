//! The tool `context`, `GET /tools` and the command line give the same answer.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::program::{lab, toolwrit};
use toolwrit_tests::vaults;

/// Runs the command `context` of the laboratory.
fn command(home: &Home, arguments: &[&str]) -> std::process::Output {
    home.command(lab(), &[&["context"], arguments].concat()).output().unwrap()
}

fn printed(home: &Home, arguments: &[&str]) -> Value {
    let output = command(home, &[arguments, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A message encoded for a URL.
fn address(message: &str, previous: &str) -> String {
    let message = message.replace(' ', "+");
    format!("/tools?context={message}&previous={previous}")
}

#[test]
fn every_interface_returns_the_same_contexts() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    let mut client = Client::connect(lab(), &["serve", "--surface", "meta"], Era::Stateless);
    for (message, previous) in [
        ("Say it again: AB-12", json!({})),
        ("an echo chamber", json!({})),
        ("and now", json!({"changes": 0.67, "unknown": 1})),
        ("to do", json!({"echoes": 0.5})),
        ("what a lovely sunset", json!({})),
    ] {
        let arguments = json!({"message": message, "previous": previous});
        let told = client.call("context", &arguments).ok();
        let previous: Vec<String> =
            previous.as_object().unwrap().iter().map(|(name, c)| format!("{name}:{c}")).collect();
        let previous = previous.join(",");
        let printed = printed(&home, &[message, "--previous", &previous]);
        let listed = server.get(&address(message, &previous), &[]).json();

        assert_eq!(told["contexts"], printed["contexts"], "{message}");
        assert_eq!(told["contexts"], listed["metadata"]["contexts"], "{message}");
        for key in ["originalCount", "returnedCount", "reductionPercent"] {
            assert_eq!(told[key], printed[key], "{message}");
        }
        assert_eq!(told["returnedCount"], listed["metadata"]["returnedCount"], "{message}");
        // One merged tool stands for three operations. Without a context nothing is counted.
        let tools = listed["metadata"]["originalCount"].as_u64().unwrap();
        let original = if tools == 0 { 0 } else { tools + 2 };
        assert_eq!(told["originalCount"], original, "{message}");
        let reason = told.get("reason").cloned().unwrap_or_default();
        assert_eq!(reason, listed["metadata"]["reason"], "{message}");
        let ids: Vec<&str> = operations(&printed).map(|row| row["id"].as_str().unwrap()).collect();
        let lines = told["tools"].as_array().unwrap().iter();
        let lines: Vec<&str> = lines.map(|line| line.as_str().unwrap()).collect();
        let of_lines: Vec<&str> =
            lines.iter().map(|line| &line[..line.find('(').unwrap()]).collect();
        assert_eq!(ids, of_lines, "{message}");
        let names = listed["tools"].as_array().unwrap().iter();
        let names: Vec<String> =
            names.map(|tool| tool["name"].as_str().unwrap().replacen('_', ".", 1)).collect();
        assert_eq!(ids, names, "{message}");
    }
}

#[test]
fn the_vault_server_detects_messages_about_notes_documents_and_projects() {
    let home = Home::new();
    for (message, context, needed) in [
        ("which of my notes are about tides", "notes", "vault.read"),
        ("grep the vault for lighthouse", "search", "vault.search"),
        ("shorten the report", "documents", "vault.patch"),
        ("what is left in this sprint", "agile", "project.search_entities"),
        ("close PROJ-123", "agile", "project.update_entity"),
        ("is T-012 done", "agile", "project.get_entity"),
        ("the kanban columns by status", "agile", "project.get_project_overview"),
        ("write a status report", "communication", "project.get_project_overview"),
        ("which feedback is there on the story", "communication", "project.get_entity"),
        ("who works on the login form", "users", "project.search_entities"),
        ("which colleague decided that", "users", "project.decision_history"),
    ] {
        let output = home.command(toolwrit(), &["context", message, "--json"]).output().unwrap();
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let contexts = found["contexts"].as_array().unwrap();
        assert!(contexts.iter().any(|found| found["name"] == context), "{message}: {found}");
        assert!(operations(&found).any(|row| row["id"] == needed), "{message}: {found}");
    }
}

/// Messages of a chat: those that need operations, and those that need none.
#[derive(serde::Deserialize)]
struct Messages {
    asking: BTreeMap<String, Vec<String>>,
    talking: Vec<String>,
}

/// The operations that the vault server offers for a message.
fn offered(client: &mut Client, message: &str) -> Vec<String> {
    let told = client.call("context", &json!({ "message": message })).ok();
    let lines = told["tools"].as_array().unwrap().iter();
    lines.map(|line| line.as_str().unwrap().split('(').next().unwrap().to_owned()).collect()
}

#[test]
fn messages_that_ask_get_operations_and_others_do_not() {
    let Messages { asking, talking } = serde_yaml::from_str(include_str!("messages.yaml")).unwrap();
    assert_eq!((asking.len(), talking.len()), (30, 30));
    let vault = vaults::empty();
    vaults::switch_on_plugins(vault.path());
    let obsidian =
        [("TOOLWRIT_OBSIDIAN_API_KEY", "never sent"), ("TOOLWRIT_OBSIDIAN_CERT", &"00".repeat(32))];
    let mut client = Client::vault_in(&obsidian, vault.path(), &["--surface", "meta"]);
    // A call waits until the plugins have been examined; a list does not.
    client.call("execute_read", &json!({"tool": "vault.list", "args": {}}));
    let mut missed = Vec::new();
    for (message, right) in &asking {
        let offered = offered(&mut client, message);
        if !right.iter().any(|id| offered.contains(id)) {
            missed.push(format!("{message}: {offered:?}"));
        }
    }
    let mut false_ones: Vec<String> = Vec::new();
    for message in &talking {
        let offered = offered(&mut client, message);
        if !offered.is_empty() {
            false_ones.push(format!("{message}: {offered:?}"));
        }
    }
    assert!(missed.len() <= 6, "{} missed:\n{}", missed.len(), missed.join("\n"));
    assert!(false_ones.len() <= 2, "{} false:\n{}", false_ones.len(), false_ones.join("\n"));
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

fn operations(printed: &Value) -> impl Iterator<Item = &Value> {
    printed["operations"].as_array().unwrap().iter()
}

#[test]
fn the_answer_matches_its_snapshot() {
    let mut client = Client::connect(lab(), &["serve", "--surface", "meta"], Era::Stateless);
    let told = client.call("context", &json!({"message": "Say AB-12 and say it again"})).ok();
    insta::assert_snapshot!("context", pretty(&told));
    let nothing = client.call("context", &json!({"message": "sunset"})).ok();
    insta::assert_snapshot!("no_context", pretty(&nothing));
    for wrong in [
        json!({"message": 5}),
        json!({"message": "x", "previous": ["echoes"]}),
        json!({"message": "x", "previous": {"echoes": 1.5}}),
        json!({"message": "x", "perhaps": true}),
    ] {
        assert_eq!(client.call("context", &wrong).code(), "VALIDATION_ERROR", "{wrong}");
    }
}

#[test]
fn the_command_line_prints_tables() {
    let home = Home::new();
    let output = command(&home, &["touch", "the", "echo", "chamber"]);
    insta::assert_snapshot!("table", String::from_utf8(output.stdout).unwrap());
    let output = command(&home, &["sunset"]);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b""[..]));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "No context detected.\n");
    let output = command(&home, &["sunset", "--previous", "echoes"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(command(&home, &[]).status.code(), Some(2));
}
