//! Mistakes of callers, and notes that cannot be read.

use serde_json::{Value, json};

use crate::project::Session;

const BROKEN: &str = "---\nid: T-002\ntype: task\ntitle: [unclosed\n---\nText of a person.\n";

#[test]
fn a_mistake_names_its_argument_and_changes_nothing() {
    let mut project = Session::new();
    project.made("task", json!({"title": "One"}));
    project.made("task", json!({"title": "Two", "depends_on": ["T-001"]}));
    let before = project.text("Projects/T-001.md");
    let create = |data: Value| ("create_entity", json!({"type": "task", "data": data}));
    let update = |data: Value| ("update_entity", json!({"id": "T-001", "data": data}));
    for ((tool, call), code, path) in [
        (create(json!({})), "VALIDATION_ERROR", "/data/title"),
        (create(json!({"title": "x", "colour": "red"})), "VALIDATION_ERROR", "/data/colour"),
        (create(json!({"title": "x", "parent": "S-009"})), "VALIDATION_ERROR", "/data/parent"),
        (update(json!({"status": "aproved"})), "VALIDATION_ERROR", "/data/status"),
        (update(json!({"depends_on": ["T-002"]})), "VALIDATION_ERROR", "/data/depends_on"),
        (update(json!({"id": "T-009"})), "VALIDATION_ERROR", "/data/id"),
        (update(json!({"a/b": 1})), "VALIDATION_ERROR", "/data/a~1b"),
        (("update_entity", json!({"id": "T-009", "data": {}})), "NOT_FOUND", "/id"),
        (("get_entity", json!({"id": "task one"})), "VALIDATION_ERROR", "/id"),
        (
            ("get_entity", json!({"id": "T-001", "fields": ["titel"]})),
            "VALIDATION_ERROR",
            "/fields",
        ),
        (("search_entities", json!({"from_id": "M-001"})), "NOT_FOUND", "/from_id"),
        (
            ("search_entities", json!({"query": "x", "from_id": "T-001"})),
            "VALIDATION_ERROR",
            "/from_id",
        ),
        (
            ("search_entities", json!({"filters": {"status": ["dnoe"]}})),
            "VALIDATION_ERROR",
            "/filters/status/0",
        ),
        (("get_entity", json!({"id": "T-001", "workspace": "nope"})), "NOT_FOUND", "/workspace"),
    ] {
        let error = project.call(tool, call).error();
        assert_eq!((&error["code"], &error["path"]), (&json!(code), &json!(path)), "{error}");
    }
    assert_eq!(project.text("Projects/T-001.md"), before);
    assert!(!project.path("Projects/T-003.md").exists());
}

#[test]
fn a_mistake_says_what_was_meant() {
    let mut project = Session::new();
    project.made("task", json!({"title": "One"}));
    let call = json!({"id": "T-001", "data": {"status": "in_progres"}});
    let error = project.call("update_entity", call).error();
    assert_eq!(error["expected"], "todo|in_progress|blocked|completed|dropped");
    assert_eq!(error["did_you_mean"], json!(["in_progress"]));
    let call = json!({"id": "T-001", "data": {"prioritty": "high"}});
    assert_eq!(project.call("update_entity", call).error()["did_you_mean"], json!(["priority"]));
    let call = json!({"type": "task", "data": {"title": "x"}, "options": {"add_to_canvas": true}});
    let error = project.call("create_entity", call).error();
    assert_eq!(error["path"], "/options/canvas_source");
}

#[test]
fn a_broken_note_is_reported_with_its_line_and_left_alone() {
    let files = [
        ("Projects/T-001.md", "---\nid: T-001\ntype: task\ntitle: Odd\nstatus: dnoe\n---\n"),
        ("Projects/T-002.md", BROKEN),
    ];
    let mut project = Session::with(&files, &[]);
    let analysis = project.call("analyze_project_state", json!({})).ok();
    let problems = analysis["problems"].as_array().unwrap();
    let place = |problem: &Value| (problem["path"].clone(), problem["line"].clone());
    let places: Vec<_> = problems.iter().map(place).collect();
    assert_eq!(places[0], (json!("Projects/T-001.md"), json!(5)));
    assert_eq!(places[1].0, "Projects/T-002.md");
    assert_eq!(analysis["counts"]["problems"], problems.len());

    for (tool, call) in [
        ("get_entity", json!({"id": "T-002"})),
        ("update_entity", json!({"id": "T-002", "data": {"status": "completed"}})),
        ("update_doc", json!({"path": "Projects/T-002.md", "content": "x"})),
    ] {
        assert_eq!(project.call(tool, call).code(), "VALIDATION_ERROR");
    }
    assert_eq!(project.text("Projects/T-002.md"), BROKEN);
    // Its id is taken.
    assert_eq!(project.made("task", json!({"title": "Next"})), "T-003");
}

#[test]
fn a_server_without_the_right_to_write_changes_nothing() {
    let files =
        [("Projects/T-001.md", "---\nid: T-001\ntype: task\ntitle: x\nstatus: todo\n---\n")];
    let mut project = Session::with(&files, &["--read-only"]);
    let call = json!({"id": "T-001", "data": {"status": "completed"}});
    assert_eq!(project.call("update_entity", call).code(), "WRITES_DISABLED");
    assert_eq!(project.get("T-001", &["status"]), json!({"status": "todo"}));
}
