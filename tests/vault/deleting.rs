//! `vault.delete` and `vault.bulk_delete`.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::vaults;

use crate::vault::{Session, paths};

#[test]
fn a_deleted_note_is_complete_in_the_trash() {
    let bytes = b"\xef\xbb\xbfodd\r\nbytes";
    let mut session = Session::with(&[("Folder/Note.md", bytes), ("Other.md", b"o")]);
    let deleted = session.call("delete", json!({"path": "Folder/Note"})).ok();
    assert_eq!(
        deleted,
        json!({
            "path": "Folder/Note.md",
            "disposal": "vault_trash",
            "trashed_as": ".trash/Folder/Note.md",
        })
    );
    assert!(!session.exists("Folder/Note.md"));
    assert_eq!(session.bytes(".trash/Folder/Note.md"), bytes);
    assert_eq!(session.bytes("Other.md"), b"o");

    fs::write(session.path("Folder/Note.md"), "second").unwrap();
    let again = session.call("delete", json!({"path": "Folder/Note"})).ok();
    assert_eq!(again["trashed_as"], ".trash/Folder/Note 2.md", "the first is not overwritten");
    assert_eq!(session.bytes(".trash/Folder/Note.md"), bytes);
    assert_eq!(session.bytes(".trash/Folder/Note 2.md"), b"second");
}

#[test]
fn trash_option_none_deletes_permanently() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join(".obsidian")).unwrap();
    fs::write(folder.path().join(".obsidian/app.json"), r#"{"trashOption":"none"}"#).unwrap();
    let mut session = Session::on(folder, &[("Note.md", b"x"), ("Other.md", b"o")]);
    let deleted = session.call("delete", json!({"path": "Note"})).ok();
    assert_eq!(deleted, json!({"path": "Note.md", "disposal": "permanent"}));
    assert!(!session.exists("Note.md") && !session.exists(".trash"));
    assert_eq!(session.bytes("Other.md"), b"o");
}

#[test]
fn only_files_that_exist_are_deleted() {
    let mut session = Session::with(&[("Folder/Note.md", b"x")]);
    assert_eq!(session.call("delete", json!({"path": "Folder"})).code(), "INVALID_PATH");
    assert_eq!(session.call("delete", json!({"path": "Folder/Gone"})).code(), "NOT_FOUND");
    assert_eq!(session.bytes("Folder/Note.md"), b"x");
}

#[test]
fn bulk_deletion_deletes_what_its_dry_run_reported() {
    let mut session = Session::with(&[
        ("Drafts/A.md", b"a"),
        ("Drafts/B.md", b"b"),
        ("Drafts/Deep/C.md", b"c"),
        ("Drafts/D.txt", b"d"),
        ("Keep.md", b"k"),
    ]);
    let before = vaults::contents(session.folder.path());
    let dry = session.call("bulk_delete", json!({"match": "Drafts/*.md", "dry_run": true})).ok();
    assert_eq!(paths(&dry["items"]), ["Drafts/A.md", "Drafts/B.md"]);
    assert!(outcomes(&dry).iter().all(|outcome| *outcome == "would_delete"), "{dry}");
    assert_eq!(vaults::contents(session.folder.path()), before, "a dry run changes nothing");

    let done = session.call("bulk_delete", json!({"match": "Drafts/*.md"})).ok();
    assert_eq!(paths(&done["items"]), paths(&dry["items"]));
    assert!(outcomes(&done).iter().all(|outcome| *outcome == "deleted"), "{done}");
    for (gone, trashed, bytes) in
        [("Drafts/A.md", ".trash/Drafts/A.md", b"a"), ("Drafts/B.md", ".trash/Drafts/B.md", b"b")]
    {
        assert!(!session.exists(gone));
        assert_eq!(session.bytes(trashed), bytes);
    }
    for (kept, bytes) in [("Drafts/Deep/C.md", b"c"), ("Drafts/D.txt", b"d"), ("Keep.md", b"k")] {
        assert_eq!(session.bytes(kept), bytes);
    }
}

#[test]
fn bulk_deletion_can_select_notes_by_content() {
    let mut session = Session::with(&[
        ("A.md", b"---\nstatus: obsolete\n---\n"),
        ("B.md", b"---\nstatus: current\n---\nobsolete\n"),
        ("C.md", b"fine"),
    ]);
    let condition = json!({"match": "status = obsolete", "mode": "frontmatter"});
    assert_eq!(paths(&session.call("bulk_delete", condition).ok()["items"]), ["A.md"]);
    let expression = json!({"match": "^obso", "mode": "regex"});
    assert_eq!(paths(&session.call("bulk_delete", expression).ok()["items"]), ["B.md"]);
    assert!(session.exists("C.md"));
    // Exactly this text, unlike the search for words.
    let mut dry = |text: &str| {
        let text = json!({"match": text, "mode": "text", "dry_run": true});
        session.call("bulk_delete", text).ok()["items"].take()
    };
    assert_eq!(paths(&dry("FIN")), ["C.md"]);
    assert_eq!(paths(&dry("fine obsolete")), [""; 0]);
    let error = session.call("bulk_delete", json!({"match": "status =", "mode": "frontmatter"}));
    assert_eq!(error.error()["code"], "VALIDATION_ERROR");
}

#[test]
fn a_pattern_that_matches_nothing_deletes_nothing() {
    let mut session = Session::with(&[("Keep.md", b"k")]);
    let before = vaults::contents(session.folder.path());
    for pattern in ["Nothing/*.md", "../*", ".obsidian/*", ".*"] {
        let done = session.call("bulk_delete", json!({ "match": pattern })).ok();
        assert_eq!(done["items"], json!([]), "{pattern}");
    }
    let error = session.call("bulk_delete", json!({"match": "Keep[.md"})).error();
    assert_eq!(error["code"], "VALIDATION_ERROR");
    assert_eq!(vaults::contents(session.folder.path()), before);
}

fn outcomes(deletion: &Value) -> Vec<&str> {
    let items = deletion["items"].as_array().unwrap();
    items.iter().map(|item| item["outcome"].as_str().unwrap()).collect()
}

#[test]
fn attachments_that_only_one_note_uses_go_with_it() {
    let mut session = Session::with(&[
        ("Note.md", b"![[own.png]] ![[shared.png]]"),
        ("Other.md", b"![[shared.png]]"),
        ("own.png", b"own"),
        ("shared.png", b"shared"),
    ]);
    let arguments = json!({"path": "Note", "attachments": "unused", "dry_run": true});
    let shown = session.call("delete", arguments).ok();
    assert_eq!((&shown["path"], &shown["attachments"]), (&json!("Note.md"), &json!(["own.png"])));
    assert!(session.exists("Note.md"));
    let deleted = session.call("delete", json!({"path": "Note", "attachments": "unused"})).ok();
    assert_eq!(deleted["attachments"], json!(["own.png"]));
    assert_eq!(deleted["trashed_as"], ".trash/Note.md");
    assert_eq!(session.bytes(".trash/own.png"), b"own");
    assert!(session.exists("shared.png") && !session.exists("own.png"));
}
