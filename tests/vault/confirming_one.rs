//! The confirmation of a deletion covers exactly the shown note in its version.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::{CallResult, Client, Era, User};
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::vaults;

use crate::vault::active::open;

/// A deletion, a change before it is confirmed, and whether the change affects the deletion.
struct Row {
    what: &'static str,
    tool: &'static str,
    changes: bool,
    happen: fn(&TempDir),
}

const ROWS: [Row; 5] = [
    Row { what: "nothing", tool: "vault_delete", changes: false, happen: |_| {} },
    Row {
        what: "another note",
        tool: "vault_delete",
        changes: false,
        happen: |vault| put(vault, "Other.md", "changed"),
    },
    Row {
        what: "an edit",
        tool: "vault_delete",
        changes: true,
        happen: |vault| put(vault, "Note.md", "edited"),
    },
    Row { what: "nothing", tool: "active_file_delete", changes: false, happen: |_| {} },
    Row {
        what: "another active file",
        tool: "active_file_delete",
        changes: true,
        happen: |vault| open(vault.path(), "Other.md"),
    },
];

fn put(vault: &TempDir, path: &str, text: &str) {
    fs::write(vault.path().join(path), text).unwrap();
}

fn serve(user: User, era: Era) -> (TempDir, Client) {
    let vault = vaults::empty();
    put(&vault, "Note.md", "note");
    put(&vault, "Other.md", "other");
    open(vault.path(), "Note.md");
    let arguments = ["serve", "--vault", vault.path().to_str().unwrap(), "--surface", "flat"];
    let client = Client::connect_for(user, toolwrit(), &arguments, era);
    (vault, client)
}

fn arguments(row: &Row) -> Value {
    if row.tool == "vault_delete" { json!({"path": "Note"}) } else { json!({}) }
}

/// Checks the result of the call after the change.
fn check(row: &Row, vault: &TempDir, result: &CallResult) {
    let exists = |path: &str| vault.path().join(path).exists();
    if row.changes {
        let error = result.error();
        assert_eq!(error["code"], "CONFLICT", "{}: {error}", row.what);
        assert!(error["message"].as_str().unwrap().contains("nothing was deleted"), "{error}");
        assert!(error["hint"].as_str().unwrap().contains("without `confirm`"), "{error}");
    } else {
        assert_eq!(result.clone().ok()["path"], "Note.md", "{}", row.what);
    }
    assert_eq!(exists("Note.md"), row.changes, "{}", row.what);
    assert!(exists("Other.md"), "{}", row.what);
}

fn assert_shown(text: &str) {
    // A model gets JSON, and a person lines.
    let has = |json: &str, line: &str| text.contains(json) || text.contains(line);
    assert!(has(r#""path":"Note.md""#, "\npath: Note.md\n"), "{text}");
    assert!(has(r#""etag":"#, "\netag: "), "{text}");
    assert!(text.contains("would_trash"), "{text}");
}

#[test]
fn a_confirmation_token_covers_the_note_that_was_shown() {
    for era in Era::ALL {
        for row in &ROWS {
            let (vault, mut client) = serve(User::Absent, era);
            let refused = client.call(row.tool, &arguments(row)).error();
            assert_eq!(refused["code"], "CONFIRMATION_REQUIRED");
            assert_shown(refused["message"].as_str().unwrap());
            (row.happen)(&vault);
            check(row, &vault, &client.call(row.tool, &refused["example"]));
        }
    }
}

#[test]
fn an_elicited_confirmation_covers_the_note_that_was_shown() {
    for row in &ROWS {
        let (vault, mut client) = serve(User::Agrees, Era::Initialize);
        let call = client.begin_call(row.tool, &arguments(row));
        let question = client.next_message();
        assert_shown(question["params"]["message"].as_str().unwrap());
        (row.happen)(&vault);
        let yes = json!({"action": "accept", "content": {}});
        client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": yes}));
        check(row, &vault, &client.finish_call(call));
    }
}

#[test]
fn the_question_says_that_a_deletion_is_permanent() {
    let (vault, mut client) = serve(User::Absent, Era::Initialize);
    put(&vault, ".obsidian/app.json", r#"{"trashOption":"none"}"#);
    let calls = [
        ("vault_delete", json!({"path": "Note"})),
        ("active_file_delete", json!({})),
        ("vault_bulk_delete", json!({"match": "Note.md"})),
    ];
    for (tool, arguments) in calls {
        let refused = client.call(tool, &arguments).error();
        assert!(refused["message"].as_str().unwrap().contains("permanently"), "{tool}: {refused}");
    }
    // A deletion that is now permanent is not the one that was shown.
    put(&vault, ".obsidian/app.json", r#"{"trashOption":"local"}"#);
    let refused = client.call("vault_delete", &json!({"path": "Note"})).error();
    put(&vault, ".obsidian/app.json", r#"{"trashOption":"none"}"#);
    assert_eq!(client.call("vault_delete", &refused["example"]).code(), "CONFLICT");
    assert!(vault.path().join("Note.md").exists());
}

/// The file is not read, so its size and modification time identify it.
#[test]
fn a_file_too_large_to_read_is_confirmed_by_size_and_time() {
    for (tool, arguments) in [
        ("vault_delete", json!({"path": "Large.md"})),
        ("vault_bulk_delete", json!({"match": "Large.md"})),
    ] {
        let (vault, mut client) = serve(User::Absent, Era::Initialize);
        let file = fs::File::create(vault.path().join("Large.md")).unwrap();
        file.set_len(17 << 20).unwrap();
        let refused = client.call(tool, &arguments).error();
        assert_eq!(refused["code"], "CONFIRMATION_REQUIRED", "{refused}");
        file.set_len(18 << 20).unwrap();
        assert_eq!(client.call(tool, &refused["example"]).code(), "CONFLICT", "{tool}");
        let refused = client.call(tool, &arguments).error();
        client.call(tool, &refused["example"]).ok();
        assert!(!vault.path().join("Large.md").exists(), "{tool}");
    }
}
