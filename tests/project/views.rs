//! Views of a project, which are written on request.

use serde_json::{Value, json};

use crate::project::{Session, all};

const BASE: &str = "Projects/Entities.base";
const BOARD: &str = "Projects/Board.canvas";

fn write(project: &mut Session, path: &str, view: &str) -> Value {
    project.documents("write_view", json!({"path": path, "view": view})).ok()
}

/// Entities of each kind, in several statuses, and a note that is none.
fn planned() -> Session {
    let files = [
        ("Projects/Readme.md", "---\nstatus: todo\n---\nNo entity.\n"),
        ("Elsewhere/T-009.md", "---\nid: T-009\ntype: task\ntitle: Other\nstatus: todo\n---\n"),
    ];
    let mut project = Session::with(&files, &[]);
    project.made("milestone", json!({"title": "Beta", "due": "2026-12-24"}));
    project.made("task", json!({"title": "Second", "parent": "M-001"}));
    project.made("task", json!({"title": "First", "parent": "M-001", "priority": "critical"}));
    project.made("task", json!({"title": "Begun", "status": "in_progress", "assignee": "Ada"}));
    project.made("task", json!({"title": "Put aside", "status": "completed"}));
    project.update("T-004", json!({"archived": true}));
    project.made("decision", json!({"title": "Storage"}));
    project
}

#[test]
fn a_base_is_a_table_of_the_entities() {
    let mut project = planned();
    assert_eq!(write(&mut project, BASE, "base")["created"], true);
    let base: serde_yaml::Value = serde_yaml::from_str(&project.text(BASE)).unwrap();
    let views = base["views"].as_sequence().unwrap();
    let names: Vec<&str> = views.iter().map(|view| view["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Entities", "milestones", "stories", "tasks", "decisions", "documents"]);
    assert!(views.iter().all(|view| view["type"].as_str() == Some("table")));
    for (view, expected) in [
        ("Entities", vec!["DEC-001", "M-001", "T-001", "T-002", "T-003", "T-004"]),
        ("tasks", vec!["T-001", "T-002", "T-003", "T-004"]),
        ("documents", vec![]),
    ] {
        let call = json!({"path": format!("{BASE}#{view}")});
        let table = project.call("vault_base", call).ok();
        let mut paths = all(&table["rows"], "path");
        paths.sort_unstable();
        let expected: Vec<String> = expected.iter().map(|id| format!("Projects/{id}.md")).collect();
        assert_eq!(paths, expected, "{view}");
    }
    // Written again, it stays as it is.
    let before = project.text(BASE);
    assert_eq!(write(&mut project, BASE, "base")["created"], false);
    assert_eq!(project.text(BASE), before);
}

#[test]
fn a_base_has_the_words_of_the_team() {
    let words = "properties: { assignee: zuständig }\ntypes: { \"#aufgabe\": task }\n";
    let files = [("P/.toolwrit/project.yaml", words)];
    let mut project = Session::with(&files, &["--project", "team=P"]);
    write(&mut project, "P/Alle.base", "base");
    let base: serde_yaml::Value = serde_yaml::from_str(&project.text("P/Alle.base")).unwrap();
    let columns = base["views"][0]["order"].as_sequence().unwrap();
    let columns: Vec<&str> = columns.iter().map(|name| name.as_str().unwrap()).collect();
    assert!(columns.contains(&"zuständig") && !columns.contains(&"assignee"), "{columns:?}");
}

/// The groups of a canvas, each with the files of the cards in it from top to bottom. No two cards overlap.
fn columns(canvas: &str) -> Vec<(String, Vec<String>)> {
    let canvas: Value = serde_json::from_str(canvas).unwrap();
    let number = |node: &Value, key: &str| node[key].as_i64().unwrap();
    let area = |node: &Value| {
        let (x, y) = (number(node, "x"), number(node, "y"));
        (x, y, x + number(node, "width"), y + number(node, "height"))
    };
    let nodes = canvas["nodes"].as_array().unwrap();
    let of = |kind: &'static str| nodes.iter().filter(move |node| node["type"] == kind);
    let cards: Vec<&Value> = of("file").collect();
    for (number, one) in cards.iter().enumerate() {
        for other in &cards[..number] {
            let (one, other) = (area(one), area(other));
            let is_apart =
                one.0 >= other.2 || other.0 >= one.2 || one.1 >= other.3 || other.1 >= one.3;
            assert!(is_apart, "{one:?} {other:?}");
        }
    }
    let inside = |group: &Value, card: &Value| {
        let (group, card) = (area(group), area(card));
        card.0 >= group.0 && card.1 >= group.1 && card.2 <= group.2 && card.3 <= group.3
    };
    let column = |group: &Value| {
        let mut cards: Vec<&&Value> = cards.iter().filter(|card| inside(group, card)).collect();
        cards.sort_by_key(|card| number(card, "y"));
        let files = cards.iter().map(|card| card["file"].as_str().unwrap().to_owned());
        (group["label"].as_str().unwrap().to_owned(), files.collect())
    };
    of("group").map(column).collect()
}

fn cards<'c>(columns: &'c [(String, Vec<String>)], label: &str) -> Vec<&'c str> {
    let column = columns.iter().find(|(name, _)| name == label).unwrap();
    column
        .1
        .iter()
        .map(|file| file.trim_start_matches("Projects/").trim_end_matches(".md"))
        .collect()
}

#[test]
fn a_kanban_has_a_column_for_each_kind_of_statuses() {
    let mut project = planned();
    write(&mut project, BOARD, "kanban");
    let shown = columns(&project.text(BOARD));
    assert_eq!(cards(&shown, "todo"), ["T-002", "M-001", "T-001"]);
    assert_eq!(cards(&shown, "doing"), ["T-003"]);
    // What is archived, and decisions, which nobody works on, are not on it.
    assert_eq!(cards(&shown, "done"), [""; 0]);
    assert_eq!(shown.iter().map(|(_, files)| files.len()).sum::<usize>(), 4);
    project.update("T-002", json!({"status": "completed"}));
    assert_eq!(write(&mut project, BOARD, "kanban")["created"], false);
    assert_eq!(cards(&columns(&project.text(BOARD)), "done"), ["T-002"]);
}

#[test]
fn only_a_view_is_replaced() {
    let own = "{\"nodes\":[{\"id\":\"a\",\"type\":\"text\",\"text\":\"mine\",\"x\":0,\"y\":0,\"width\":9,\"height\":9}],\"edges\":[]}";
    let table = "views:\n  - type: table\n    name: Mine\n";
    let mut project = planned();
    project.write(BOARD, own);
    project.write(BASE, table);
    for (path, view, text) in [(BOARD, "kanban", own), (BASE, "base", table)] {
        let call = json!({"path": path, "view": view});
        assert_eq!(project.documents("write_view", call).code(), "ALREADY_EXISTS");
        assert_eq!(project.text(path), text);
    }
    // An empty file is nobody's.
    project.write(BOARD, "");
    write(&mut project, BOARD, "kanban");
    for (path, view, code) in [
        ("Projects/Board.md", "kanban", "VALIDATION_ERROR"),
        ("Projects/Board.canvas", "base", "VALIDATION_ERROR"),
        ("Elsewhere/Board.canvas", "kanban", "INVALID_PATH"),
        ("../Board.canvas", "kanban", "INVALID_PATH"),
    ] {
        let error = project.documents("write_view", json!({"path": path, "view": view})).error();
        assert_eq!(error["code"], code, "{path}: {error}");
    }
    assert!(!project.path("Elsewhere/Board.canvas").exists());
}
