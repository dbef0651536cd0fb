//! Names that every surface answers although it does not list them, under the rules of their operations.

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::{Client, Era, User};
use toolwrit_tests::files::put;
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::vaults;

use crate::vault::active::open;

const SURFACES: [&str; 4] = ["auto", "meta", "dispatch", "flat"];

fn vault() -> TempDir {
    let folder = vaults::empty();
    for path in ["Read.md", "Move.md", "Drafts/A.md", "Drafts/B.md"] {
        put(&folder.path().join(path), "lantern\n");
    }
    open(folder.path(), "Read.md");
    folder
}

/// Calls that read, by names of each kind.
fn reads() -> [(&'static str, Value); 7] {
    [
        ("vault", json!({"operation": "read", "path": "Read.md"})),
        ("vault", json!({"operation": "read", "params": {"path": "Read.md"}})),
        ("active_file", json!({"operation": "read"})),
        ("vault_read", json!({"path": "Read.md"})),
        ("execute", json!({"tool": "vault.read", "args": {"path": "Read.md"}})),
        ("execute", json!({"tool": "vault_read", "args": {"path": "Read.md"}})),
        ("get_vault_file", json!({"filename": "Read.md"})),
    ]
}

/// Calls that change something, by names of each kind.
fn changes() -> [(&'static str, Value); 4] {
    [
        ("vault", json!({"operation": "write", "path": "New.md", "content": "x"})),
        ("vault_write", json!({"path": "New.md", "content": "x"})),
        ("execute", json!({"tool": "vault.delete", "args": {"path": "Read.md"}})),
        ("vault_delete", json!({"path": "Read.md"})),
    ]
}

#[test]
fn undivided_and_flat_names_are_answered_on_every_surface() {
    let folder = vault();
    for surface in SURFACES {
        let mut client = Client::vault(folder.path(), &["--surface", surface]);
        for (tool, arguments) in reads() {
            let note = client.call(tool, &arguments).ok();
            assert_eq!(note["content"], "lantern\n", "{surface} {tool} {arguments}");
        }
        let plugin =
            json!({"plugin": "dataview", "operation": "query", "params": {"query": "LIST"}});
        assert_eq!(client.call("plugin", &plugin).code(), "PROVIDER_UNAVAILABLE", "{surface}");
        assert!(client.call("discover", &json!({})).ok().is_object(), "{surface}");
        let listed: Vec<Value> = client.tools();
        let lists = |name: &str| listed.iter().any(|tool| tool["name"] == name);
        assert!(!lists("vault") && !lists("execute"), "{surface}");
    }
}

#[test]
fn the_rules_of_the_operation_hold() {
    let folder = vault();
    for surface in SURFACES {
        let mut reading = Client::vault(folder.path(), &["--surface", surface, "--read-only"]);
        let mut hidden = Client::vault(folder.path(), &["--surface", surface, "--role", "reader"]);
        for (tool, arguments) in changes() {
            let code = reading.call(tool, &arguments).code();
            assert_eq!(code, "WRITES_DISABLED", "{surface} {tool} {arguments}");
            let code = hidden.call(tool, &arguments).code();
            assert_eq!(code, "TOOL_NOT_FOUND", "{surface} {tool} {arguments}");
        }
        let vault = folder.path().to_str().unwrap();
        let serve = ["serve", "--vault", vault, "--surface", surface];
        let mut nobody = Client::connect_for(User::Absent, toolwrit(), &serve, Era::Initialize);
        for (tool, arguments) in &changes()[2..] {
            let code = nobody.call(tool, arguments).code();
            assert_eq!(code, "CONFIRMATION_REQUIRED", "{surface} {tool} {arguments}");
        }
    }
    assert!(folder.path().join("Read.md").exists());
    assert!(!folder.path().join("New.md").exists());
}

/// Older servers had one tool `vault`, with the current names of operations and older ones of parameters.
#[test]
fn the_tool_of_a_category_takes_older_parameters() {
    let folder = vault();
    for surface in ["auto", "dispatch"] {
        let mut client = Client::vault(folder.path(), &["--surface", surface]);
        let mut call = |arguments: Value| client.call("vault", &arguments).ok();
        let moved =
            call(json!({"operation": "move", "source": "Move.md", "destination": "Moved.md"}));
        assert_eq!(moved["to"], "Moved.md");
        call(
            json!({"operation": "move", "params": {"source": "Moved.md", "destination": "Move.md"}}),
        );
        for (kind, query, total) in
            [("glob", "Drafts/*", 2), ("regex", "lan[t]ern", 4), ("text", "lantern", 4)]
        {
            let search = json!({"operation": "search", "query": query, "options": {"type": kind}});
            assert_eq!(call(search)["total"], total, "{kind}");
        }
        let options = json!({"match": "Drafts/*.md", "type": "glob", "dryRun": true});
        let deleted = call(json!({"operation": "bulk_delete", "options": options}));
        assert_eq!(deleted["items"][1]["outcome"], "would_delete");
        let listed = call(json!({"operation": "list", "options": {"directory": "Drafts"}}));
        assert_eq!(listed["total"], 2);
    }
}

#[test]
fn current_names_refuse_older_parameters_and_name_the_current_ones() {
    let folder = vault();
    let mut client = Client::vault(folder.path(), &["--surface", "flat"]);
    for (tool, arguments, older, now) in [
        ("vault_move", json!({"path": "A", "destination": "B"}), "destination", "to"),
        ("vault_search", json!({"query": "x", "type": "glob"}), "type", "mode"),
        ("vault_list", json!({"directory": "Drafts"}), "directory", "folder"),
        ("vault_rename", json!({"path": "A", "newName": "B"}), "newName", "name"),
    ] {
        let fault = client.call(tool, &arguments).error();
        assert_eq!(fault["path"], format!("/{older}"), "{fault}");
        assert_eq!(fault["did_you_mean"], json!([now]), "{fault}");
        assert!(fault["hint"].as_str().unwrap().contains(&format!("`{now}`")), "{fault}");
    }
}

#[test]
fn a_search_names_what_the_write_switch_withholds() {
    let folder = vault();
    let mut client = Client::vault(folder.path(), &["--surface", "meta", "--read-only"]);
    let found = client.call("search_tools", &json!({"query": "delete a note"})).ok();
    assert_eq!(found["because"], "WRITES_DISABLED", "{found}");
    let operations = found["withheld"].as_array().unwrap();
    let is_delete = |line: &Value| line.as_str().unwrap().starts_with("vault.delete: ");
    assert!(operations.iter().any(is_delete), "{found}");
    let found = client.call("search_tools", &json!({"query": "read a note"})).ok();
    assert!(found["results"][0].as_str().unwrap().starts_with("vault.read("), "{found}");
    let mut hidden =
        Client::vault(folder.path(), &["--surface", "meta", "--read-only", "--role", "reader"]);
    let found = hidden.call("search_tools", &json!({"query": "delete a note"})).ok();
    assert_eq!(found["withheld"], Value::Null, "{found}");
}
