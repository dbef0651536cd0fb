//! Decisions, and documents with their versions.

use serde_json::json;

use crate::project::{Session, all};

fn written() -> Session {
    let mut project = Session::new();
    let data = json!({
        "title": "Storage", "status": "decided", "decision": "SQLite", "rationale": "One file",
        "decided_by": "Ines", "workstream": "core",
    });
    project.made("decision", data);
    project.made("decision", json!({"title": "Colour of the logo"}));
    project.made("document", json!({"title": "Spec", "version": "1", "decisions": ["DEC-001"]}));
    project
}

#[test]
fn decisions_are_found_by_what_they_are_about() {
    let mut project = written();
    let found = project.documents("get_decision_history", json!({"topic": "sqlite"})).ok();
    let mut decision = found["decisions"][0].clone();
    assert!(decision["created"].take().is_string());
    assert_eq!(
        decision,
        json!({
            "id": "DEC-001", "title": "Storage", "status": "decided", "created": null,
            "workstream": "core", "decision": "SQLite", "rationale": "One file", "decided_by": "Ines",
        })
    );
    project.made("decision", json!({"title": "Storage again", "supersedes": "DEC-001"}));
    let now = project.documents("get_decision_history", json!({})).ok();
    assert_eq!(all(&now["decisions"], "id"), ["DEC-002", "DEC-003"]);
    let ever = project.documents("get_decision_history", json!({"include_superseded": true})).ok();
    assert_eq!(ever["decisions"][0]["superseded_by"], "DEC-003");
}

#[test]
fn a_new_version_supersedes_the_old_one_and_keeps_it() {
    let mut project = written();
    let old = project.get("DOC-001", &["title", "version", "body"]);
    let call = json!({
        "document_id": "DOC-001", "new_content": "# Spec\n\nAll new.\n",
        "change_summary": "rewritten", "decision_id": "DEC-002",
    });
    assert_eq!(project.documents("supersede_document", call.clone()).ok()["id"], "DOC-002");
    assert_eq!(project.get("DOC-001", &["title", "version", "body"]), old);
    let fields = ["status", "superseded_by"];
    let superseded = json!({"status": "superseded", "superseded_by": "DOC-002"});
    assert_eq!(project.get("DOC-001", &fields), superseded);
    let new = project.get("DOC-002", &["title", "version", "supersedes", "decisions", "body"]);
    assert_eq!(
        new,
        json!({
            "title": "Spec", "version": "2", "supersedes": "DOC-001",
            "decisions": ["DEC-001", "DEC-002"], "body": "# Spec\n\nAll new.\n",
        })
    );
    let history = project.documents("get_document_history", json!({"document_id": "DOC-001"})).ok();
    assert_eq!(all(&history["versions"], "id"), ["DOC-001", "DOC-002"]);
    assert_eq!(history["versions"][1]["change_summary"], "rewritten");

    let error = project.documents("supersede_document", call).error();
    assert_eq!(error["path"], "/document_id");
}

#[test]
fn a_document_is_outdated_once_its_decision_is_replaced() {
    let mut project = written();
    let check = |project: &mut Session| {
        project.documents("check_freshness", json!({})).ok()["documents"][0].clone()
    };
    let fresh = json!({"id": "DOC-001", "title": "Spec", "fresh": true, "changed": []});
    assert_eq!(check(&mut project), fresh);
    project.made("decision", json!({"title": "Files instead", "supersedes": "DEC-001"}));
    let outdated = check(&mut project);
    assert_eq!(outdated["fresh"], false);
    let changed = json!([{"id": "DEC-001", "reason": "it is superseded by DEC-003"}]);
    assert_eq!(outdated["changed"], changed);
}
