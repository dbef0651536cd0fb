//! Several changes at once.

use std::fs;

use jiff::SignedDuration;
use serde_json::{Value, json};
use toolwrit_project::{
    BatchAction, BatchOperation, BatchOptions, BatchOutcome, BatchResult, EntityKind, ProjectError,
};

use crate::{Sandbox, map, never, open, parse_time};

pub(crate) fn create(client_id: &str, kind: &str, data: Value) -> BatchOperation {
    let kind = EntityKind::from_name(kind).unwrap();
    let action = BatchAction::Create { kind, data: map(data), body: String::new() };
    BatchOperation { client_id: client_id.to_owned(), action }
}

fn update(client_id: &str, id: &str, data: Value) -> BatchOperation {
    let action = BatchAction::Update { id: id.to_owned(), data: map(data) };
    BatchOperation { client_id: client_id.to_owned(), action }
}

fn archive(client_id: &str, id: &str, cascade: bool) -> BatchOperation {
    let action = BatchAction::Archive { id: id.to_owned(), cascade };
    BatchOperation { client_id: client_id.to_owned(), action }
}

pub(crate) const ATOMIC: BatchOptions = BatchOptions {
    atomic: true,
    canvas: crate::NO_CANVAS,
    principal: String::new(),
    batch_id: None,
};
pub(crate) const EACH: BatchOptions = BatchOptions {
    atomic: false,
    canvas: crate::NO_CANVAS,
    principal: String::new(),
    batch_id: None,
};

fn batch(sandbox: &Sandbox, options: &BatchOptions, operations: &[BatchOperation]) -> BatchOutcome {
    sandbox.workspace().batch(operations, options, sandbox.now, &never).unwrap()
}

/// The results in short: what was made, or the code of the error and its field.
pub(crate) fn describe_outcome(outcome: &BatchOutcome) -> Vec<String> {
    let result = |(client_id, result): &(String, Result<BatchResult, ProjectError>)| {
        let result = match result {
            Ok(BatchResult::Created(made)) => format!("created {}", made.id),
            Ok(BatchResult::Already(made)) => format!("already {}", made.id),
            Ok(BatchResult::Updated(made)) => format!("updated {}", made.id),
            Ok(BatchResult::Archived(made)) => {
                let ids: Vec<_> = made.iter().map(|made| made.id.to_string()).collect();
                format!("archived {}", ids.join(" "))
            }
            Err(error) => format!("{} {}", error.code().name(), error.field().unwrap_or_default()),
        };
        format!("{client_id}: {}", result.trim_end())
    };
    outcome.results.iter().map(result).collect()
}

/// The names of the notes on disk.
fn notes(sandbox: &Sandbox) -> Vec<String> {
    let entries = fs::read_dir(sandbox.file("Projects")).into_iter().flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn later_operations_use_client_ids_as_ids() {
    for options in [ATOMIC, EACH] {
        let sandbox = Sandbox::new();
        let outcome = batch(
            &sandbox,
            &options,
            &[
                create("goal", "milestone", json!({ "title": "Launch" })),
                create("login", "story", json!({ "title": "Log in", "parent": "goal" })),
                create("form", "task", json!({ "title": "Form", "parent": "login" })),
                create(
                    "mail",
                    "task",
                    json!({ "title": "goal", "depends_on": ["form"], "parent": "login" }),
                ),
                update("u", "form", json!({ "status": "in_progress", "enables": null })),
                archive("a", "login", true),
            ],
        );
        assert_eq!(
            describe_outcome(&outcome),
            [
                "goal: created M-001",
                "login: created S-001",
                "form: created T-001",
                "mail: created T-002",
                "u: updated T-001",
                "a: archived S-001 T-001 T-002",
            ]
        );
        let summary = outcome.summary();
        assert_eq!((summary.total, summary.succeeded, summary.failed), (6, 6, 0));
        let fields = ["title", "parent", "depends_on", "archived"];
        let expected = json!({ "title": "goal", "parent": "S-001", "depends_on": ["T-001"], "archived": true });
        assert_eq!(sandbox.get("T-002", &fields), expected);
        assert_eq!(sandbox.get("T-001", &["status"])["status"], "in_progress");
        let BatchResult::Created(made) = outcome.results[2].1.as_ref().unwrap() else { panic!() };
        assert_eq!(sandbox.get("T-001", &["etag"])["etag"], made.etag.as_str());
    }
}

fn half_wrong() -> [BatchOperation; 6] {
    [
        create("a", "task", json!({ "title": "a" })),
        create("b", "task", json!({ "title": "b", "status": "sleeping" })),
        create("c", "task", json!({ "title": "c", "depends_on": ["b"] })),
        update("d", "T-009", json!({ "title": "d" })),
        update("e", "T-001", json!({ "title": "e" })),
        archive("f", "no id", false),
    ]
}

#[test]
fn a_failed_atomic_batch_changes_nothing_and_says_why() {
    let sandbox = Sandbox::new();
    sandbox.made("task", json!({ "title": "old" }));
    let before = sandbox.text("T-001");
    let outcome = batch(&sandbox, &ATOMIC, &half_wrong());
    assert_eq!(
        describe_outcome(&outcome),
        [
            "a: ABORTED",
            "b: VALIDATION_ERROR status",
            "c: ABORTED",
            "d: NOT_FOUND",
            "e: ABORTED",
            "f: VALIDATION_ERROR",
        ]
    );
    assert_eq!(outcome.summary().failed, 6);
    assert_eq!(notes(&sandbox), ["T-001.md"]);
    assert_eq!(sandbox.text("T-001"), before);
}

#[test]
fn otherwise_what_is_right_is_made() {
    let sandbox = Sandbox::new();
    sandbox.made("task", json!({ "title": "old" }));
    let outcome = batch(&sandbox, &EACH, &half_wrong());
    assert_eq!(
        describe_outcome(&outcome),
        [
            "a: created T-002",
            "b: VALIDATION_ERROR status",
            "c: ABORTED",
            "d: NOT_FOUND",
            "e: updated T-001",
            "f: VALIDATION_ERROR",
        ]
    );
    assert_eq!(notes(&sandbox), ["T-001.md", "T-002.md"]);
    assert_eq!(sandbox.get("T-001", &["title"])["title"], "e");
}

#[test]
fn a_note_that_cannot_be_edited_fails_alone() {
    for (options, created) in [(EACH, "a: created T-002"), (ATOMIC, "a: ABORTED")] {
        let sandbox = Sandbox::new();
        // The anchor ties the title to another property.
        let text = "---\nid: T-001\ntype: task\ntitle: &t x\nstatus: todo\nother: *t\n---\n";
        sandbox.put("T-001", text);
        let operations = [
            create("a", "task", json!({ "title": "a" })),
            update("b", "T-001", json!({ "title": "b" })),
            update("c", "T-001", json!({ "status": "completed" })),
        ];
        let outcome = batch(&sandbox, &options, &operations);
        assert_eq!(describe_outcome(&outcome), [created, "b: VALIDATION_ERROR", "c: ABORTED"]);
        assert_eq!(sandbox.text("T-001"), text);
    }
}

#[test]
fn a_cycle_within_a_batch_is_refused() {
    let sandbox = Sandbox::new();
    let operations = [
        create("a", "task", json!({ "title": "a" })),
        create("b", "task", json!({ "title": "b", "depends_on": "a" })),
        update("c", "a", json!({ "depends_on": ["b"] })),
        create("d", "task", json!({ "title": "d", "depends_on": "b", "enables": ["a"] })),
    ];
    let outcome = batch(&sandbox, &EACH, &operations);
    let expected = [
        "a: created T-001",
        "b: created T-002",
        "c: VALIDATION_ERROR depends_on",
        "d: VALIDATION_ERROR depends_on",
    ];
    assert_eq!(describe_outcome(&outcome), expected);
    assert_eq!(sandbox.problems(), [""; 0]);
}

#[test]
fn client_ids_tell_operations_apart() {
    let sandbox = Sandbox::new();
    let task = |client_id: &str| create(client_id, "task", json!({ "title": "x" }));
    let made = sandbox.workspace().batch(&vec![task("a"); 1_001], &EACH, sandbox.now, &never);
    let error = made.unwrap_err().to_string();
    let expected = "the batch was not made: it has 1001 operations; expected at most 1000";
    assert!(error.starts_with(expected), "{error}");
    assert!(batch(&sandbox, &ATOMIC, &[]).results.is_empty());
    // Each fails alone, and one with the name of an earlier one is not made.
    let made = batch(&sandbox, &EACH, &[task(" "), task("T-004"), task("a"), task("b"), task("a")]);
    assert_eq!(
        describe_outcome(&made),
        [
            " : VALIDATION_ERROR client_id",
            "T-004: VALIDATION_ERROR client_id",
            "a: created T-001",
            "b: created T-002",
        ]
    );
}

#[test]
fn a_repeated_creation_returns_the_first_result() {
    let sandbox = Sandbox::new();
    let operations = [
        create("goal", "milestone", json!({ "title": "x", "workstream": "y" })),
        create("story", "story", json!({ "title": "x", "parent": "goal" })),
    ];
    let first = batch(&sandbox, &ATOMIC, &operations);
    sandbox.update("M-001", json!({ "title": "changed" })).unwrap();
    let etag = sandbox.get("M-001", &["etag"])["etag"].clone();
    fs::remove_file(sandbox.file("Projects/S-001.md")).unwrap();
    // Another process, and the fields in another order.
    let other = open(&sandbox.file(""));
    let reordered = [
        create("goal", "milestone", json!({ "workstream": "y", "title": "x" })),
        create("story", "story", json!({ "title": "x", "parent": "goal" })),
        update("u", "goal", json!({})),
    ];
    let again =
        other.find_by_name(None).unwrap().batch(&reordered, &EACH, sandbox.now, &never).unwrap();
    // What is gone is made anew, and what is there has its etag of now.
    assert_eq!(
        describe_outcome(&again),
        ["goal: already M-001", "story: created S-001", "u: updated M-001"]
    );
    let Ok(BatchResult::Already(goal)) = &again.results[0].1 else { panic!("{again:?}") };
    assert_eq!(goal.etag.as_str(), etag.as_str().unwrap());
    assert_eq!(describe_outcome(&first)[1], "story: created S-001");
    assert_eq!(sandbox.get("M-001", &["title"])["title"], "changed");

    let otherwise = [
        create("goal", "milestone", json!({ "title": "z" })),
        create("new", "task", json!({ "title": "z" })),
    ];
    let refused = batch(&sandbox, &EACH, &otherwise);
    assert_eq!(describe_outcome(&refused), ["goal: CONFLICT", "new: created T-001"]);
    let message = refused.results[0].1.as_ref().unwrap_err().to_string();
    assert!(message.starts_with("`goal` has created M-001 with another payload"), "{message}");
    let ada = BatchOptions { principal: "ada".to_owned(), ..EACH };
    assert_eq!(describe_outcome(&batch(&sandbox, &ada, &otherwise))[0], "goal: created M-002");
}

#[test]
fn a_failed_creation_is_not_remembered() {
    let sandbox = Sandbox::new();
    let wrong = [create("a", "task", json!({ "title": "a" })), update("b", "T-009", json!({}))];
    batch(&sandbox, &ATOMIC, &wrong);
    assert_eq!(describe_outcome(&batch(&sandbox, &ATOMIC, &wrong[..1])), ["a: created T-001"]);
}

#[test]
fn a_creation_is_remembered_for_a_day() {
    let mut sandbox = Sandbox::new();
    let task = [create("a", "task", json!({ "title": "x" }))];
    // The time of the last creation counts, not that of the last answer.
    for (time, expected) in [
        ("2026-03-01T00:00:00Z", "a: created T-001"),
        ("2026-03-01T12:00:00Z", "a: already T-001"),
        ("2026-03-01T23:59:59Z", "a: already T-001"),
        ("2026-03-02T00:00:00Z", "a: created T-002"),
        ("2026-03-02T23:59:59Z", "a: already T-002"),
        ("2026-03-05T00:00:00Z", "a: created T-003"),
    ] {
        sandbox.now = parse_time(time);
        assert_eq!(describe_outcome(&batch(&sandbox, &EACH, &task)), [expected], "{time}");
    }
    // With another payload, it is a creation like any other by then.
    sandbox.now = parse_time("2026-03-06T00:00:00Z");
    let other = [create("a", "task", json!({ "title": "y" }))];
    assert_eq!(describe_outcome(&batch(&sandbox, &EACH, &other)), ["a: created T-004"]);
}

#[test]
fn how_long_creations_are_remembered_is_a_setting() {
    let mut sandbox = Sandbox::new();
    sandbox.workspaces = open(&sandbox.file("")).remembering(SignedDuration::from_hours(2));
    let task = [create("a", "task", json!({ "title": "x" }))];
    for (time, expected) in [
        ("2026-03-01T00:00:00Z", "a: created T-001"),
        ("2026-03-01T01:59:59Z", "a: already T-001"),
        ("2026-03-01T02:00:00Z", "a: created T-002"),
    ] {
        sandbox.now = parse_time(time);
        assert_eq!(describe_outcome(&batch(&sandbox, &EACH, &task)), [expected], "{time}");
    }
}
