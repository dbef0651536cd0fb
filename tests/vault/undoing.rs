//! `vault.history` and `vault.undo`.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::vaults::{self, contents};

use crate::vault::Session;

/// Each tool that changes notes, with arguments that change something.
fn changes() -> Vec<(&'static str, Value)> {
    let property = json!({
        "path": "A", "target_type": "frontmatter", "target": "x", "operation": "replace",
        "content": 1, "create_if_missing": true,
    });
    vec![
        ("vault_write", json!({"path": "A", "content": "new", "mode": "overwrite"})),
        ("vault_append", json!({"path": "A", "content": "more"})),
        ("vault_append", json!({"path": "New/Note", "content": "more"})),
        ("vault_patch", property),
        ("vault_rename", json!({"path": "A", "name": "Renamed"})),
        ("vault_move", json!({"path": "B", "to": "Folder/B"})),
        ("vault_task", json!({"path": "B", "text": "task", "status": "done"})),
        ("vault_daily", json!({"date": "2026-03-09"})),
        ("vault_tag", json!({"action": "add", "tags": ["x"], "paths": ["A"]})),
        ("vault_bulk_properties", json!({"paths": ["A"], "set": {"x": 1}})),
        ("vault_delete", json!({"path": "A"})),
        ("vault_bulk_delete", json!({"match": "*.md"})),
    ]
}

/// The files of the vault. Folders that a change made stay.
fn files(session: &Session) -> BTreeMap<String, Vec<u8>> {
    let mut files = contents(session.folder.path());
    files.retain(|path, _| {
        !path.ends_with('/') && !path.starts_with(".trash/") && !path.starts_with(".toolwrit/")
    });
    files
}

#[test]
fn every_change_names_the_id_that_undoes_it() {
    for (tool, arguments) in changes() {
        let mut session = Session::with(&[("A.md", b"a\n"), ("B.md", b"[[A]]\n\n- [ ] task\n")]);
        let before = files(&session);
        let mut changed = session.client.call(tool, &arguments);
        let id = changed.take_undo().unwrap_or_else(|| panic!("{tool}: {changed:?}"));
        assert_ne!(files(&session), before, "{tool}");
        let history = session.call("history", json!({})).ok();
        assert_eq!(history["entries"][0]["id"], id, "{tool}");
        let operation = history["entries"][0]["operation"].as_str().unwrap();
        assert_eq!(operation.replace('.', "_"), tool);
        let undone = session.call("undo", json!({"id": id})).ok();
        assert_eq!(undone.get("conflicts"), None, "{tool}: {undone}");
        assert_eq!(files(&session), before, "{tool}");
    }
}

#[test]
fn what_projects_write_is_in_the_history() {
    let mut session = Session::with(&[]);
    let create = json!({"type": "task", "data": {"title": "Hinge"}});
    session.client.call("create_entity", &create).ok();
    let history = session.call("history", json!({})).ok();
    assert_eq!(history["entries"][0]["operation"], "project.create_entity");
    let undone = session.call("undo", json!({})).ok();
    assert_eq!(undone["undone"], history["entries"][0]["paths"]);
}

#[test]
fn what_cannot_be_undone_is_said() {
    let mut session = Session::with(&[("A.md", b"a\n")]);
    assert_eq!(session.call("undo", json!({})).code(), "NOT_FOUND");
    assert_eq!(session.call("undo", json!({"id": "../../key"})).code(), "NOT_FOUND");
    session.call("append", json!({"path": "A", "content": "more"})).ok();
    fs::write(session.path("A.md"), "by hand").unwrap();
    let refused = session.call("undo", json!({}));
    assert_eq!(refused.code(), "CONFLICT");
    assert!(refused.text().contains("changed since"), "{}", refused.text());
    assert_eq!(session.bytes("A.md"), b"by hand");
    session.call("delete", json!({"path": "A"})).ok();
    fs::write(session.path("A.md"), "again").unwrap();
    let trash = session.call("history", json!({"of": "trash"})).ok();
    assert_eq!(trash["entries"][0]["id"], ".trash/A.md");
    assert_eq!(trash["entries"][0]["undoable"], false);
    assert_eq!(session.call("undo", json!({"id": ".trash/A.md"})).code(), "ALREADY_EXISTS");
}

#[test]
fn accounts_see_their_own_changes_and_owners_all() {
    let (home, vault) = (Home::new(), vaults::empty());
    let tokens = ["editor", "editor", "owner"].map(|role| home.token(toolwrit(), role));
    let folder = vault.path().to_str().unwrap();
    let server = home.serve(toolwrit(), &["--vault", folder, "--surface", "flat"]);
    let call = |token: usize, tool: &str, arguments: Value| {
        server.client("").bearing(&tokens[token]).call(tool, &arguments).ok()
    };
    call(0, "vault_append", json!({"path": "First", "content": "x"}));
    call(1, "vault_append", json!({"path": "Second", "content": "x"}));
    let total = |token| call(token, "vault_history", json!({}))["total"].clone();
    assert_eq!([total(0), total(1), total(2)], [1, 1, 2].map(Value::from));
    assert_eq!(call(0, "vault_undo", json!({}))["undone"], json!(["First.md"]));
}

#[test]
fn nothing_is_kept_if_the_operator_says_so() {
    let vault = TempDir::new().unwrap();
    let mut client = Client::vault(vault.path(), &["--surface", "flat", "--undo", "0"]);
    let mut written = client.call("vault_append", &json!({"path": "A", "content": "x"}));
    assert_eq!(written.take_undo(), None);
    assert_eq!(client.call("vault_history", &json!({})).ok()["total"], 0);
}

#[test]
fn a_write_replaces_a_note_only_if_asked_to() {
    let mut session = Session::with(&[("A.md", b"a\n")]);
    let refused = session.call("write", json!({"path": "A", "content": "b\n"}));
    assert_eq!(refused.code(), "ALREADY_EXISTS");
    assert!(refused.text().contains("overwrite"), "{}", refused.text());
    assert_eq!(session.bytes("A.md"), b"a\n");
    let etag = session.etag("A");
    session.call("write", json!({"path": "A", "content": "b\n", "if_match": etag})).ok();
    session.call("write", json!({"path": "A", "content": "c\n", "mode": "overwrite"})).ok();
    assert_eq!(session.bytes("A.md"), b"c\n");
    session.client.call("create_vault_file", &json!({"filename": "A.md", "content": "d\n"})).ok();
    assert_eq!(session.bytes("A.md"), b"d\n");
}
