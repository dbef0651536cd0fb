//! `vault.move` and `vault.rename`.

use serde_json::json;

use crate::vault::Session;

#[test]
fn a_note_moves_with_every_byte() {
    let bytes = b"\xef\xbb\xbfodd\r\nbytes\n";
    let mut session = Session::with(&[("Note.md", bytes), ("Data.csv", b"1,2")]);
    let moved = session.call("move", json!({"path": "Note", "to": "New/Place"})).ok();
    assert_eq!(moved, json!({"from": "Note.md", "to": "New/Place.md"}));
    assert!(!session.exists("Note.md"));
    assert_eq!(session.bytes("New/Place.md"), bytes);
    let moved = session.call("move", json!({"path": "Data.csv", "to": "New/Table"})).ok();
    assert_eq!(moved["to"], "New/Table.csv", "a file keeps its extension");
}

#[test]
fn a_note_is_renamed_in_its_folder() {
    let mut session = Session::with(&[("Folder/Old.md", b"x")]);
    let moved = session.call("rename", json!({"path": "Folder/Old", "name": "New 2026"})).ok();
    assert_eq!(moved, json!({"from": "Folder/Old.md", "to": "Folder/New 2026.md"}));
    assert!(!session.exists("Folder/Old.md"));
    assert_eq!(session.bytes("Folder/New 2026.md"), b"x");
    for name in ["Other/Place", "../Place", "/Place"] {
        let call = json!({"path": "Folder/New 2026", "name": name});
        assert_eq!(session.call("rename", call).code(), "INVALID_PATH", "{name}");
    }
}

#[test]
fn links_follow_the_note_that_they_name() {
    let mut session = Session::with(&[
        ("Harbour.md", b"x"),
        ("Walk.md", b"[[harbour#Pier|sea]]\r\n`[[Harbour]]` [m](Harbour.md)\r\n"),
        ("Other.md", b"no link"),
    ]);
    let moved = session.call("rename", json!({"path": "Harbour", "name": "Old Port"})).ok();
    assert_eq!(moved, json!({"from": "Harbour.md", "to": "Old Port.md", "rewritten": ["Walk.md"]}));
    let walk = b"[[Old Port#Pier|sea]]\r\n`[[Harbour]]` [m](Old%20Port.md)\r\n";
    assert_eq!(session.bytes("Walk.md"), walk);
    assert_eq!(session.bytes("Other.md"), b"no link");
}

#[test]
fn nothing_is_ever_overwritten() {
    let mut session =
        Session::with(&[("A.md", b"a"), ("B.md", b"b"), ("Folder/C.md", b"c"), ("D", b"d")]);
    let attempts = [
        ("move", json!({"path": "A", "to": "B"}), "ALREADY_EXISTS"),
        ("move", json!({"path": "A", "to": "B.md"}), "ALREADY_EXISTS"),
        ("move", json!({"path": "A", "to": "Folder/C"}), "ALREADY_EXISTS"),
        ("rename", json!({"path": "A", "name": "B"}), "ALREADY_EXISTS"),
        ("rename", json!({"path": "A", "name": "B.md"}), "ALREADY_EXISTS"),
        ("move", json!({"path": "A", "to": "Folder"}), "INVALID_PATH"),
        ("move", json!({"path": "A", "to": "B.md/Inside"}), "INVALID_PATH"),
        ("move", json!({"path": "Gone", "to": "B"}), "NOT_FOUND"),
    ];
    for (operation, arguments, code) in attempts {
        let text = arguments.to_string();
        assert_eq!(session.call(operation, arguments).code(), code, "{operation} {text}");
    }
    for (path, bytes) in [("A.md", b"a"), ("B.md", b"b"), ("Folder/C.md", b"c"), ("D", b"d")] {
        assert_eq!(session.bytes(path), bytes);
    }
    assert!(!session.exists("Folder.md"));
}

#[test]
fn a_note_moved_onto_itself_is_unchanged() {
    let mut session = Session::with(&[("Note.md", b"x")]);
    let moved = session.call("move", json!({"path": "Note", "to": "Note.md"})).ok();
    assert_eq!(moved, json!({"from": "Note.md", "to": "Note.md"}));
    assert_eq!(session.bytes("Note.md"), b"x");
}

#[test]
fn a_bookmark_of_the_old_path_is_told() {
    let bookmarks = br#"{"items":[{"type":"group","items":[{"type":"file","path":"A.md"}]}]}"#;
    let files: [(&str, &[u8]); 3] =
        [("A.md", b"a"), ("B.md", b"b"), (".obsidian/bookmarks.json", bookmarks)];
    let mut session = Session::with(&files);
    let moved = session.call("rename", json!({"path": "A", "name": "C"})).ok();
    assert_eq!(moved["warning"], "a bookmark in Obsidian has the old path");
    assert_eq!(session.bytes(".obsidian/bookmarks.json"), bookmarks);
    let moved = session.call("rename", json!({"path": "B", "name": "D"})).ok();
    assert_eq!(moved.get("warning"), None);
}
