//! `active.*`: the file that is open in Obsidian.

pub(crate) mod api;
mod asked;
mod pinned;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::vaults;

use crate::vault::Session;

const LAYOUT: &str = ".obsidian/workspace.json";

/// Saves a layout in which this file is active, and others are open.
pub(crate) fn open(vault: &Path, file: &str) {
    let leaf = |id: &str, file: &str| {
        let state = json!({"file": file, "mode": "source", "source": false});
        json!({"id": id, "type": "leaf", "state": {"type": "markdown", "state": state}})
    };
    let tabs = |leaf: Value| json!({"id": "t", "type": "tabs", "children": [leaf]});
    let panes = [tabs(leaf("a", "Aside.md")), tabs(leaf("b", file))];
    let layout = json!({
        "main": {"id": "m", "type": "split", "direction": "vertical", "children": panes},
        "active": "b",
        "lastOpenFiles": ["Aside.md"],
    });
    fs::write(vault.join(LAYOUT), layout.to_string()).unwrap();
}

/// A vault in which `Open.md` is the active file.
fn session() -> Session {
    let mut session = Session::with(&[("Open.md", b"# A\r\nb\r\n"), ("Aside.md", b"aside\n")]);
    session.open("Open.md");
    session
}

impl Session {
    fn open(&mut self, file: &str) {
        open(self.folder.path(), file);
    }
}

/// A call of each operation that needs an active file.
fn calls() -> [(&'static str, Value); 5] {
    let patch =
        json!({"target_type": "heading", "target": "A", "operation": "append", "content": "c"});
    [
        ("read", json!({})),
        ("write", json!({"content": "new"})),
        ("append", json!({"content": "c"})),
        ("patch", patch),
        ("delete", json!({})),
    ]
}

/// Checks that each call fails with this code and changes nothing. Returns the last failure.
fn all_fail(session: &mut Session, code: &str) -> Value {
    let before = vaults::contents(session.folder.path());
    let mut last = Value::Null;
    for (operation, arguments) in calls() {
        last = session.call_active(operation, arguments).error();
        assert_eq!(last["code"], code, "{operation}: {last}");
        assert!(last["hint"].is_string(), "{operation}: {last}");
    }
    let mut after = vaults::contents(session.folder.path());
    after.retain(|path, _| !path.starts_with(".toolwrit/") || before.contains_key(path));
    assert_eq!(after, before);
    last
}

#[test]
fn the_active_file_is_read_whole_and_in_parts() {
    let mut session = session();
    let note = session.call_active("read", json!({})).ok();
    assert_eq!(
        (note["path"].as_str(), note["content"].as_str()),
        (Some("Open.md"), Some("# A\nb\n"))
    );
    assert_eq!(
        note,
        session.call("read", json!({"path": "Open.md"})).ok(),
        "as `vault.read` has it"
    );
    let json = session.call_active("read", json!({"format": "json", "lines": "1"})).ok();
    assert_eq!(json["headings"], json!([{"level": 1, "text": "A", "line": 1}]));
    let cut = session.call_active("read", json!({"heading": "A", "max_bytes": 2})).ok();
    assert_eq!((cut["content"].as_str(), &cut["truncated"]), (Some("# "), &json!(true)));
    let missing = session.call_active("read", json!({"block": "x"})).error();
    assert_eq!(missing["code"], "NOT_FOUND");
}

#[test]
fn the_active_file_is_changed_like_any_note() {
    let mut session = session();
    let appended = session.call_active("append", json!({"content": "c\n"})).ok();
    assert_eq!((appended["path"].as_str(), &appended["created"]), (Some("Open.md"), &json!(false)));
    assert_eq!(session.bytes("Open.md"), b"# A\r\nb\r\nc\r\n");
    let patch = json!({
        "target_type": "frontmatter", "target": "status", "operation": "replace", "content": "done",
        "create_if_missing": true, "if_match": appended["etag"],
    });
    let patched = session.call_active("patch", patch).ok();
    assert_eq!(session.bytes("Open.md"), b"---\r\nstatus: done\r\n---\r\n# A\r\nb\r\nc\r\n");
    let write = json!({"content": "one\ntwo\n", "if_match": patched["etag"]});
    let written = session.call_active("write", write).ok();
    assert_eq!(session.bytes("Open.md"), b"one\r\ntwo\r\n");
    let deleted = session.call_active("delete", json!({"if_match": written["etag"]})).ok();
    assert_eq!((deleted["path"].as_str(), session.exists("Open.md")), (Some("Open.md"), false));
    assert_eq!(session.bytes(".trash/Open.md"), b"one\r\ntwo\r\n");
    assert_eq!(session.bytes("Aside.md"), b"aside\n");
}

#[test]
fn an_etag_of_another_file_is_a_conflict() {
    let mut session = session();
    let before = vaults::contents(session.folder.path());
    let stale = session.etag("Aside.md");
    let current = session.etag("Open.md");
    // The file was changed, or another one was opened: for an old etag both are the same.
    for (operation, mut arguments) in calls().into_iter().skip(1) {
        arguments["if_match"] = stale.as_str().into();
        let error = session.call_active(operation, arguments).error();
        assert_eq!(
            (error["code"].as_str(), &error["expected"]),
            (Some("CONFLICT"), &json!(format!("if_match {current}"))),
            "{operation}: {error}"
        );
    }
    for file in ["Open.md", "Aside.md"] {
        assert_eq!(session.bytes(file), before[file]);
    }
}

#[test]
fn the_layout_is_read_at_each_call() {
    let mut session = session();
    session.open("Aside.md");
    assert_eq!(session.call_active("read", json!({})).ok()["path"], "Aside.md");
    session.open("Open.md");
    assert_eq!(session.call_active("read", json!({})).ok()["path"], "Open.md");
}

#[test]
fn without_a_valid_layout_the_call_fails() {
    let mut session = session();
    let inside_out = r#"{"lastOpenFiles": ["../Open.md"]}"#;
    for (layout, says) in [
        ("{", "read the active file from `.obsidian/workspace.json`"),
        (inside_out, "`../Open.md` is an invalid path"),
        (r#"{"active": 3}"#, "`active` is not the id of a leaf"),
        (r#"{"active": "b", "lastOpenFiles": []}"#, "o file is open in Obsidian"),
    ] {
        fs::write(session.path(LAYOUT), layout).unwrap();
        let error = all_fail(&mut session, "NOT_FOUND");
        assert!(error["message"].as_str().unwrap().contains(says), "{error}");
        assert_eq!(session.bytes(LAYOUT), layout.as_bytes(), "it is not ours to write");
    }
    fs::remove_file(session.path(LAYOUT)).unwrap();
    let error = all_fail(&mut session, "NOT_FOUND");
    assert!(
        error["message"].as_str().unwrap().contains("no `.obsidian/workspace.json`"),
        "{error}"
    );
}

#[test]
fn a_missing_active_file_is_not_created() {
    let mut session = session();
    fs::create_dir(session.path("Done")).unwrap();
    fs::rename(session.path("Open.md"), session.path("Done/Open.md")).unwrap();
    let error = all_fail(&mut session, "NOT_FOUND");
    assert_eq!(error["message"], "The active file `Open.md` is not in the vault.");
    assert_eq!(error["did_you_mean"], json!(["Done/Open.md"]));
}

#[test]
fn only_notes_can_be_appended_to_and_patched() {
    let mut session = session();
    let canvas = r#"{"nodes":[],"edges":[]}"#;
    fs::write(session.path("Plan.canvas"), canvas).unwrap();
    fs::write(session.path("Picture.png"), b"\x89PNG\0").unwrap();
    session.open("Plan.canvas");
    assert_eq!(session.call_active("read", json!({})).ok()["content"], canvas);
    for (operation, arguments) in
        calls().into_iter().filter(|(name, _)| ["append", "patch"].contains(name))
    {
        let error = session.call_active(operation, arguments).error();
        assert_eq!(error["code"], "VALIDATION_ERROR", "{error}");
        assert!(
            error["message"].as_str().unwrap().contains("`Plan.canvas` is not a Markdown note"),
            "{error}"
        );
    }
    assert_eq!(session.bytes("Plan.canvas"), canvas.as_bytes());
    let text = json!({"content": r#"{"nodes":[]}"#});
    assert_eq!(session.call_active("write", text).ok()["path"], "Plan.canvas");
    session.open("Picture.png");
    for (operation, arguments) in calls().into_iter().take(2) {
        assert_eq!(
            session.call_active(operation, arguments).code(),
            "VALIDATION_ERROR",
            "{operation}"
        );
    }
    assert_eq!(session.bytes("Picture.png"), b"\x89PNG\0");
    assert_eq!(session.call_active("delete", json!({})).ok()["path"], "Picture.png");
}

#[test]
fn a_name_in_another_normal_form_is_the_file_on_disk() {
    let (composed, decomposed) = ("Caf\u{e9}.md", "Cafe\u{301}.md");
    let mut session = Session::with(&[(decomposed, b"x\n")]);
    session.open(composed);
    assert_eq!(session.call_active("append", json!({"content": "y\n"})).ok()["path"], decomposed);
    assert_eq!(session.bytes(decomposed), b"x\ny\n");
    assert!(!session.exists(composed), "no second file");
}

#[test]
fn without_the_plugin_show_fails_with_what_would_enable_it() {
    let mut session = session();
    let error = session.call_active("show", json!({"path": "Open.md"})).error();
    assert_eq!(error["code"], "PROVIDER_UNAVAILABLE");
    assert_eq!(
        error["message"],
        "`active.show` needs Obsidian's Local REST API, which is not available. The variable TOOLWRIT_OBSIDIAN_API_KEY is not set."
    );
    for word in ["Local REST API", "TOOLWRIT_OBSIDIAN_API_KEY", "TOOLWRIT_OBSIDIAN_CERT"] {
        assert!(error["hint"].as_str().unwrap().contains(word), "{error}");
    }
    let tools = session.client.tools();
    let lists = |name: &str| tools.iter().any(|tool| tool["name"] == name);
    assert!(lists("active_file_read") && !lists("active_file_show"));
}
