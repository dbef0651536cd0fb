//! Entities on canvases.

use std::fs;

use serde_json::{Value, json};
use toolwrit_project::{BatchOptions, CanvasPlan, EntityKind};
use toolwrit_vault::VaultPath;

use crate::batches::{EACH, create};
use crate::{Sandbox, map, never};

fn canvas(sandbox: &Sandbox) -> Value {
    let text = fs::read_to_string(sandbox.file("Plan.canvas")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn on_canvas() -> BatchOptions {
    BatchOptions { canvas: CanvasPlan::add_to(VaultPath::parse("Plan.canvas").unwrap()), ..EACH }
}

fn overlaps(a: &Value, b: &Value) -> bool {
    let range = |node: &Value, at: &str, size: &str| {
        let start = node[at].as_f64().unwrap();
        (start, start + node[size].as_f64().unwrap())
    };
    ["x width", "y height"].into_iter().all(|names| {
        let (at, size) = names.split_once(' ').unwrap();
        let (a, b) = (range(a, at, size), range(b, at, size));
        a.0 < b.1 && b.0 < a.1
    })
}

#[test]
fn new_entities_are_placed_where_nothing_is_with_their_edges() {
    let sandbox = Sandbox::new();
    sandbox.made("task", json!({ "title": "old" }));
    let node = r#"{"id":"T-002","type":"text","text":"a\u00e9","x":-5.50,"y":1e2,"width":9000,"height":30,"mine":[1, 2]}"#;
    let shown = r#"{"id":"n","type":"file","file":"Projects/T-001.md","x":0,"y":900,"width":10,"height":10}"#;
    let edge = r#"{"id":"e","fromNode":"n","toNode":"T-002","label":"kept"}"#;
    let text = format!(
        "{{\"nodes\":[{node},{shown}],\"edges\":[{edge}],\"metadata\":{{\"version\" : \"1.0-1.0\"}}}}"
    );
    fs::write(sandbox.file("Plan.canvas"), text).unwrap();
    let first = create("a", "task", json!({ "title": "a", "depends_on": ["T-001"] }));
    let after = |number: usize| {
        create(&format!("n{number}"), "task", json!({ "title": "x", "depends_on": ["a"] }))
    };
    let operations: Vec<_> = std::iter::once(first).chain((0..9).map(after)).collect();
    sandbox.workspace().batch(&operations, &on_canvas(), sandbox.now, &never).unwrap();
    let text = fs::read_to_string(sandbox.file("Plan.canvas")).unwrap();
    for kept in [node, shown, edge, r#""metadata":{"version" : "1.0-1.0"}"#] {
        assert!(text.contains(kept), "{text}");
    }
    let canvas = canvas(&sandbox);
    let nodes = canvas["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 12);
    for (index, a) in nodes.iter().enumerate() {
        assert!(nodes[..index].iter().all(|b| !overlaps(a, b) && a["id"] != b["id"]), "{a}");
    }
    let edges: Vec<_> = canvas["edges"].as_array().unwrap().iter().skip(1).collect();
    assert_eq!(edges.len(), 10);
    assert_eq!(edges[0]["fromNode"], "n");
    assert_eq!(edges[0]["toNode"], "T-002-2", "the id T-002 is a text's");
    assert!(edges[1..].iter().all(|edge| edge["fromNode"] == "T-002-2"));

    // A repeated batch creates nothing and adds nothing.
    sandbox.workspace().batch(&operations, &on_canvas(), sandbox.now, &never).unwrap();
    assert_eq!(fs::read_to_string(sandbox.file("Plan.canvas")).unwrap(), text);
}

fn create_on(sandbox: &Sandbox, canvas: &str) -> Result<String, String> {
    let canvas = VaultPath::parse(canvas).unwrap();
    let (kind, data) = (EntityKind::Task, map(json!({ "title": "x" })));
    let made = sandbox.workspace().create(
        kind,
        &data,
        "",
        &CanvasPlan::add_to(canvas.clone()),
        sandbox.now,
        &never,
    );
    made.map(|entity| entity.id.to_string()).map_err(|error| error.to_string())
}

#[test]
fn a_canvas_that_does_not_exist_is_created() {
    let sandbox = Sandbox::new();
    create_on(&sandbox, "Plan.canvas").unwrap();
    let node = json!({
        "id": "T-001", "type": "file", "file": "Projects/T-001.md", "x": 0, "y": 0, "width": 400, "height": 200,
    });
    assert_eq!(canvas(&sandbox), json!({ "nodes": [node], "edges": [] }));
    fs::write(sandbox.file("Plan.canvas"), "").unwrap();
    create_on(&sandbox, "Plan.canvas").unwrap();
    assert_eq!(canvas(&sandbox)["nodes"][0]["id"], "T-002");
}

#[test]
fn a_canvas_that_cannot_be_changed_prevents_the_creation() {
    let sandbox = Sandbox::new();
    for (text, expected) in [
        ("[]", "invalid type: sequence, expected a map"),
        ("{\"nodes\":{}}", "`nodes`: invalid type: map, expected a sequence"),
        ("{\"nodes\":[{\"id\":\"a\"}]}", "node 1: missing field `x`"),
        (
            "{\"nodes\":[{\"id\":\"a\",\"x\":1e300,\"y\":0,\"width\":1,\"height\":1}]}",
            "a node is too far away",
        ),
    ] {
        fs::write(sandbox.file("Plan.canvas"), text).unwrap();
        let error = create_on(&sandbox, "Plan.canvas").unwrap_err();
        let start = format!("the canvas `Plan.canvas` cannot be changed: {expected}");
        assert!(error.starts_with(&start), "{error}");
        assert_eq!(fs::read_to_string(sandbox.file("Plan.canvas")).unwrap(), text);
    }
    let error = create_on(&sandbox, "Plan.md").unwrap_err();
    assert!(error.ends_with("expected a file that ends with .canvas"), "{error}");
    assert!(!sandbox.file("Projects/T-001.md").exists());
}

#[test]
fn edges_follow_the_notes_and_what_people_drew_stays() {
    let sandbox = Sandbox::new();
    for title in ["one", "two", "three"] {
        sandbox.made("task", json!({ "title": title }));
    }
    let place = |id: &str, more: Value| {
        let plan = CanvasPlan::add_to(VaultPath::parse("Plan.canvas").unwrap());
        let id = crate::id(id);
        sandbox.workspace().update(id, &map(more), None, &plan, sandbox.now, &never).unwrap();
    };
    // Entities that exist are placed, too.
    place("T-001", json!({ "priority": "high" }));
    place("T-002", json!({ "depends_on": ["T-001"] }));
    place("T-003", json!({}));
    let mut drawn = canvas(&sandbox);
    let own = json!({ "id": "mine", "fromNode": "T-003", "toNode": "T-001" });
    drawn["edges"].as_array_mut().unwrap().push(own.clone());
    fs::write(sandbox.file("Plan.canvas"), drawn.to_string()).unwrap();
    sandbox.workspace().wait_for_index(&never).unwrap();
    let edges = |sandbox: &Sandbox| -> Vec<String> {
        let canvas = canvas(sandbox);
        let edges = canvas["edges"].as_array().unwrap();
        edges.iter().map(|edge| edge["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(edges(&sandbox), ["T-001-T-002", "mine"]);
    // A change that names no canvas.
    sandbox.update("T-003", json!({ "depends_on": ["T-002"], "enables": [] })).unwrap();
    sandbox.update("T-002", json!({ "depends_on": [] })).unwrap();
    assert_eq!(edges(&sandbox), ["mine", "T-002-T-003"]);
    sandbox.update("T-002", json!({ "enables": ["T-001"] })).unwrap();
    assert_eq!(edges(&sandbox), ["mine", "T-002-T-003", "T-002-T-001"]);
    let plan = CanvasPlan {
        path: Some(VaultPath::parse("Plan.canvas").unwrap()),
        add: false,
        remove: true,
    };
    let archived = map(json!({ "archived": true }));
    let two = crate::id("T-002");
    sandbox.workspace().update(two, &archived, None, &plan, sandbox.now, &never).unwrap();
    let left = canvas(&sandbox);
    let nodes = left["nodes"].as_array().unwrap();
    assert_eq!(
        nodes.iter().map(|node| node["id"].as_str().unwrap()).collect::<Vec<_>>(),
        ["T-001", "T-003"]
    );
    assert_eq!(left["edges"], json!([own]));
}
