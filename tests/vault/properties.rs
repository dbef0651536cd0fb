//! `vault.bulk_properties`.

use serde_json::json;

use crate::vault::{Session, paths};

const NOTES: [(&str, &[u8]); 3] = [
    ("Drafts/A.md", b"---\r\nstatus: open # why\r\nkind: a\r\n---\r\n"),
    ("Drafts/B.md", b"---\nkind: b\ntype: c\n---\n"),
    ("C.md", b"---\nstatus: open\n---\n"),
];

#[test]
fn properties_of_many_notes_change_as_one() {
    let mut vault = Session::with(&NOTES);
    let mut arguments = json!({
        "match": "Drafts/*.md", "set": {"status": "done"}, "rename": {"kind": "type"}, "dry_run": true
    });
    let shown = vault.call("bulk_properties", arguments.clone()).ok();
    assert_eq!(
        (paths(&shown["notes"]), paths(&shown["skipped"])),
        (vec!["Drafts/A.md"], vec!["Drafts/B.md"])
    );
    assert!(shown["skipped"][0]["reason"].as_str().unwrap().contains("`type` already"), "{shown}");
    assert_eq!(vault.bytes("Drafts/A.md"), NOTES[0].1);
    arguments["dry_run"] = json!(false);
    let done = vault.call("bulk_properties", arguments).ok();
    assert_eq!(done["notes"][0]["etag"], vault.etag("Drafts/A").as_str());
    assert_eq!(vault.bytes("Drafts/A.md"), b"---\r\nstatus: done # why\r\ntype: a\r\n---\r\n");
    assert_eq!(vault.bytes("Drafts/B.md"), NOTES[1].1);
    let arguments = json!({"match": "status = open", "mode": "frontmatter", "remove": ["status"]});
    assert_eq!(paths(&vault.call("bulk_properties", arguments).ok()["notes"]), ["C.md"]);
    assert_eq!(vault.bytes("C.md"), b"");
}

#[test]
fn calls_that_make_no_sense_are_refused() {
    let mut vault = Session::with(&NOTES);
    for (arguments, code) in [
        (json!({"set": {"a": 1}}), "VALIDATION_ERROR"),
        (json!({"match": "*.md", "paths": ["C"], "set": {"a": 1}}), "VALIDATION_ERROR"),
        (json!({"match": "*.md"}), "VALIDATION_ERROR"),
        (json!({"match": "*.md", "set": {"a": 1}, "remove": ["A"]}), "VALIDATION_ERROR"),
        (json!({"match": "Drafts[", "set": {"a": 1}}), "VALIDATION_ERROR"),
        (json!({"paths": ["C", "Nobody"], "set": {"a": 1}}), "NOT_FOUND"),
    ] {
        let error = vault.call("bulk_properties", arguments).error();
        assert_eq!(error["code"], code, "{error}");
    }
    for (path, bytes) in NOTES {
        assert_eq!(vault.bytes(path), bytes);
    }
}
