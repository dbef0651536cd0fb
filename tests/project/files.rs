//! The files of a workspace.

use serde_json::json;

use crate::project::{Session, all};

const SPEC: &str = "# Spec\n\n## Errors\n\nNone.\n\n## Limits\n\nMany.\n";

/// A document, a note that is no entity, and a note outside of the workspace.
fn filled() -> Session {
    let files = [
        ("Projects/Terms.md", "# Terms\n\nEtag: a version.\n"),
        ("Projects/Specs/Sketch.canvas", "{}"),
        ("Diary.md", "Rain.\n"),
    ];
    let mut project = Session::with(&files, &[]);
    let call = json!({"type": "document", "data": {"title": "Spec"}, "body": SPEC});
    project.call("create_entity", call).ok();
    project
}

#[test]
fn notes_are_read_in_parts_by_path_or_id() {
    let mut project = filled();
    let whole = project.call("read_docs", json!({"path": "DOC-001"})).ok();
    assert_eq!((&whole["id"], &whole["path"]), (&json!("DOC-001"), &json!("Projects/DOC-001.md")));
    assert!(whole["content"].as_str().unwrap().ends_with(SPEC), "{whole}");
    for (call, content) in [
        (json!({"path": "DOC-001", "section": "Spec::Errors"}), "## Errors\n\nNone.\n\n"),
        (json!({"path": "Projects/Terms", "lines": "3"}), "Etag: a version.\n"),
        (json!({"path": "Projects/Terms.md", "max_bytes": 7}), "# Terms"),
    ] {
        assert_eq!(project.call("read_docs", call).ok()["content"], content);
    }
    let both = json!({"path": "DOC-001", "section": "Spec", "lines": "1"});
    assert_eq!(project.call("read_docs", both).error()["path"], "/lines");
}

#[test]
fn the_text_of_an_entity_changes_and_its_fields_stay() {
    let mut project = filled();
    let note = project.text("Projects/DOC-001.md");
    let fields = note.strip_suffix(SPEC).unwrap();
    for (call, body) in [
        (
            json!({"section": "Spec::Errors", "content": "Some.\n"}),
            "# Spec\n\n## Errors\n\nSome.\n\n## Limits\n\nMany.\n",
        ),
        (json!({"content": "Short.\n"}), "Short.\n"),
        (json!({"content": "Long.\n", "mode": "append"}), "Short.\nLong.\n"),
    ] {
        let mut call = call;
        call["path"] = json!("DOC-001");
        project.call("update_doc", call).ok();
        let text = project.text("Projects/DOC-001.md");
        let written = text.strip_suffix(body).unwrap_or_else(|| panic!("{text}"));
        let same = |text: &str| {
            let lines = text.lines().filter(|line| !line.starts_with("updated:"));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(same(written), same(fields));
    }
    let fields = json!({"path": "DOC-001", "content": "---\nstatus: approved\n---\n"});
    assert_eq!(project.call("update_doc", fields).error()["path"], "/content");
}

#[test]
fn other_notes_are_written_as_a_whole_and_never_become_entities() {
    let mut project = filled();
    let new = json!({"path": "Projects/Risks", "content": "# Risks\n", "mode": "create"});
    assert_eq!(project.call("update_doc", new.clone()).ok()["created"], true);
    assert_eq!(project.call("update_doc", new).code(), "ALREADY_EXISTS");
    let stale = json!({"path": "Projects/Risks", "content": "", "if_match": "stale"});
    assert_eq!(project.call("update_doc", stale).code(), "CONFLICT");
    for call in [
        json!({"path": "Projects/T-007.md", "content": "x"}),
        json!({"path": "Projects/Risks.md", "content": "---\nid: T-007\ntype: task\n---\n"}),
    ] {
        assert_eq!(project.call("update_doc", call).error()["path"], "/content");
    }
    assert!(!project.path("Projects/T-007.md").exists());
    assert_eq!(project.text("Projects/Risks.md"), "# Risks\n");
}

#[test]
fn nothing_outside_of_the_workspace_is_read_or_written() {
    let mut project = filled();
    for path in ["Diary.md", "Projects/../Diary.md", "../secret.md"] {
        let read = project.call("read_docs", json!({"path": path}));
        let write = project.call("update_doc", json!({"path": path, "content": "x"}));
        assert_eq!((read.code(), write.code()), ("INVALID_PATH".into(), "INVALID_PATH".into()));
    }
    assert_eq!(project.call("list_files", json!({"folder": "."})).code(), "INVALID_PATH");
    assert_eq!(project.text("Diary.md"), "Rain.\n");
}

#[test]
fn a_missing_entity_is_missed_at_once() {
    let mut project = filled();
    for call in [
        json!({"path": "DOC-009", "content": "x"}),
        json!({"path": "DOC-009", "content": "x", "section": "Spec"}),
    ] {
        let error = project.call("update_doc", call).error();
        assert_eq!((&error["code"], &error["path"]), (&json!("NOT_FOUND"), &json!("/path")));
    }
    let error = project.call("read_docs", json!({"path": "DOC-009"})).error();
    assert_eq!((&error["code"], &error["path"]), (&json!("NOT_FOUND"), &json!("/path")));
}

#[test]
fn files_are_listed_with_the_entities_that_they_are() {
    let mut project = filled();
    let list = |project: &mut Session, call| project.call("list_files", call).ok()["files"].take();
    let files = list(&mut project, json!({}));
    let paths = ["Projects/DOC-001.md", "Projects/Specs/Sketch.canvas", "Projects/Terms.md"];
    assert_eq!(all(&files, "path"), paths);
    assert_eq!((&files[0]["id"], &files[1]["id"]), (&json!("DOC-001"), &json!(null)));
    assert_eq!(files[1]["size"], 2);
    for (call, expected) in [
        (json!({"entities": true}), &paths[..1]),
        (json!({"entities": false}), &paths[1..]),
        (json!({"folder": "Projects/Specs"}), &paths[1..2]),
        (json!({"glob": "**/*.md", "limit": 1}), &paths[..1]),
    ] {
        assert_eq!(all(&list(&mut project, call), "path"), expected);
    }
}
