//! `vault.write` and `vault.append`.

use std::fs;

use serde_json::json;

use crate::vault::Session;

#[test]
fn a_write_creates_then_replaces() {
    let mut session = Session::with(&[]);
    let first = session.call("write", json!({"path": "New/Deep/Note", "content": "one\n"})).ok();
    assert_eq!(first["path"], "New/Deep/Note.md");
    assert_eq!((first["created"].as_bool(), first["size"].as_u64()), (Some(true), Some(4)));
    assert_eq!(session.bytes("New/Deep/Note.md"), b"one\n");
    assert_eq!(session.etag("New/Deep/Note.md"), first["etag"].as_str().unwrap());
    let replace = json!({"path": "New/Deep/Note", "content": "two", "mode": "overwrite"});
    let second = session.call("write", replace).ok();
    assert_eq!(second["created"], false);
    assert_ne!(second["etag"], first["etag"]);
    assert_eq!(session.bytes("New/Deep/Note.md"), b"two");
}

#[test]
fn mode_create_refuses_existing_notes() {
    let mut session = Session::with(&[("Note.md", b"mine")]);
    let call = json!({"path": "Note", "content": "theirs", "mode": "create"});
    let error = session.call("write", call).error();
    assert_eq!(error["code"], "ALREADY_EXISTS");
    assert!(error["message"].as_str().unwrap().contains("`Note.md`"), "{error}");
    assert_eq!(session.bytes("Note.md"), b"mine");
    let call = json!({"path": "Other", "content": "theirs", "mode": "create"});
    assert_eq!(session.call("write", call).ok()["created"], true);
}

#[test]
fn a_replaced_note_keeps_mark_and_line_endings() {
    let mut session = Session::with(&[
        ("Windows.md", b"\xef\xbb\xbfold\r\ntext\r\n"),
        ("Wide.md", b"\xff\xfeo\0\r\0\n\0"),
        ("Unix.md", b"old\n"),
    ]);
    for path in ["Windows", "Wide", "Unix"] {
        session.call("write", json!({"path": path, "content": "a\nb\n", "mode": "overwrite"})).ok();
    }
    assert_eq!(session.bytes("Windows.md"), b"\xef\xbb\xbfa\r\nb\r\n");
    assert_eq!(session.bytes("Wide.md"), b"\xff\xfea\0\r\0\n\0b\0\r\0\n\0");
    assert_eq!(session.bytes("Unix.md"), b"a\nb\n");
}

#[test]
fn a_note_can_be_written_back_as_it_was_read() {
    let bytes = b"\xef\xbb\xbf---\r\ntitle: \"x\"  # why\r\n---\r\n\r\n\tindented \r\nno end";
    let mut session = Session::with(&[("Note.md", bytes)]);
    let note = session.call("read", json!({"path": "Note"})).ok();
    let same = json!({"path": "Note", "content": note["content"], "mode": "overwrite"});
    let written = session.call("write", same).ok();
    assert_eq!(session.bytes("Note.md"), bytes);
    assert_eq!(written["etag"], note["etag"]);
}

#[test]
fn a_stale_etag_refuses_every_change() {
    let mut session = Session::with(&[("Note.md", b"one")]);
    let stale = session.etag("Note");
    fs::write(session.path("Note.md"), "changed elsewhere").unwrap();
    let current = session.etag("Note");
    let changes = [
        ("write", json!({"path": "Note", "content": "x", "if_match": stale})),
        ("append", json!({"path": "Note", "content": "x", "if_match": stale})),
        ("move", json!({"path": "Note", "to": "Moved", "if_match": stale})),
        ("rename", json!({"path": "Note", "name": "Renamed", "if_match": stale})),
        ("delete", json!({"path": "Note", "if_match": stale})),
    ];
    for (operation, arguments) in changes {
        let error = session.call(operation, arguments).error();
        assert_eq!(error["code"], "CONFLICT", "{operation}");
        assert_eq!(error["expected"], format!("if_match {current}"));
        assert_eq!(session.bytes("Note.md"), b"changed elsewhere", "{operation}");
    }
    assert!(!session.exists("Moved.md") && !session.exists("Renamed.md"));
    let call = json!({"path": "Note", "content": "mine", "if_match": current});
    session.call("write", call).ok();
    assert_eq!(session.bytes("Note.md"), b"mine");
}

#[test]
fn an_etag_of_a_missing_note_does_not_create_it() {
    let mut session = Session::with(&[]);
    for operation in ["write", "append"] {
        let call = json!({"path": "Gone", "content": "x", "if_match": "0123"});
        assert_eq!(session.call(operation, call).code(), "NOT_FOUND", "{operation}");
        assert!(!session.exists("Gone.md"));
    }
}

#[test]
fn appending_changes_no_existing_byte() {
    let mut session = Session::with(&[
        ("Ended.md", b"one\n"),
        ("Open.md", b"one"),
        ("Windows.md", b"\xef\xbb\xbfone\r\ntwo"),
        ("Mixed.md", b"a\r\nb\nc\r\n"),
        ("Empty.md", b""),
    ]);
    let expected: [(&str, &[u8]); 5] = [
        ("Ended.md", b"one\nx\ny"),
        ("Open.md", b"one\nx\ny"),
        ("Windows.md", b"\xef\xbb\xbfone\r\ntwo\r\nx\r\ny"),
        ("Mixed.md", b"a\r\nb\nc\r\nx\r\ny"),
        ("Empty.md", b"x\ny"),
    ];
    for (path, bytes) in expected {
        let before = session.bytes(path);
        let written = session.call("append", json!({"path": path, "content": "x\ny"})).ok();
        let after = session.bytes(path);
        assert!(after.starts_with(&before), "{path} was touched");
        assert_eq!(after, bytes, "{path}");
        assert_eq!(written["size"], after.len());
        assert_eq!(written["created"], false);
    }
}

#[test]
fn appending_creates_a_note_unless_disabled() {
    let mut session = Session::with(&[]);
    let refused = json!({"path": "Log", "content": "x", "create": false});
    assert_eq!(session.call("append", refused).code(), "NOT_FOUND");
    assert!(!session.exists("Log.md"));
    let written = session.call("append", json!({"path": "Log", "content": "x\n"})).ok();
    assert_eq!(written["created"], true);
    assert_eq!(session.bytes("Log.md"), b"x\n");
}

#[test]
fn content_that_cannot_be_read_again_is_refused() {
    let mut session = Session::with(&[("Note.md", b"one")]);
    for operation in ["write", "append"] {
        let error = session.call(operation, json!({"path": "Note", "content": "a\0b"})).error();
        assert_eq!(error["code"], "VALIDATION_ERROR", "{operation}");
        assert!(error["message"].as_str().unwrap().contains("NUL"), "{error}");
    }
    assert_eq!(session.bytes("Note.md"), b"one");
}
