//! The calls that the specification of the project tools shows, word for word, each with its outcome.

use serde_json::{Value, json};

use crate::project::{Session, all};

/// Milestones, stories and tasks with the ids that the examples name.
fn planned() -> Session {
    let mut files = Vec::new();
    for (kind, ids) in [
        ("milestone", vec!["M-001"]),
        ("story", vec!["S-001", "S-002", "S-005", "S-010"]),
        ("task", vec!["T-042"]),
        ("decision", vec!["DEC-005"]),
        ("document", vec!["DOC-001"]),
    ] {
        for id in ids {
            let more = match id {
                "S-001" | "S-005" => "parent: M-001\ndepends_on: [DEC-005]\n",
                _ => "",
            };
            let status = match kind {
                "decision" => "decided",
                "document" => "approved",
                _ => "todo",
            };
            let text = format!(
                "---\nid: {id}\ntype: {kind}\ntitle: Authentication {id}\nstatus: {status}\nworkstream: backend\n{more}---\n"
            );
            files.push((format!("Projects/{id}.md"), text));
        }
    }
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Session::with(&files, &[])
}

fn batch(project: &mut Session, ops: Value) -> Value {
    let answer = project.call("batch_update", json!({ "ops": ops })).ok();
    for result in answer["results"].as_array().unwrap() {
        assert_eq!(result["status"], "ok", "{answer}");
    }
    answer
}

#[test]
fn the_examples_of_batches() {
    let mut project = planned();
    let made = batch(
        &mut project,
        json!([
            { "client_id": "m1", "op": "create", "type": "milestone",
              "payload": { "title": "Auth System", "workstream": "auth" } },
            { "client_id": "s1", "op": "create", "type": "story",
              "payload": { "title": "Login", "parent": "m1", "depends_on": ["m1"] } },
        ]),
    );
    assert_eq!(all(&made["results"], "outcome"), ["created", "created"]);
    let story = project.get("S-011", &["parent", "depends_on"]);
    assert_eq!(story, json!({ "parent": "M-002", "depends_on": ["M-002"] }));
    // A part cannot wait for the whole.
    let analysis = project.call("analyze_project_state", json!({})).ok();
    assert_eq!(analysis["contradictions"][0]["ids"], json!(["S-011", "M-002"]));

    batch(
        &mut project,
        json!([
            { "client_id": "u1", "op": "update", "id": "M-001", "payload": { "status": "completed" } },
            { "client_id": "u2", "op": "update", "id": "S-005", "payload": { "status": "in_progress" } },
        ]),
    );
    assert_eq!(project.get("S-005", &["status"]), json!({ "status": "in_progress" }));

    let mixed = batch(
        &mut project,
        json!([
            { "client_id": "c1", "op": "create", "type": "task", "payload": { "title": "Fix bug", "parent": "S-001" } },
            { "client_id": "u1", "op": "update", "id": "S-001", "payload": { "status": "in_progress" } },
            { "client_id": "a1", "op": "archive", "id": "T-042", "payload": { "archived": true } },
        ]),
    );
    assert_eq!(all(&mixed["results"], "outcome"), ["created", "updated", "archived"]);

    let archived = batch(
        &mut project,
        json!([
            { "client_id": "a1", "op": "archive", "id": "M-001", "payload": { "archived": true, "cascade": true } },
            { "client_id": "a2", "op": "archive", "id": "S-010", "payload": { "archived": true } },
        ]),
    );
    assert_eq!(archived["results"][0]["archived"], json!(["M-001", "S-001", "S-005", "T-043"]));
    // What a cascade archived comes back with it.
    project.call("update_entity", json!({ "id": "M-001", "data": { "archived": false } })).ok();
    assert_eq!(project.get("T-043", &["archived"]), json!({ "archived": null }));
    assert_eq!(project.get("S-010", &["archived"]), json!({ "archived": true }));
}

#[test]
fn the_examples_of_reading() {
    let mut project = planned();
    let overview = project.call("get_project_overview", json!({})).ok();
    let decisions = json!({ "total": 1, "pending": 0, "decided": 1 });
    assert_eq!(overview["summary"]["decisions"], decisions);
    let call = json!({ "workstream": "backend", "include_completed": true, "include_archived": true, "group_by": "type" });
    let detail = project.call("get_project_overview", call).ok();
    assert_eq!(detail["workstream_detail"]["groups"]["task"][0]["id"], "T-042");

    let found = project.call(
        "search_entities",
        json!({
            "query": "authentication", "filters": { "type": ["story", "task"] },
            "fields": ["id", "title", "status"],
        }),
    );
    assert_eq!(found.ok()["total_matches"], 5);
    let below = project.call(
        "search_entities",
        json!({
            "from_id": "M-001", "direction": "down", "depth": 2,
            "fields": ["id", "title", "status", "parent"],
        }),
    );
    assert_eq!(all(&below.ok()["results"], "id"), ["S-001", "S-005"]);
    let before = project.call(
        "search_entities",
        json!({
            "from_id": "S-005", "direction": "dependencies",
            "fields": ["id", "title", "status", "depends_on"],
        }),
    );
    let expected = json!([{ "id": "DEC-005", "title": "Authentication DEC-005", "status": "decided", "depends_on": [] }]);
    assert_eq!(before.ok()["results"], expected);

    let default = project.call("get_entity", json!({ "id": "M-001" })).ok();
    assert_eq!(default["title"], "Authentication M-001");
    let call = json!({ "id": "M-001", "fields": ["id", "title", "status", "depends_on"] });
    let expected = json!({ "id": "M-001", "title": "Authentication M-001", "status": "todo", "depends_on": [] });
    assert_eq!(project.call("get_entity", call).ok(), expected);
}

#[test]
fn the_examples_of_decisions_and_documents() {
    let mut project = planned();
    let call = json!({
        "type": "decision",
        "data": {
            "title": "Use PostgreSQL", "workstream": "backend", "context": "Need to choose database",
            "decision": "Use PostgreSQL", "rationale": "Better for relational data",
            "decided_by": "Tech Lead", "enables": ["S-001", "S-002"],
        },
    });
    assert_eq!(project.call("create_entity", call).ok()["id"], "DEC-006");
    // It was made, and holds up nothing.
    assert_eq!(project.get("DEC-006", &["status"]), json!({ "status": "decided" }));
    let analysis = project.call("analyze_project_state", json!({})).ok();
    assert_eq!((&analysis["blockers"], &analysis["contradictions"]), (&json!([]), &json!([])));

    let history = json!({ "topic": "database", "workstream": "backend", "include_archived": true });
    let history = project.documents("get_decision_history", history).ok();
    assert_eq!(all(&history["decisions"], "id"), ["DEC-006"]);
    let call = json!({
        "document_id": "DOC-001", "decision_id": "DEC-005", "new_content": "Updated spec...",
        "change_summary": "Added PostgreSQL requirements",
    });
    assert_eq!(project.documents("supersede_document", call).ok()["id"], "DOC-002");
    let versions =
        project.documents("get_document_history", json!({ "document_id": "DOC-001" })).ok();
    assert_eq!(all(&versions["versions"], "id"), ["DOC-001", "DOC-002"]);
    let fresh = project.documents("check_freshness", json!({ "document_id": "DOC-001" })).ok();
    assert_eq!(fresh["documents"][0]["changed"][0]["id"], "DOC-002");
    // The text of a new version is that of the old one, if none is given.
    project.documents("supersede_document", json!({ "document_id": "DOC-002" })).ok();
    assert_eq!(project.get("DOC-003", &["body"]), json!({ "body": "Updated spec...\n" }));
}

#[test]
fn the_examples_of_the_migration() {
    let mut project = planned();
    for (tool, call) in [
        ("update_entity_status", json!({ "id": "M-001", "status": "completed" })),
        ("update_entity", json!({ "id": "M-001", "data": { "status": "completed" } })),
        ("archive_entity", json!({ "id": "S-005" })),
        ("update_entity", json!({ "id": "S-005", "data": { "archived": true } })),
        (
            "batch_operations",
            json!({ "entities": [{ "type": "milestone", "data": { "title": "M1" } }] }),
        ),
        ("get_entity_summary", json!({ "id": "M-001" })),
        ("get_entity_full", json!({ "id": "M-001" })),
        (
            "create_decision",
            json!({
                "title": "Use PostgreSQL", "context": "...", "decision": "...", "rationale": "...",
                "workstream": "backend", "decided_by": "Tech Lead",
            }),
        ),
        (
            "create_entity",
            json!({
                "type": "decision",
                "data": {
                    "title": "Use PostgreSQL", "workstream": "backend", "context": "...",
                    "decision": "...", "rationale": "...", "decided_by": "Tech Lead",
                },
            }),
        ),
    ] {
        project.call(tool, call).ok();
    }
    batch(
        &mut project,
        json!([
            { "client_id": "m1", "op": "create", "type": "milestone", "payload": { "title": "M1" } },
        ]),
    );
    for id in ["DEC-006", "DEC-007"] {
        assert_eq!(project.get(id, &["status"]), json!({ "status": "decided" }));
    }
}

#[test]
fn the_twelve_names_answer_on_every_surface() {
    for surface in ["auto", "meta", "dispatch"] {
        let mut project = Session::with(&[], &["--surface", surface]);
        let made =
            project.call("create_entity", json!({ "type": "task", "data": { "title": "x" } })).ok();
        assert_eq!(made["id"], "T-001", "{surface}");
        for (tool, call) in [
            ("update_entity", json!({ "id": "T-001", "data": { "status": "in_progress" } })),
            ("get_entity", json!({ "id": "T-001" })),
            (
                "batch_update",
                json!({ "ops": [{ "client_id": "a", "op": "archive", "id": "T-001" }] }),
            ),
            ("search_entities", json!({})),
            ("get_project_overview", json!({})),
            ("analyze_project_state", json!({})),
            ("manage_documents", json!({ "action": "check_freshness" })),
            ("read_docs", json!({ "path": "T-001" })),
            ("update_doc", json!({ "path": "Projects/A.md", "content": "x" })),
            ("list_workspaces", json!({})),
            ("list_files", json!({})),
        ] {
            assert!(!project.call(tool, call).is_error(), "{tool} on {surface}");
        }
    }
}
