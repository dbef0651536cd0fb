//! Creating entities.

use serde_json::{Value, json};
use toolwrit_project::{EntityKind, ErrorCode};

use crate::{Sandbox, map, never};

#[test]
fn every_kind_is_created_as_a_note() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.made("milestone", json!({ "title": "Launch" })), "M-001");
    let story =
        json!({ "title": "Sign: up", "parent": "M-001", "workstream": "web", "priority": "High" });
    assert_eq!(sandbox.made("story", story), "S-001");
    assert_eq!(sandbox.made("task", json!({ "title": "Form", "parent": "S-001" })), "T-001");
    let task =
        json!({ "title": "Mail", "depends_on": ["t-1"], "tags": ["#mail"], "status": "blocked" });
    assert_eq!(sandbox.made("task", task), "T-002");
    let decision =
        json!({ "title": "Store", "context": "We need one.\nSoon.", "decided_by": "Ada" });
    assert_eq!(sandbox.made("decision", decision), "DEC-001");
    let document = json!({ "title": "Spec", "version": "1.10", "decisions": ["DEC-001"] });
    assert_eq!(sandbox.made("document", document), "DOC-001");
    assert_eq!(
        sandbox.text("S-001"),
        "---\nid: S-001\ntype: story\ntitle: \"Sign: up\"\nstatus: todo\nworkstream: web\npriority: high\n\
         parent: M-001\ncreated: 2026-03-01T00:00:00Z\nupdated: 2026-03-01T00:00:00Z\n---\n"
    );
    assert!(
        sandbox
            .text("T-002")
            .contains("status: blocked\ndepends_on:\n  - T-001\ntags:\n  - mail\n")
    );
    assert_eq!(
        sandbox.get("DOC-001", &["version", "decisions"]),
        json!({ "version": "1.10", "decisions": ["DEC-001"] })
    );
    assert_eq!(sandbox.get("DEC-001", &["context"])["context"], "We need one.\nSoon.");
    assert_eq!(sandbox.problems(), [""; 0]);
}

#[test]
fn the_body_is_kept_whatever_it_begins_with() {
    let sandbox = Sandbox::new();
    for (number, body) in
        ["Text", "---\nnot: frontmatter\n---\n", "# Head\n\n\nx\n"].into_iter().enumerate()
    {
        let made = sandbox.workspace().create(
            EntityKind::Task,
            &map(json!({ "title": "x" })),
            body,
            &crate::NO_CANVAS,
            sandbox.now,
            &never,
        );
        let id = made.unwrap().id.to_string();
        let got = sandbox.get(&id, &["body", "title"]);
        let expected = format!("{}\n", body.trim_end_matches('\n'));
        assert_eq!(got, json!({ "body": expected, "title": "x" }), "{number}");
    }
}

#[test]
fn the_id_is_one_more_than_the_highest_on_disk() {
    let sandbox = Sandbox::new();
    sandbox.put("Somewhere/Mine", "---\nid: T-041\ntype: task\ntitle: x\nstatus: todo\n---\n");
    assert_eq!(sandbox.made("task", json!({ "title": "x" })), "T-042");
    // The names of notes count, even if they cannot be read, and whatever else has such a name.
    sandbox.put("T-050", "Text");
    assert_eq!(sandbox.made("task", json!({ "title": "x" })), "T-051");
    std::fs::write(sandbox.file("Projects/T-052.md"), b"\xFF\xFE\x00").unwrap();
    std::fs::create_dir(sandbox.file("Projects/T-053.md")).unwrap();
    assert_eq!(sandbox.made("task", json!({ "title": "x" })), "T-054");
    sandbox.put("Last", "---\nid: T-999999999\ntype: task\ntitle: x\nstatus: todo\n---\n");
    let error = sandbox.create("task", json!({ "title": "x" })).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`id`: the number of a task is 999999999, the highest that there can be"
    );
    assert_eq!(sandbox.made("story", json!({ "title": "x" })), "S-001");
}

/// What is refused, and what is said.
fn refused_cases() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("task", json!({}), "`title`: it is required"),
        ("task", json!({ "title": "" }), "`title`: expected text, got nothing"),
        ("task", json!({ "title": "a\nb" }), "`title`: expected a single line"),
        ("task", json!({ "title": null }), "`title`: it cannot be removed"),
        (
            "task",
            json!({ "title": "x", "status": "approved" }),
            "`status`: expected todo, in_progress, blocked, completed or dropped, got \"approved\"",
        ),
        (
            "task",
            json!({ "title": "x", "priorty": "high" }),
            "there is no field `priorty`; did you mean priority?",
        ),
        (
            "task",
            json!({ "title": "x", "context": "y" }),
            "there is no field `context`; expected one of title, ",
        ),
        ("task", json!({ "title": "x", "id": "T-009" }), "`id`: ids never change"),
        ("task", json!({ "title": "x", "type": "story" }), "`type`: the type never changes"),
        (
            "task",
            json!({ "title": "x", "archived": "yes" }),
            "`archived`: expected true or false, got \"yes\"",
        ),
        (
            "task",
            json!({ "title": "x", "parent": "S-009" }),
            "`parent` names S-009, which does not exist",
        ),
        (
            "task",
            json!({ "title": "x", "parent": 5 }),
            "`parent`: expected an id such as T-001, got 5",
        ),
        (
            "task",
            json!({ "title": "x", "depends_on": ["T-001", "T-009"] }),
            "`depends_on` names T-009, which does not exist",
        ),
        (
            "task",
            json!({ "title": "x", "depends_on": ["T-002"] }),
            "`depends_on` would close a cycle: T-002 -> T-002",
        ),
        (
            "task",
            json!({ "title": "x", "depends_on": ["T-001"], "enables": ["T-001"] }),
            "`depends_on` would close a cycle: T-002 -> T-001 -> T-002",
        ),
        (
            "story",
            json!({ "title": "x", "parent": "T-001" }),
            "`parent`: the parent of a story is a milestone, not a task",
        ),
        (
            "milestone",
            json!({ "title": "x", "parent": "T-001" }),
            "`parent`: a milestone has no parent",
        ),
        (
            "document",
            json!({ "title": "x", "decisions": ["T-001"] }),
            "`decisions`: T-001 is no decision",
        ),
        (
            "document",
            json!({ "title": "x", "superseded_by": "DOC-001" }),
            "`superseded_by`: set `supersedes` of the entity that replaces this one",
        ),
        (
            "document",
            json!({ "title": "x", "supersedes": "T-001" }),
            "`supersedes`: T-001 is no document",
        ),
    ]
}

#[test]
fn invalid_fields_are_refused_and_nothing_is_created() {
    let sandbox = Sandbox::new();
    sandbox.made("task", json!({ "title": "x" }));
    for (kind, data, expected) in refused_cases() {
        let error = sandbox.create(kind, data.clone()).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{data}: {error}");
        assert_eq!(error.code(), ErrorCode::ValidationError);
        let field = error.field().unwrap();
        assert!(expected.contains(&format!("`{field}`")), "{field}");
    }
    assert_eq!(sandbox.workspace().project(&never).unwrap().entities().count(), 1);
}
