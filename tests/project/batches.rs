//! Several changes in one call.

use serde_json::{Value, json};
use toolwrit_tests::vaults;

use crate::project::{Session, all};

fn plan() -> Value {
    json!([
        {"client_id": "goal", "op": "create", "type": "milestone", "payload": {"title": "Beta"}},
        {"client_id": "part", "op": "create", "type": "story",
         "payload": {"title": "Sign up", "parent": "goal", "body": "As a visitor.\n"}},
        {"client_id": "first", "op": "create", "type": "task",
         "payload": {"title": "Form", "parent": "part"}},
        {"client_id": "then", "op": "create", "type": "task",
         "payload": {"title": "Mail", "parent": "part", "depends_on": ["first"]}},
        {"client_id": "begin", "op": "update", "id": "first", "payload": {"status": "in_progress"}},
    ])
}

#[test]
fn later_operations_use_the_names_of_earlier_ones() {
    let mut project = Session::new();
    let answer = project.call("batch_update", json!({"ops": plan()})).ok();
    assert_eq!(answer["summary"], json!({"total": 5, "succeeded": 5, "failed": 0}));
    assert_eq!(all(&answer["results"], "client_id"), ["goal", "part", "first", "then", "begin"]);
    assert_eq!(all(&answer["results"], "id"), ["M-001", "S-001", "T-001", "T-002", "T-001"]);
    let task = project.get("T-002", &["parent", "depends_on"]);
    assert_eq!(task, json!({"parent": "S-001", "depends_on": ["T-001"]}));
    assert_eq!(project.get("T-001", &["status"])["status"], "in_progress");
    assert_eq!(project.get("S-001", &["body"])["body"], "As a visitor.\n");
}

#[test]
fn a_repeated_creation_makes_nothing_twice_even_after_a_restart() {
    let mut project = Session::new();
    let first = project.call("batch_update", json!({"ops": [plan()[0]]})).ok();
    project.restart();
    let again = project.call("batch_update", json!({"ops": [plan()[0]]})).ok();
    let (first, mut again) = (first["results"][0].clone(), again["results"][0].clone());
    assert_eq!(again["already"].take(), true);
    again.as_object_mut().unwrap().remove("already");
    assert_eq!(again, first);
    assert_eq!((&first["status"], &first["outcome"]), (&json!("ok"), &json!("created")));
    assert!(!project.path("Projects/M-002.md").exists());

    let other = json!({"client_id": "goal", "op": "create", "type": "milestone", "payload": {"title": "Gamma"}});
    let refused = project.call("batch_update", json!({"ops": [other]})).ok();
    let error = &refused["results"][0]["error"];
    assert_eq!(error["code"], "CONFLICT");
    assert!(error["message"].as_str().unwrap().contains("M-001"), "{error}");
}

#[test]
fn an_atomic_batch_with_a_mistake_changes_nothing() {
    let mut project = Session::new();
    project.made("task", json!({"title": "Old"}));
    let before = vaults::contents(&project.path("Projects"));
    let mut ops = plan().as_array().unwrap().clone();
    ops.push(
        json!({"client_id": "bad", "op": "update", "id": "T-001", "payload": {"status": "dnoe"}}),
    );
    ops.push(json!({"client_id": "old", "op": "archive", "id": "T-001"}));

    let call = json!({"ops": ops, "options": {"atomic": true}});
    let answer = project.call("batch_update", call).ok();
    assert_eq!(answer["summary"], json!({"total": 7, "succeeded": 0, "failed": 7}));
    let codes: Vec<&Value> =
        answer["results"].as_array().unwrap().iter().map(|it| &it["error"]["code"]).collect();
    let aborted = "ABORTED";
    let bad = "VALIDATION_ERROR";
    assert_eq!(codes, [aborted, aborted, aborted, aborted, aborted, bad, aborted]);
    assert_eq!(answer["results"][5]["error"]["field"], "status");
    assert_eq!(vaults::contents(&project.path("Projects")), before);

    let answer = project.call("batch_update", json!({"ops": ops})).ok();
    assert_eq!(answer["summary"], json!({"total": 7, "succeeded": 6, "failed": 1}));
}

#[test]
fn a_milestone_is_archived_with_all_below_it_and_restored() {
    let mut project = Session::new();
    project.call("batch_update", json!({"ops": plan()})).ok();
    let archive =
        json!({"client_id": "a", "op": "archive", "id": "M-001", "payload": {"cascade": true}});
    let answer = project.call("batch_update", json!({"ops": [archive]})).ok();
    let mut archived: Vec<&str> = answer["results"][0]["archived"]
        .as_array()
        .unwrap()
        .iter()
        .map(|id| id.as_str().unwrap())
        .collect();
    assert_eq!(archived.remove(0), "M-001");
    archived.sort_unstable();
    assert_eq!(archived, ["S-001", "T-001", "T-002"]);
    assert_eq!(project.call("search_entities", json!({})).ok()["total_matches"], 0);

    // Archiving leaves every note where it is.
    let ids = ["M-001", "S-001", "T-001", "T-002"];
    assert!(ids.iter().all(|id| project.path(&format!("Projects/{id}.md")).is_file()));
    // What was archived with the milestone comes back with it.
    project.update("M-001", json!({"archived": false}));
    assert_eq!(project.call("search_entities", json!({})).ok()["total_matches"], 4);
}

#[test]
fn an_operation_that_cannot_be_understood_fails_alone() {
    let rows = [
        (
            json!({"client_id": "a", "op": "create", "type": "epic", "payload": {"title": "x"}}),
            "type",
        ),
        (json!({"client_id": "b", "op": "delete", "id": "T-001"}), "op"),
        (json!({"client_id": "c", "op": "update", "payload": {"title": "x"}}), "id"),
        (json!({"op": "create", "type": "task", "payload": {"title": "x"}}), "client_id"),
        (
            json!({"client_id": "d", "op": "archive", "id": "T-001", "payload": {"archived": false}}),
            "archived",
        ),
        (json!({"client_id": "f", "op": "create", "type": "task", "payload": "title"}), "payload"),
        (json!({"client_id": "g", "op": "create", "type": "task", "payload": null}), "payload"),
        (json!({"client_id": "h", "op": "create", "type": 5, "payload": {"title": "x"}}), "type"),
        (json!({"client_id": "i", "op": "update", "id": ["T-001"], "payload": {}}), "id"),
        (json!({"client_id": "j", "op": "archive", "id": "T-001", "cascade": true}), "cascade"),
        (json!({"client_id": 7, "op": "archive", "id": "T-001"}), "client_id"),
        (json!({"client_id": "k", "type": "task"}), "op"),
        (json!("T-001"), "ops"),
        (json!(null), "ops"),
        (json!({"client_id": "l", "op": "update", "id": "$99", "payload": {}}), "id"),
    ];
    let good =
        json!({"client_id": "e", "op": "create", "type": "task", "payload": {"title": "Made"}});
    for atomic in [false, true] {
        let mut project = Session::new();
        let mut ops: Vec<Value> = rows.iter().map(|(op, _)| op.clone()).collect();
        ops.push(good.clone());
        let call = json!({"ops": ops, "options": {"atomic": atomic}});
        let answer = project.call("batch_update", call).ok();
        let results = answer["results"].as_array().unwrap();
        for (result, (op, field)) in results.iter().zip(&rows) {
            assert_eq!(result["error"]["code"], "VALIDATION_ERROR", "{op}: {result}");
            assert_eq!(result["error"]["field"], *field, "{op}: {result}");
            if op["client_id"].is_string() {
                assert_eq!(result["client_id"], op["client_id"]);
            }
        }
        let made = usize::from(!atomic);
        let total = rows.len() + 1;
        let summary = json!({"total": total, "succeeded": made, "failed": total - made});
        assert_eq!(answer["summary"], summary);
        assert_eq!(project.path("Projects/T-001.md").exists(), !atomic);
    }
}

#[test]
fn an_operation_with_the_name_of_an_earlier_one_has_its_result() {
    let mut project = Session::new();
    let ops = json!([
        {"client_id": "a", "op": "delete"},
        {"client_id": "e", "op": "create", "type": "task", "payload": {"title": "Made"}},
        {"client_id": "f", "op": "create", "type": "task", "payload": {"title": "Then", "depends_on": ["$1"]}},
        {"client_id": "e", "op": "create", "type": "task", "payload": {"title": "Other"}},
        {"client_id": "a", "op": "create", "type": "task", "payload": {"title": "Right"}},
    ]);
    let answer = project.call("batch_update", json!({"ops": ops})).ok();
    let results = &answer["results"];
    assert_eq!(answer["summary"], json!({"total": 5, "succeeded": 3, "failed": 2}));
    assert_eq!((&results[1]["id"], &results[3]["id"]), (&json!("T-001"), &json!("T-001")));
    assert_eq!((&results[1]["already"], &results[3]["already"]), (&json!(null), &json!(true)));
    assert_eq!(results[4], results[0]);
    assert_eq!(project.get("T-002", &["depends_on"]), json!({"depends_on": ["T-001"]}));
}

#[test]
fn what_is_remembered_is_compared_with_the_disk() {
    let mut project = Session::new();
    let make = |title: &str| json!({"client_id": "z", "op": "create", "type": "task", "payload": {"title": title}});
    project.call("batch_update", json!({"ops": [make("Throwaway")]})).ok();
    std::fs::remove_file(project.path("Projects/T-001.md")).unwrap();
    // Another entity gets the id that became free.
    assert_eq!(project.made("task", json!({"title": "Important"})), "T-001");
    let ops = json!([make("Throwaway"), {"client_id": "y", "op": "archive", "id": "z"}]);
    let answer = project.call("batch_update", json!({"ops": ops})).ok();
    assert_eq!(all(&answer["results"], "id"), ["T-002", "T-002"]);
    assert!(answer["results"][0]["already"].is_null(), "{answer}");
    let important = project.get("T-001", &["title", "archived"]);
    assert_eq!(important, json!({"title": "Important", "archived": null}));
    // Another batch has client ids of its own.
    let call = json!({"ops": [make("Weekly report")], "options": {"batch_id": "week 12"}});
    assert_eq!(project.call("batch_update", call).ok()["results"][0]["id"], "T-003");
}

#[test]
fn nothing_is_remembered_for_zero_hours() {
    let mut project = Session::with(&[], &["--project-remember", "0"]);
    for id in ["T-001", "T-002"] {
        let op =
            json!({"client_id": "a", "op": "create", "type": "task", "payload": {"title": "x"}});
        let answer = project.call("batch_update", json!({"ops": [op]})).ok();
        assert_eq!(answer["results"][0]["id"], id, "{answer}");
    }
}
