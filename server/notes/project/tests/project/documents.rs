//! Decisions and documents.

use serde_json::json;
use toolwrit_project::{DecisionFilter, EntityKind, NewVersion};

use crate::{Sandbox, id, map, never, parse_time};

fn ids(ids: Vec<toolwrit_project::EntityId>) -> Vec<String> {
    ids.into_iter().map(|id| id.to_string()).collect()
}

#[test]
fn a_new_version_supersedes_a_document_and_keeps_it() {
    let mut sandbox = Sandbox::new();
    sandbox.made("milestone", json!({ "title": "x" }));
    sandbox.made("decision", json!({ "title": "x" }));
    let data = json!({
        "title": "Spec", "version": "1.9", "parent": "M-001", "workstream": "web", "tags": ["a"],
        "status": "approved", "priority": "low",
    });
    let made = sandbox.workspace().create(
        EntityKind::Document,
        &map(data),
        "The old text.",
        &crate::NO_CANVAS,
        sandbox.now,
        &never,
    );
    assert_eq!(made.unwrap().id, id("DOC-001"));
    sandbox.now = parse_time("2026-03-02T00:00:00Z");
    let new = NewVersion {
        content: Some("The new text."),
        change_summary: Some("Clearer."),
        decision: Some(id("DEC-001")),
    };
    let supersede = |of: &str| {
        sandbox
            .workspace()
            .supersede_document(id(of), &new, sandbox.now, &never)
            .map(|changed| changed.id)
    };
    assert_eq!(supersede("DOC-001").unwrap(), id("DOC-002"));
    let fields = [
        "title",
        "status",
        "version",
        "parent",
        "workstream",
        "tags",
        "priority",
        "decisions",
        "change_summary",
        "supersedes",
        "superseded_by",
        "body",
    ];
    assert_eq!(
        sandbox.get("DOC-002", &fields),
        json!({
            "title": "Spec", "status": "draft", "version": "1.10", "parent": "M-001", "workstream": "web",
            "tags": ["a"], "priority": "low", "decisions": ["DEC-001"], "change_summary": "Clearer.",
            "supersedes": "DOC-001", "superseded_by": null, "body": "The new text.\n",
        })
    );
    assert_eq!(
        sandbox.get("DOC-001", &["status", "version", "superseded_by", "body", "updated"]),
        json!({
            "status": "superseded", "version": "1.9", "superseded_by": "DOC-002",
            "body": "The old text.\n", "updated": "2026-03-02T00:00:00Z",
        })
    );
    assert_eq!(supersede("DOC-002").unwrap(), id("DOC-003"));
    for of in ["DOC-001", "DOC-002", "DOC-003"] {
        let history = sandbox.workspace().document_history(id(of), &never).unwrap();
        assert_eq!(ids(history), ["DOC-001", "DOC-002", "DOC-003"]);
    }
    let error = supersede("DOC-001").unwrap_err();
    assert_eq!(error.to_string(), "`supersedes`: DOC-001 is superseded by DOC-002 already");
    let error = supersede("DEC-001").unwrap_err();
    assert_eq!(error.to_string(), "`document_id`: DEC-001 is no document");
    assert_eq!(sandbox.problems(), [""; 0]);
}

#[test]
fn versions_that_were_linked_in_a_cycle_by_hand_end() {
    let sandbox = Sandbox::new();
    let document = |id: &str, other: &str| {
        format!(
            "---\nid: {id}\ntype: document\ntitle: x\nstatus: draft\nsupersedes: {other}\nsuperseded_by: {other}\n---\n"
        )
    };
    sandbox.put("DOC-001", &document("DOC-001", "DOC-002"));
    sandbox.put("DOC-002", &document("DOC-002", "DOC-001"));
    let history = sandbox.workspace().document_history(id("DOC-001"), &never).unwrap();
    assert_eq!(ids(history), ["DOC-002", "DOC-001"]);
}

#[test]
fn decisions_are_listed_by_topic_in_their_order() {
    let mut sandbox = Sandbox::new();
    sandbox.now = parse_time("2026-03-03T00:00:00Z");
    sandbox.made(
        "decision",
        json!({ "title": "Store", "rationale": "SQLite is small", "workstream": "data" }),
    );
    sandbox.now = parse_time("2026-03-01T00:00:00Z");
    sandbox.made("decision", json!({ "title": "Queue", "context": "We need to store jobs" }));
    sandbox.made("decision", json!({ "title": "Store again", "supersedes": "DEC-001" }));
    sandbox.made("decision", json!({ "title": "Old", "archived": true }));
    let history = |filter: DecisionFilter| {
        ids(sandbox.workspace().decision_history(&filter, &never).unwrap())
    };
    let all = DecisionFilter {
        include_superseded: true,
        include_archived: true,
        ..DecisionFilter::default()
    };
    assert_eq!(history(DecisionFilter::default()), ["DEC-002", "DEC-003"]);
    assert_eq!(history(all.clone()), ["DEC-002", "DEC-003", "DEC-004", "DEC-001"]);
    let topic = |words: &str| DecisionFilter { topic: Some(words.to_owned()), ..all.clone() };
    assert_eq!(history(topic("STORE")), ["DEC-002", "DEC-003", "DEC-001"]);
    assert_eq!(history(topic("store sqlite")), ["DEC-001"]);
    assert_eq!(history(DecisionFilter { workstream: Some("Data".to_owned()), ..all }), ["DEC-001"]);
}

#[test]
fn a_document_is_out_of_date_when_something_behind_it_changed_later() {
    let mut sandbox = Sandbox::new();
    sandbox.made("decision", json!({ "title": "one" }));
    sandbox.made("decision", json!({ "title": "two" }));
    sandbox.made("task", json!({ "title": "x" }));
    let document =
        json!({ "title": "x", "decisions": ["DEC-001", "DEC-002"], "depends_on": ["T-001"] });
    sandbox.made("document", document);
    sandbox.made("document", json!({ "title": "fresh" }));
    sandbox.set_file_times("2026-01-01T00:00:00Z");
    let check = |sandbox: &Sandbox, of: Option<&str>| {
        let checked = sandbox.workspace().check_freshness(of.map(id), &never).unwrap();
        let told = checked.into_iter().map(|history| {
            let changed = history.changed.into_iter().map(|(id, reason)| format!("{id}: {reason}"));
            (history.id.to_string(), changed.collect::<Vec<_>>())
        });
        told.collect::<Vec<_>>()
    };
    let fresh = ("DOC-002".to_owned(), Vec::new());
    assert_eq!(check(&sandbox, None), [("DOC-001".to_owned(), Vec::new()), fresh.clone()]);
    sandbox.now = parse_time("2026-03-04T00:00:00Z");
    sandbox.update("DEC-001", json!({ "decision": "yes" })).unwrap();
    sandbox.update("T-001", json!({ "status": "completed" })).unwrap();
    sandbox.made("decision", json!({ "title": "three", "supersedes": "DEC-002" }));
    sandbox.set_file_times("2026-01-01T00:00:00Z");
    let changed = [
        "DEC-001: it changed later, at 2026-03-04T00:00:00Z",
        "DEC-002: it is superseded by DEC-003",
        "T-001: it changed later, at 2026-03-04T00:00:00Z",
    ];
    let changed = ("DOC-001".to_owned(), changed.map(str::to_owned).to_vec());
    assert_eq!(check(&sandbox, None), [changed.clone(), fresh]);
    assert_eq!(check(&sandbox, Some("DOC-001")), [changed]);
    sandbox.now = parse_time("2026-03-05T00:00:00Z");
    sandbox
        .update("DOC-001", json!({ "version": "2", "decisions": ["DEC-001", "DEC-003"] }))
        .unwrap();
    assert_eq!(check(&sandbox, Some("DOC-001")), [("DOC-001".to_owned(), Vec::new())]);
    let error = sandbox.workspace().check_freshness(Some(id("T-001")), &never).unwrap_err();
    assert_eq!(error.to_string(), "`document_id`: T-001 is no document");
}
