//! `vault.tag`.

use serde_json::{Value, json};

use crate::vault::{Session, paths};

const NOTES: [(&str, &[u8]); 4] = [
    ("A.md", b"---\r\ntags: [Old, b]\r\n---\r\nword #old/x, `#old`\r\n"),
    ("In/B.md", "\u{feff}#old\nrest\n".as_bytes()),
    ("In/Broken.md", b"---\ntags: [old\n---\n"),
    ("In/C.md", b"#other\n"),
];

#[test]
fn a_tag_is_renamed_everywhere_and_no_other_byte_changes() {
    let mut vault = Session::with(&NOTES);
    let mut arguments = json!({"action": "rename", "tags": ["#old"], "to": "new", "dry_run": true});
    let shown = vault.call("tag", arguments.clone()).ok();
    assert_eq!(paths(&shown["notes"]), ["A.md", "In/B.md"]);
    assert_eq!(paths(&shown["skipped"]), ["In/Broken.md"]);
    assert_eq!(
        (&shown["notes"][0]["changes"], &shown["notes"][0]["etag"]),
        (&json!(2), &Value::Null)
    );
    assert_eq!(vault.bytes("A.md"), NOTES[0].1);
    arguments["dry_run"] = json!(false);
    let done = vault.call("tag", arguments).ok();
    assert_eq!(done["notes"][0]["etag"], vault.etag("A").as_str());
    assert_eq!(vault.bytes("A.md"), b"---\r\ntags: [new, b]\r\n---\r\nword #new/x, `#old`\r\n");
    assert_eq!(vault.bytes("In/B.md"), "\u{feff}#new\nrest\n".as_bytes());
    let tags = vault.call("tags", json!({})).ok();
    assert!(!tags.to_string().contains("old"), "{tags}");
    vault.call("undo", json!({})).ok();
    for (path, bytes) in NOTES {
        assert_eq!(vault.bytes(path), bytes);
    }
}

#[test]
fn tags_are_added_to_notes_and_removed_from_a_folder() {
    let mut vault = Session::with(&NOTES);
    let arguments = json!({"action": "add", "tags": ["urgent", "B"], "paths": ["A", "In/C.md"]});
    let done = vault.call("tag", arguments.clone()).ok();
    assert_eq!(paths(&done["notes"]), ["A.md", "In/C.md"]);
    assert_eq!(vault.bytes("In/C.md"), b"---\ntags:\n  - urgent\n  - B\n---\n#other\n");
    assert!(vault.bytes("A.md").starts_with(b"---\r\ntags: [Old, b, urgent]\r\n"));
    let again = vault.call("tag", arguments).ok();
    assert_eq!((&again["notes"], again["skipped"].as_array().unwrap().len()), (&json!([]), 2));
    let arguments = json!({"action": "remove", "tags": ["old", "other"], "folder": "In"});
    let done = vault.call("tag", arguments).ok();
    assert_eq!(paths(&done["notes"]), ["In/B.md", "In/C.md"]);
    assert_eq!(vault.bytes("In/B.md"), "\u{feff}rest\n".as_bytes());
    assert!(vault.bytes("A.md").ends_with(b"#old/x, `#old`\r\n"));
}

#[test]
fn calls_that_make_no_sense_are_refused() {
    let mut vault = Session::with(&NOTES);
    for (arguments, code, path) in [
        (json!({"action": "add", "tags": ["a"]}), "VALIDATION_ERROR", "/paths"),
        (
            json!({"action": "add", "tags": ["a"], "paths": ["A"], "place": "both"}),
            "VALIDATION_ERROR",
            "/place",
        ),
        (json!({"action": "remove", "tags": ["ok", "a b"]}), "VALIDATION_ERROR", "/tags/1"),
        (json!({"action": "rename", "tags": ["a"]}), "VALIDATION_ERROR", "/to"),
        (json!({"action": "rename", "tags": ["a"], "to": "2026"}), "VALIDATION_ERROR", "/to"),
        (json!({"action": "remove", "tags": ["a"], "to": "b"}), "VALIDATION_ERROR", "/to"),
        (
            json!({"action": "remove", "tags": ["a"], "paths": ["A"], "folder": "In"}),
            "VALIDATION_ERROR",
            "/folder",
        ),
        (json!({"action": "remove", "tags": ["a"], "folder": "Nowhere"}), "NOT_FOUND", ""),
        (json!({"action": "remove", "tags": ["a"], "paths": ["A", "Nobody"]}), "NOT_FOUND", ""),
        (json!({"action": "remove", "tags": ["a"], "paths": ["../A"]}), "INVALID_PATH", "/paths/0"),
    ] {
        let error = vault.call("tag", arguments).error();
        assert_eq!(error["code"], code, "{error}");
        assert_eq!(error["path"].as_str().unwrap_or_default(), path, "{error}");
    }
    for (path, bytes) in NOTES {
        assert_eq!(vault.bytes(path), bytes);
    }
}
