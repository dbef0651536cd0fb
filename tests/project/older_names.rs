//! Older names of the operations on projects, with their old arguments.

use serde_json::{Value, json};

use crate::project::Session;
use toolwrit_tests::drivers::client::{Client, User};

/// Calls an older name. The answer must say how to call it today.
fn older(project: &mut Session, name: &str, arguments: Value) -> Value {
    let answer = project.call(name, arguments);
    let hint = answer.0["content"][1]["text"].as_str().unwrap_or_default().to_owned();
    assert!(hint.starts_with(&format!("`{name}` is now `project.")), "{name}: {answer:?}");
    answer.ok()
}

/// A milestone with a story and two tasks, and a document.
fn planned() -> Session {
    let mut project = Session::new();
    project.made("milestone", json!({"title": "Beta", "workstream": "app"}));
    project.made("story", json!({"title": "Sign up", "parent": "M-001"}));
    project.made("task", json!({"title": "Form", "parent": "S-001"}));
    project.made("task", json!({"title": "Mail", "parent": "S-001", "depends_on": ["T-001"]}));
    project.made("document", json!({"title": "Accounts"}));
    project
}

#[test]
fn single_entities_are_changed_and_read() {
    let mut project = planned();
    let made = older(
        &mut project,
        "create_decision",
        json!({
            "title": "Storage", "context": "Offline", "decision": "SQLite", "rationale": "One file",
            "workstream": "app", "decided_by": "Ines", "enables": ["T-001"],
            "affects_documents": ["DOC-001"],
        }),
    );
    assert_eq!(made["id"], "DEC-001");
    let decision = project.get("DEC-001", &["decision", "decided_by", "enables"]);
    let expected =
        json!({"decision": "SQLite", "decided_by": "Ines", "enables": ["T-001", "DOC-001"]});
    assert_eq!(decision, expected);

    let change =
        json!({"id": "T-001", "status": "in_progress", "note": "at last", "cascade": true});
    older(&mut project, "update_entity_status", change);
    older(&mut project, "archive_entity", json!({"id": "T-001", "force": true}));
    let changed = project.get("T-001", &["status", "archived"]);
    assert_eq!(changed, json!({"status": "in_progress", "archived": true}));
    let restored = json!({"id": "T-001", "restore_children": true});
    older(&mut project, "restore_from_archive", restored);
    assert_eq!(project.get("T-001", &["archived"]), json!({"archived": false}));

    let summary = older(&mut project, "get_entity_summary", json!({"id": "S-001"}));
    assert_eq!(summary["title"], "Sign up");
    let full =
        json!({"id": "S-001", "include_children": true, "include_dependencies": true, "depth": 2});
    let full = older(&mut project, "get_entity_full", full);
    assert_eq!((&full["parent"], &full["children"]), (&json!("M-001"), &json!(["T-001", "T-002"])));
    let fault =
        project.call("update_entity_status", json!({"id": "T-001", "status": "open"})).error();
    assert_eq!(
        (&fault["code"], &fault["path"]),
        (&json!("VALIDATION_ERROR"), &json!("/data/status"))
    );
}

#[test]
fn batches_are_made_from_older_lists() {
    let mut project = planned();
    let entities = json!([
        {"type": "task", "data": {"title": "Logo", "workstream": "site"}},
        {"type": "task", "data": {"title": "Logo", "workstream": "site"}},
    ]);
    let call = json!({"entities": entities, "options": {"atomic": true}});
    let made = older(&mut project, "batch_operations", call.clone());
    assert_eq!(made["summary"]["succeeded"], 2, "{made}");
    assert_eq!(
        (&made["results"][0]["id"], &made["results"][1]["id"]),
        (&json!("T-003"), &json!("T-004"))
    );
    let again = older(&mut project, "batch_operations", call);
    assert_eq!(again["results"][1]["id"], "T-004", "a repeated call creates nothing");
    let other = json!({"entities": [{"type": "task", "data": {"title": "Font"}}]});
    assert_eq!(older(&mut project, "batch_operations", other)["results"][0]["id"], "T-005");

    let updates = json!([
        {"id": "T-001", "status": "completed", "note": "done"}, {"id": "T-002", "status": "in_progress"},
    ]);
    let call = json!({"updates": updates, "options": {"auto_cascade": true}});
    let changed = older(&mut project, "batch_update_status", call);
    assert_eq!(changed["summary"]["succeeded"], 2, "{changed}");
    assert_eq!(project.get("T-001", &["status"]), json!({"status": "completed"}));

    let archived = json!({
        "milestone_ids": ["M-001"], "entity_ids": ["T-003"],
        "options": {"archive_folder": "Old", "remove_from_canvas": false},
    });
    let archived = older(&mut project, "batch_archive", archived);
    assert_eq!(archived["results"][0]["archived"], json!(["M-001", "S-001", "T-001", "T-002"]));
    assert_eq!(archived["results"][1]["archived"], json!(["T-003"]));

    project.made("milestone", json!({"title": "Release"}));
    project.made("story", json!({"title": "Ship it", "parent": "M-002"}));
    let call = json!({"milestone_id": "M-002", "archive_folder": "Old"});
    let archived = older(&mut project, "archive_milestone", call);
    assert_eq!(archived["results"][0]["archived"], json!(["M-002", "S-002"]));
}

#[test]
fn the_state_and_the_history_are_shown() {
    let mut project = planned();
    let call = json!({"workstream": "app", "include_completed": true, "group_by": "type"});
    let status = older(&mut project, "get_workstream_status", call);
    assert_eq!(status["workstream_detail"]["grouped_by"], "type");
    let call =
        json!({"from_id": "M-001", "direction": "down", "depth": 1, "include_content": true});
    let below = older(&mut project, "navigate_hierarchy", call);
    assert_eq!(below["results"][0]["id"], "S-001");

    let data = json!({"title": "Storage", "status": "decided", "decision": "SQLite"});
    project.made("decision", data);
    let decisions =
        json!({"topic": "storage", "include_superseded": true, "include_archived": true});
    let decisions = older(&mut project, "get_decision_history", decisions);
    assert_eq!(decisions["decisions"][0]["id"], "DEC-001");
    let call = json!({
        "document_id": "DOC-001", "decision_id": "DEC-001", "new_content": "# Two",
        "change_summary": "SQLite",
    });
    assert_eq!(older(&mut project, "supersede_document", call)["id"], "DOC-002");
    let versions = older(&mut project, "get_document_history", json!({"document_id": "DOC-002"}));
    assert_eq!(versions["versions"].as_array().unwrap().len(), 2);
    let call = json!({"document_id": "DOC-002"});
    let freshness = older(&mut project, "check_document_freshness", call);
    assert_eq!(freshness["documents"][0]["fresh"], true, "{freshness}");
}

#[test]
fn names_that_are_gone_say_what_to_use() {
    let mut project = Session::new();
    for (name, instead) in [
        ("get_ready_for_implementation", "project.analyze_project_state"),
        ("validate_spec_completeness", "project.analyze_project_state"),
        ("generate_implementation_package", "project.get_entity"),
        ("auto_layout_canvas", "Obsidian"),
    ] {
        let fault = project.call(name, json!({})).error();
        assert_eq!(fault["code"], "TOOL_NOT_FOUND");
        assert!(fault["hint"].as_str().unwrap().contains(instead), "{fault}");
    }
}

/// The calls that the page of older names shows.
#[test]
fn the_reference_shows_a_valid_call_for_each_older_name() {
    let manifest = toolwrit_manifest::load("../manifest/authority.yaml".as_ref()).unwrap();
    let mut shown = 0;
    for operation in manifest.tools().filter(|operation| operation.id.starts_with("project.")) {
        for alias in &operation.aliases {
            let call = toolwrit_manifest::older_call(&manifest, operation, alias).unwrap();
            let mut project = planned();
            project.made("decision", json!({"title": "Storage"}));
            let answer = project.call(&alias.name, call.older.into());
            assert_ne!(answer.code(), "VALIDATION_ERROR", "{}: {answer:?}", alias.name);
            shown += 1;
        }
    }
    assert_eq!(shown, 29);
}

#[test]
fn current_names_take_the_arguments_of_the_server_before() {
    let mut project = planned();
    let call = json!({"id": "T-001", "add_dependencies": ["DOC-001"], "status": "in_progress"});
    project.call("update_entity", call).ok();
    let expected = json!({"depends_on": ["DOC-001"], "status": "in_progress"});
    assert_eq!(project.get("T-001", &["depends_on", "status"]), expected);
    project.call("update_entity", json!({"id": "T-001", "remove_dependencies": ["DOC-001"]})).ok();
    assert_eq!(project.get("T-001", &["depends_on"]), json!({"depends_on": []}));
    for (call, expected) in [
        (
            json!({"add_to": {"enables": ["T-002"], "labels": ["ui"]}}),
            json!({"enables": ["T-002"], "labels": ["ui"]}),
        ),
        (
            json!({"remove_from": {"enables": ["T-002"]}, "return_full": true}),
            json!({"enables": [], "labels": ["ui"]}),
        ),
    ] {
        let mut call = call;
        call["id"] = "T-001".into();
        project.call("update_entity", call).ok();
        assert_eq!(project.get("T-001", &["enables", "labels"]), expected);
    }
    let analysis = json!({"focus": "actions", "depth": "summary", "workstream": "app"});
    let analysis = project.call("analyze_project_state", analysis).ok();
    assert!(analysis["ready"].is_array() && analysis["blockers"].is_null(), "{analysis}");
    let call = json!({"doc_name": "DOC-001", "from_line": 2, "to_line": 2, "workspace": "default"});
    assert_eq!(project.call("read_docs", call).ok()["content"], "id: DOC-001\n");
    let path = "Projects/Notes.md";
    for (operation, lines, content, expected) in [
        ("create", json!({}), "One\nThree\n", "One\nThree\n"),
        ("insert_at", json!({"start_line": 2}), "Two", "One\nTwo\nThree\n"),
        ("replace_at", json!({"start_line": 1, "end_line": 2}), "Half", "Half\nThree\n"),
    ] {
        let mut call = json!({"name": path, "operation": operation, "content": content});
        call.as_object_mut().unwrap().extend(lines.as_object().unwrap().clone());
        project.call("update_doc", call).ok();
        assert_eq!(project.text(path), expected);
    }
    // A deletion is confirmed, whatever it is called.
    let call = json!({"workspace": "default", "name": path, "operation": "delete"});
    let mut declining =
        Client::vault_for(User::Declines, &[], &project.path(""), &["--surface", "flat"]);
    assert_eq!(declining.call("update_doc", &call).code(), "CANCELLED");
    assert!(project.path(path).exists());
    project.call("update_doc", call).ok();
    assert!(!project.path(path).exists());

    let call = json!({
        "entities": [
            {"type": "milestone", "data": {"title": "Beta 2"}},
            {"type": "story", "data": {"title": "x", "parent": "$0", "acceptance_criteria": ["It works"]}},
            {"type": "story", "data": {"title": "y", "parent": "$0"}},
        ],
        "dependencies": [{"from": "$1", "to": "$2", "type": "blocks"}],
    });
    let made = older(&mut project, "batch_operations", call);
    assert_eq!(made["summary"]["succeeded"], 4, "{made}");
    let expected = json!({"parent": "M-002", "depends_on": ["S-002"]});
    assert_eq!(project.get("S-003", &["parent", "depends_on"]), expected);
}

#[test]
fn archiving_and_restoring_take_the_options_of_the_server_before() {
    let canvas = "Projects/Plan.canvas";
    let mut project = planned();
    let call = json!({"id": "S-001", "options": {"add_to_canvas": true, "canvas_source": canvas}});
    project.call("update_entity", call).ok();
    let archive = json!({
        "force": true, "cascade": true, "archive_folder": "Old", "remove_from_canvas": true,
        "canvas_source": canvas,
    });
    let call = json!({"id": "S-001", "archived": true, "archive_options": archive});
    project.call("update_entity", call).ok();
    assert_eq!(project.get("T-002", &["archived"]), json!({"archived": true}));
    assert!(!project.text(canvas).contains("S-001"), "{}", project.text(canvas));
    let restore = json!({"restore_children": true, "add_to_canvas": true, "canvas_source": canvas});
    let call = json!({"id": "S-001", "archived": false, "restore_options": restore});
    project.call("update_entity", call).ok();
    assert_eq!(project.get("T-002", &["archived"]), json!({"archived": null}));
    assert!(project.text(canvas).contains("S-001.md"), "{}", project.text(canvas));
}
