//! `vault.task`.

use serde_json::{Value, json};

use crate::vault::Session;

const NOTE: &[u8] = "\u{feff}- [ ] Buy milk\r\n- [ ] Buy bread ^b1\r\n\t- more\r\n".as_bytes();
const PLUGIN: [(&str, &[u8]); 3] = [
    (".obsidian/community-plugins.json", br#"["obsidian-tasks-plugin"]"#),
    (
        ".obsidian/plugins/obsidian-tasks-plugin/manifest.json",
        br#"{"id": "obsidian-tasks-plugin", "version": "7.22.0"}"#,
    ),
    (".obsidian/plugins/obsidian-tasks-plugin/data.json", b"{}"),
];

#[test]
fn one_task_changes_and_no_other_byte() {
    let mut vault = Session::with(&[("N.md", NOTE)]);
    let etag = vault.etag("N");
    let arguments = json!({"path": "N", "block": "b1", "status": "done", "dry_run": true});
    let shown = vault.call("task", arguments).ok();
    assert_eq!((&shown["after"], &shown["etag"]), (&json!("- [x] Buy bread ^b1"), &Value::Null));
    assert_eq!(vault.bytes("N.md"), NOTE);
    let arguments = json!({"path": "N", "block": "b1", "status": "done", "if_match": etag});
    let done = vault.call("task", arguments.clone()).ok();
    assert_eq!((&done["line"], &done["before"]), (&json!(2), &json!("- [ ] Buy bread ^b1")));
    assert_eq!(done["etag"], vault.etag("N").as_str());
    let text = String::from_utf8(NOTE.to_vec()).unwrap();
    assert_eq!(vault.bytes("N.md"), text.replace("[ ] Buy b", "[x] Buy b").into_bytes());
    assert_eq!(vault.call("task", arguments).code(), "CONFLICT");
}

#[test]
fn the_plugin_writes_the_day_and_the_next_occurrence() {
    let mut vault = Session::with(&PLUGIN);
    let content = "- [ ] a \u{1f501} every week \u{1f4c5} 2026-03-02\n";
    vault.call("write", json!({"path": "N", "content": content, "mode": "overwrite"})).ok();
    let arguments = json!({"path": "N", "line": 1, "status": "done", "date": "2026-03-03"});
    let done = vault.call("task", arguments).ok();
    assert_eq!(done["added"], "- [ ] a \u{1f501} every week \u{1f4c5} 2026-03-09");
    assert_eq!(
        done["after"],
        "- [x] a \u{1f501} every week \u{1f4c5} 2026-03-02 \u{2705} 2026-03-03"
    );
    assert_eq!(done["line"], 2);
}

#[test]
fn a_task_must_be_named_once() {
    let mut vault = Session::with(&[("N.md", NOTE)]);
    for (arguments, code, said) in [
        (json!({"path": "N", "text": "buy"}), "VALIDATION_ERROR", "line 2: `Buy bread ^b1"),
        (json!({"path": "N"}), "VALIDATION_ERROR", "line"),
        (json!({"path": "N", "line": 1, "text": "buy"}), "VALIDATION_ERROR", "line"),
        (json!({"path": "N", "line": 9}), "NOT_FOUND", "line 1: `Buy milk`"),
        (json!({"path": "N", "block": "b"}), "NOT_FOUND", "b1"),
        (json!({"path": "N", "line": 1, "date": "2026-02-30"}), "VALIDATION_ERROR", "date"),
    ] {
        let mut arguments = arguments;
        arguments["status"] = json!("toggle");
        let error = vault.call("task", arguments).error();
        assert_eq!(error["code"], code, "{error}");
        assert!(error["message"].as_str().unwrap().contains(said), "{error}");
    }
    assert_eq!(vault.bytes("N.md"), NOTE);
}
