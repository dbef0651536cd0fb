//! The life of a project through the official Python client, which checks every answer against the output
//! schema of its tool.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::CallResult;
use toolwrit_tests::program::{toolwrit, workspace};
use toolwrit_tests::requirement::{Need, met};
use toolwrit_tests::vaults;

use crate::project::all;

const INSTALL: &str = "tests/clients/install";

fn calls() -> Value {
    let create = |kind: &str, data: Value| json!({"name": "create_entity", "arguments": {"type": kind, "data": data}});
    let call = |tool: &str, arguments: Value| json!({"name": tool, "arguments": arguments});
    json!([
        create("milestone", json!({"title": "Beta"})),
        create("story", json!({"title": "Sign up", "parent": "M-001"})),
        create("task", json!({"title": "Form", "parent": "S-001"})),
        create("decision", json!({"title": "Storage", "status": "decided", "decision": "SQLite"})),
        create("document", json!({"title": "Spec", "decisions": ["DEC-001"]})),
        call("update_entity", json!({"id": "S-001", "data": {"enables": ["T-002"]}})),
        call(
            "batch_update",
            json!({"ops": [
            {"client_id": "mail", "op": "create", "type": "task",
             "payload": {"title": "Mail", "parent": "S-001", "depends_on": ["T-001"]}},
            {"client_id": "go", "op": "update", "id": "T-001", "payload": {"status": "in_progress"}},
        ], "options": {"atomic": true}})
        ),
        call(
            "batch_update",
            json!({"ops": [
                {"client_id": "end", "op": "archive", "id": "M-001", "payload": {"cascade": true}},
            ]})
        ),
        call("update_entity", json!({"id": "T-001", "data": {"archived": false}})),
        call(
            "manage_documents",
            json!({"action": "supersede_document", "document_id": "DOC-001", "new_content": "# 2\n"})
        ),
        call("get_entity", json!({"id": "T-002", "fields": ["*"]})),
        call("search_entities", json!({"from_id": "T-001", "direction": "up"})),
        call("get_project_overview", json!({})),
        call("analyze_project_state", json!({})),
        call("manage_documents", json!({"action": "get_decision_history"})),
        call(
            "manage_documents",
            json!({"action": "get_document_history", "document_id": "DOC-002"})
        ),
        call("manage_documents", json!({"action": "check_freshness"})),
        call("read_docs", json!({"path": "DOC-002"})),
        call("update_doc", json!({"path": "DOC-002", "content": "# Two\n"})),
        call("list_workspaces", json!({})),
        call("list_files", json!({"entities": true})),
    ])
}

#[test]
fn a_client_that_is_not_ours_runs_a_project() {
    let clients = workspace().join("tests/clients/python");
    let python = clients.join(".venv/bin/python");
    let package = clients.join(".venv/bin/mcp");
    if !met(&[Need::Program(&python, (3, 11)), Need::File(&package)], INSTALL) {
        return;
    }
    let (vault, home) = (vaults::empty(), TempDir::new().unwrap());
    let serve = ["serve", "--surface", "flat", "--vault"].map(Path::new);
    let target = json!([&[toolwrit()], &serve[..], &[vault.path()]].concat());
    let output = Command::new(&python)
        .arg(clients.join("drive.py"))
        .args([&target.to_string(), "2025-11-25", &calls().to_string()])
        .env("HOME", home.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    check(&report["results"]);
}

fn check(results: &Value) {
    let answers: Vec<CallResult> =
        results.as_array().unwrap().iter().cloned().map(CallResult).collect();
    // T-002 does not exist yet.
    assert_eq!(answers[5].error()["path"], "/data/enables");
    let ok = |number: usize| {
        let answer = answers[number].clone();
        assert_eq!(answer.0["structuredContent"], answer.json());
        answer.ok()
    };
    let made: Vec<Value> = (0..5).map(|number| ok(number)["id"].clone()).collect();
    assert_eq!(made, ["M-001", "S-001", "T-001", "DEC-001", "DOC-001"]);
    assert_eq!(all(&ok(6)["results"], "id"), ["T-002", "T-001"]);
    assert_eq!(ok(7)["results"][0]["archived"].as_array().unwrap().len(), 4);
    assert_eq!(ok(9)["id"], "DOC-002");
    assert_eq!((&ok(10)["archived"], &ok(10)["depends_on"]), (&json!(true), &json!(["T-001"])));
    // What is archived is left out.
    assert_eq!(ok(11)["results"], json!([]));
    assert_eq!(ok(12)["summary"]["tasks"]["in_progress"], 1);
    assert_eq!(ok(13)["contradictions"][0]["ids"], json!(["T-001", "S-001"]));
    assert_eq!(all(&ok(14)["decisions"], "id"), ["DEC-001"]);
    assert_eq!(all(&ok(15)["versions"], "status"), ["superseded", "draft"]);
    assert_eq!(all(&ok(16)["documents"], "id"), ["DOC-002"]);
    assert!(ok(17)["content"].as_str().unwrap().ends_with("# 2\n"));
    assert_eq!(ok(18)["created"], false);
    assert_eq!(ok(19)["workspaces"][0]["entities"], 7);
    assert_eq!(ok(20)["total"], 7);
}
