//! Which file is active, from the layouts that Obsidian saves.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use toolwrit_vault::{LayoutError, PathFault, VaultError};

use crate::Sandbox;

const LAYOUT: &str = ".obsidian/workspace.json";
const MOBILE: &str = ".obsidian/workspace-mobile.json";

fn leaf(id: &str, kind: &str, state: &Value) -> Value {
    json!({"id": id, "type": "leaf", "state": {"type": kind, "state": state}})
}

fn note(id: &str, file: &str) -> Value {
    leaf(id, "markdown", &json!({"file": file, "mode": "source", "source": false}))
}

fn tabs(leaves: &[Value]) -> Value {
    json!({"id": "t", "type": "tabs", "children": leaves, "currentTab": 0})
}

/// Two panes side by side, a sidebar, and a window of its own.
fn layout(active: &str) -> Value {
    json!({
        "main": {"id": "m", "type": "split", "direction": "vertical", "children": [
            tabs(&[note("left", "Left.md"), leaf("graph", "graph", &json!({}))]),
            {"id": "s", "type": "split", "children": [
                tabs(&[leaf("canvas", "canvas", &json!({"file": "Plan.canvas"}))]),
                tabs(&[leaf("new", "empty", &json!({}))]),
            ]},
        ]},
        "left": {"id": "l", "type": "split", "children": [
            tabs(&[leaf("explorer", "file-explorer", &json!({"sortOrder": "alphabetical"}))]),
        ], "width": 300},
        "right": {"id": "r", "type": "split", "children": [
            tabs(&[leaf("backlinks", "backlink", &json!({"file": "Folder/Deep.md"}))]),
        ]},
        "left-ribbon": {"hiddenItems": {}},
        "floating": {"id": "f", "type": "floating", "children": [
            {"id": "w", "type": "window", "x": 0, "children": [tabs(&[note("popout", "Popout.md")])]},
        ]},
        "active": active,
        "lastOpenFiles": ["Last.md", "Left.md"],
    })
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for file in ["Left.md", "Plan.canvas", "Folder/Deep.md", "Popout.md", "Last.md"] {
        sandbox.put(file, "x");
    }
    sandbox
}

fn with(layout: &Value) -> Sandbox {
    let sandbox = sandbox();
    sandbox.put(LAYOUT, layout.to_string());
    sandbox
}

fn active(sandbox: &Sandbox) -> String {
    sandbox.vault.active_file().unwrap().to_string()
}

fn failure(sandbox: &Sandbox) -> LayoutError {
    match sandbox.vault.active_file() {
        Err(VaultError::NoActiveFile(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_active_leaf_is_found_anywhere_in_the_layout() {
    for (leaf, file) in [
        ("left", "Left.md"),
        ("canvas", "Plan.canvas"),
        ("backlinks", "Folder/Deep.md"),
        ("popout", "Popout.md"),
    ] {
        assert_eq!(active(&with(&layout(leaf))), file, "{leaf}");
    }
}

#[test]
fn without_a_file_in_the_leaf_the_last_opened_file_is_active() {
    for leaf in ["graph", "new", "explorer", "closed since", ""] {
        assert_eq!(active(&with(&layout(leaf))), "Last.md", "{leaf}");
    }
    // A split is not a leaf, whatever its id.
    assert_eq!(active(&with(&layout("m"))), "Last.md");
    let mut none = layout("");
    none.as_object_mut().unwrap().remove("active");
    assert_eq!(active(&with(&none)), "Last.md");
}

#[test]
fn no_open_file_is_distinguished_from_no_layout() {
    let mut nothing = layout("new");
    nothing["lastOpenFiles"] = json!([]);
    let reason = LayoutError::NothingOpen { file: LAYOUT.to_owned() };
    assert_eq!(failure(&with(&nothing)), reason);
    assert_eq!(failure(&with(&json!({}))), reason);

    let missing = LayoutError::Missing { file: LAYOUT.to_owned() };
    assert_eq!(failure(&sandbox()), missing);
    let plain = sandbox();
    fs::remove_dir_all(plain.file(".obsidian")).unwrap();
    assert_eq!(failure(&plain), missing);
}

#[test]
fn an_invalid_layout_is_an_error() {
    let number = |key: &str| {
        let mut layout = layout("left");
        layout[key] = json!(7);
        layout.to_string()
    };
    let mut file = layout("canvas");
    *file.pointer_mut("/main/children/1/children/0/children/0/state/state/file").unwrap() =
        json!(7);
    let last = |files: Value| {
        let mut layout = layout("new");
        layout["lastOpenFiles"] = files;
        layout.to_string()
    };
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    for (text, says) in [
        (String::new(), "EOF"),
        ("{\"active\": \"left\"".to_owned(), "EOF"),
        ("[]".to_owned(), "not a JSON object"),
        (deep, "recursion"),
        (number("active"), "`active`"),
        (file.to_string(), "`file` of the active leaf"),
        (last(json!({})), "`lastOpenFiles`"),
        (last(json!([null])), "`lastOpenFiles`"),
        (last(json!(["../outside.md"])), "../outside.md"),
        (last(json!([".obsidian/app.json"])), ".obsidian"),
    ] {
        let sandbox = sandbox();
        sandbox.put(LAYOUT, &text);
        match failure(&sandbox) {
            LayoutError::Malformed { file, reason } => {
                assert_eq!(file, LAYOUT);
                assert!(reason.contains(says), "{reason}");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(sandbox.bytes(LAYOUT), text.as_bytes(), "it is only read");
    }
}

#[test]
fn a_layout_that_is_a_link_or_a_folder_is_not_followed() {
    let sandbox = sandbox();
    fs::write(sandbox.beside("outside.json"), layout("left").to_string()).unwrap();
    std::os::unix::fs::symlink("../../outside.json", sandbox.file(LAYOUT)).unwrap();
    assert!(matches!(failure(&sandbox), LayoutError::Malformed { .. }));
    fs::remove_file(sandbox.file(LAYOUT)).unwrap();
    fs::create_dir(sandbox.file(LAYOUT)).unwrap();
    assert!(matches!(failure(&sandbox), LayoutError::Malformed { .. }));
}

#[test]
fn the_layout_that_was_saved_last_is_used() {
    let sandbox = sandbox();
    let save = |file: &str, leaf: &str, seconds: u64| {
        sandbox.put(file, layout(leaf).to_string());
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        File::options().write(true).open(sandbox.file(file)).unwrap().set_modified(time).unwrap();
    };
    save(MOBILE, "popout", 20);
    assert_eq!(active(&sandbox), "Popout.md", "the only one");
    save(LAYOUT, "left", 10);
    assert_eq!(active(&sandbox), "Popout.md");
    save(LAYOUT, "left", 30);
    assert_eq!(active(&sandbox), "Left.md");
    save(MOBILE, "popout", 30);
    assert_eq!(active(&sandbox), "Left.md", "both at once");
}

#[test]
fn a_renamed_configuration_folder_is_found() {
    let sandbox = sandbox();
    fs::rename(sandbox.file(".obsidian"), sandbox.file(".config")).unwrap();
    sandbox.put(".config/workspace.json", layout("left").to_string());
    assert_eq!(active(&sandbox), "Left.md");
}

#[test]
fn the_name_on_disk_is_returned_for_either_normal_form() {
    let (composed, decomposed) = ("Caf\u{e9}.md", "Cafe\u{301}.md");
    for (saved, stored) in [(composed, decomposed), (decomposed, composed)] {
        let sandbox = Sandbox::new();
        sandbox.put(stored, "x");
        sandbox.put(LAYOUT, json!({"lastOpenFiles": [saved]}).to_string());
        let path = sandbox.vault.active_file().unwrap();
        assert_eq!(path.as_str(), stored);
        assert_eq!(path.to_nfc(), composed);
    }
}

#[test]
fn a_missing_active_file_gets_suggestions() {
    let sandbox = with(&layout("left"));
    fs::create_dir(sandbox.file("Moved")).unwrap();
    fs::rename(sandbox.file("Left.md"), sandbox.file("Moved/Left.md")).unwrap();
    match sandbox.vault.active_file() {
        Err(VaultError::NotFound { path, similar }) => {
            assert_eq!(path, "Left.md");
            assert_eq!(
                similar.iter().map(ToString::to_string).collect::<Vec<_>>(),
                ["Moved/Left.md"]
            );
        }
        other => panic!("{other:?}"),
    }
    fs::create_dir(sandbox.file("Left.md")).unwrap();
    match sandbox.vault.active_file() {
        Err(VaultError::InvalidPath(error)) => {
            assert!(matches!(error.fault, PathFault::IsFolder(_)), "{error:?}");
        }
        other => panic!("{other:?}"),
    }
}
