//! Another program that holds the lock of the vault.

use std::fs;

use serde_json::json;
use tempfile::TempDir;
use toolwrit_tests::drivers::client::{CallResult, Client};
use toolwrit_tests::vaults;

/// More than the handlers that may run at once.
const WRITES: usize = 40;

/// A vault whose lock this process holds.
fn locked() -> (TempDir, fs::File) {
    let vault = vaults::generate(3);
    fs::write(vault.path().join("Note.md"), "text").unwrap();
    fs::create_dir(vault.path().join(".toolwrit")).unwrap();
    let lock = fs::File::create(vault.path().join(".toolwrit/lock")).unwrap();
    lock.lock().unwrap();
    (vault, lock)
}

#[test]
fn writers_waiting_for_the_lock_do_not_block_readers() {
    let (vault, lock) = locked();
    let mut client = Client::vault(vault.path(), &["--surface", "flat"]);
    for number in 0..WRITES {
        let call = json!({"path": format!("new {number}"), "content": "x"});
        client.begin_call("vault_write", &call);
    }
    let read = client.begin_call("vault_read", &json!({"path": "Note"}));
    let mut told = 0;
    let mut told_before_the_reader = None;
    while told < WRITES || told_before_the_reader.is_none() {
        let answer = client.next_answer();
        let result = CallResult(answer["result"].clone());
        if answer["id"] == read {
            assert_eq!(result.ok()["content"], "text");
            told_before_the_reader = Some(told);
        } else {
            assert_eq!(result.code(), "LIMIT_EXCEEDED", "{answer}");
            told += 1;
        }
    }
    assert!(told_before_the_reader < Some(WRITES), "the reader waited for all writers");
    drop(lock);
    client.call("vault_write", &json!({"path": "after", "content": "x"})).ok();
}

#[test]
fn a_writer_waiting_for_the_lock_fails_before_its_timeout() {
    let (vault, _lock) = locked();
    let mut client = Client::vault(vault.path(), &["--surface", "flat"]);
    for (tool, arguments) in [
        ("vault_write", json!({"path": "new", "content": "x"})),
        ("vault_append", json!({"path": "Note", "content": "x"})),
        ("vault_move", json!({"path": "Note", "to": "Other"})),
        ("vault_rename", json!({"path": "Note", "name": "Other"})),
        ("vault_delete", json!({"path": "Note"})),
    ] {
        let answer = client.call(tool, &arguments);
        assert_eq!(answer.code(), "LIMIT_EXCEEDED", "{tool}: {}", answer.0);
        assert!(answer.text().contains("nother program"), "{tool}: {}", answer.0);
    }
    assert_eq!(fs::read(vault.path().join("Note.md")).unwrap(), b"text");
}

/// A move waits for the index, which takes a while to build in a large vault.
#[test]
fn a_move_is_cancelled_while_it_waits_for_the_index() {
    let vault = vaults::generate(4_000);
    fs::write(vault.path().join("Note.md"), "text").unwrap();
    let flags = ["--surface", "flat", "--timeout", "10m"];
    let mut client = Client::vault(vault.path(), &flags);
    let id = client.begin_call("vault_move", &json!({"path": "Note", "to": "Moved"}));
    let cancel = json!({"requestId": id});
    client.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel,
    }));
    // The writer after the move waits for the same index, and then for the write lock.
    client.call("vault_search", &json!({"query": "lantern"})).ok();
    client.call("vault_move", &json!({"path": "Note", "to": "Second"})).ok();
    assert!(!vault.path().join("Moved.md").exists());
    assert_eq!(fs::read(vault.path().join("Second.md")).unwrap(), b"text");
}
