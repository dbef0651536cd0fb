//! Reading single entities.

use std::fs;

use serde_json::json;
use toolwrit_project::{EntityKind, Selection};

use crate::{Sandbox, id, map, never, open};

#[test]
fn exactly_the_selected_fields_are_returned() {
    let sandbox = Sandbox::new();
    sandbox.made("story", json!({ "title": "Sign up" }));
    let data =
        map(json!({ "title": "Form", "parent": "S-001", "workstream": "web", "tags": ["x"] }));
    let body = "A long text. ".repeat(200);
    let made = sandbox
        .workspace()
        .create(EntityKind::Task, &data, &body, &crate::NO_CANVAS, sandbox.now, &never)
        .unwrap();
    let default = json!({
        "id": "T-001", "type": "task", "title": "Form", "status": "todo", "workstream": "web",
        "etag": made.etag.as_str(),
    });
    assert_eq!(sandbox.get("T-001", &[]), default);
    let named = sandbox.get("T-001", &["parent", "priority", "tags"]);
    assert_eq!(named, json!({ "parent": "S-001", "priority": null, "tags": ["x"] }));
    assert_eq!(
        sandbox.get("T-001", &["*"]),
        json!({
            "id": "T-001", "type": "task", "title": "Form", "status": "todo", "workstream": "web",
            "parent": "S-001", "tags": ["x"], "created": "2026-03-01T00:00:00Z",
            "updated": "2026-03-01T00:00:00Z", "path": "Projects/T-001.md",
            "etag": made.etag.as_str(), "body": format!("{body}\n"),
        })
    );
    assert_eq!(sandbox.get("S-001", &["children"]), json!({ "children": ["T-001"] }));
}

#[test]
fn unknown_names_get_suggestions() {
    let sandbox = Sandbox::new();
    sandbox.put("T-001", "---\nid: T-001\ntype: task\ntitle: x\nstatus: todo\nestimate: 3\n---\n");
    for (name, expected) in [
        ("prioritty", "there is no field `prioritty`; did you mean priority?"),
        ("Estimate", "there is no field `Estimate`; did you mean estimate?"),
        ("zzz", "there is no field `zzz`; expected one of id, type, title, "),
    ] {
        let selection = Selection::from_names(&["id", name]);
        let error = sandbox.workspace().get(id("T-001"), &selection, &never).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
    }
    assert_eq!(sandbox.get("T-001", &["estimate"]), json!({ "estimate": 3 }));
}

#[test]
fn what_another_process_has_just_made_is_found() {
    let sandbox = Sandbox::new();
    sandbox.made("task", json!({ "title": "0" }));
    let other = open(&sandbox.file(""));
    for number in 2..20 {
        let data = map(json!({ "title": "x" }));
        let made = other.find_by_name(None).unwrap().create(
            EntityKind::Task,
            &data,
            "",
            &crate::NO_CANVAS,
            sandbox.now,
            &never,
        );
        let made = made.unwrap();
        assert_eq!(made.id.number(), number);
        let got = sandbox.get(&made.id.to_string(), &["etag"]);
        assert_eq!(got, json!({ "etag": made.etag.as_str() }));
    }
}

#[test]
fn a_note_that_was_just_moved_or_removed_is_followed() {
    let sandbox = Sandbox::new();
    sandbox.made("task", json!({ "title": "x" }));
    let mut from = sandbox.file("Projects/T-001.md");
    for number in 0..20 {
        let to = sandbox.file(&format!("Projects/Moved {number}.md"));
        assert_eq!(sandbox.get("T-001", &["title"]), json!({ "title": "x" }));
        fs::rename(&from, &to).unwrap();
        let path = format!("Projects/Moved {number}.md");
        assert_eq!(sandbox.get("T-001", &["path"]), json!({ "path": path }));
        from = to;
    }
    fs::remove_file(from).unwrap();
    let error = sandbox.workspace().get(id("T-001"), &Selection::DEFAULT, &never).unwrap_err();
    assert_eq!(error.to_string(), "there is no T-001 in the workspace");
}
