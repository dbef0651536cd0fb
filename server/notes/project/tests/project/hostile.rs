//! Notes and canvases that nobody would write by accident.

use std::fmt::Write as _;
use std::fs;

use jiff::SignedDuration;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;
use toolwrit_project::{
    Direction, EntityKind, Field, Filters, OverviewOptions, ProjectError, Scope, Selection,
};
use toolwrit_vault::VaultPath;

use crate::{Sandbox, id, map, never};

/// The length of chains and cycles.
const LONG: usize = 1_000;

/// Everything that reads the project.
fn read_all(sandbox: &Sandbox) -> Result<(), ProjectError> {
    let workspace = sandbox.workspace();
    let ids = workspace.search(&Scope::All, &Filters::default(), None, &never)?.ids;
    workspace.select(&ids, &Selection::from_names(&["*"]), &never)?;
    workspace.overview(&OverviewOptions::default(), &never)?;
    workspace.analyze(sandbox.now, SignedDuration::ZERO, None, &never)?;
    workspace.decision_history(&toolwrit_project::DecisionFilter::default(), &never)?;
    workspace.check_freshness(None, &never)?;
    for direction in [Direction::Up, Direction::Down, Direction::Siblings, Direction::Dependencies]
    {
        for &from in ids.iter().take(3) {
            let scope = Scope::Related { from, direction, depth: None };
            workspace.search(&scope, &Filters::default(), None, &never)?;
            workspace.document_history(from, &never)?;
        }
    }
    Ok(())
}

/// Writes tasks of which each has the next one as its parent and depends on it; the last one on the first if
/// they are to be a cycle.
fn chain(sandbox: &Sandbox, is_cycle: bool) {
    for number in 1..=LONG {
        let next = if number < LONG { number + 1 } else { 1 };
        let next = format!("parent: T-{next}\ndepends_on: T-{next}\n");
        let next = if number < LONG || is_cycle { next.as_str() } else { "" };
        let text = format!("---\nid: T-{number}\ntype: task\ntitle: x\nstatus: todo\n{next}---\n");
        fs::write(sandbox.file(&format!("Projects/T-{number:03}.md")), text).unwrap();
    }
    sandbox.workspace().wait_for_index(&never).unwrap();
}

#[test]
fn long_chains_and_cycles_end() {
    for is_cycle in [false, true] {
        let sandbox = Sandbox::new();
        fs::create_dir_all(sandbox.file("Projects")).unwrap();
        chain(&sandbox, is_cycle);
        read_all(&sandbox).unwrap();
        let problems = if is_cycle { 2 } else { 0 };
        assert_eq!(sandbox.problems().len(), problems);
        let last = format!("T-{LONG}");
        let closed = sandbox.update(&last, json!({ "depends_on": ["T-001"], "title": "y" }));
        let is_expected = if is_cycle {
            // It depends on that already, so only the title changes.
            closed.is_ok()
        } else {
            matches!(closed, Err(ProjectError::Cycle { cycle, .. }) if cycle.len() == LONG)
        };
        assert!(is_expected);
        let archived =
            sandbox.workspace().archive(id(&last), true, None, sandbox.now, &never).unwrap();
        assert_eq!(archived.len(), LONG);
    }
}

/// YAML for a value, valid or not.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,12}",
        "(M|S|T|DEC|DOC|t)-[0-9]{1,11}",
        select(vec![
            "~",
            "[]",
            "{}",
            "[[T-001]]",
            "[T-001, T-002, T-001]",
            "[[[T-001]]]",
            "2026-02-30",
            "true",
            "\"\\0\"",
            "|\n  a\n  b",
            "&a [*a]",
            "done",
            "In Progress",
            "1e999",
            "-0",
            "'[[a/b|c]]'",
        ])
        .prop_map(str::to_owned),
    ]
}

fn note() -> impl Strategy<Value = String> {
    let field = (select(Field::ALL.to_vec()), value());
    let ids = select(vec!["T-001", "T-002", "DOC-001", "DEC-001", "M-001", "no"]);
    let kinds = select(vec!["task", "document", "decision", "milestone", "x"]);
    (ids, kinds, prop::collection::vec(field, 0..8)).prop_map(|(id, kind, fields)| {
        let mut text = format!("---\nid: {id}\ntype: {kind}\n");
        for (field, value) in fields {
            writeln!(text, "{field}: {value}").unwrap();
        }
        text + "---\nbody\n"
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_notes_are_read_and_kept(notes in prop::collection::vec(note(), 1..6)) {
        let sandbox = Sandbox::new();
        fs::create_dir_all(sandbox.file("Projects")).unwrap();
        for (number, text) in notes.iter().enumerate() {
            fs::write(sandbox.file(&format!("Projects/{number}.md")), text).unwrap();
        }
        sandbox.workspace().wait_for_index(&never).unwrap();
        read_all(&sandbox).unwrap();
        let project = sandbox.workspace().project(&never).unwrap();
        for problem in project.problems() {
            let text = fs::read_to_string(sandbox.file(problem.path.as_str())).unwrap();
            prop_assert!((1..=text.lines().count() + 1).contains(&problem.line), "{problem}");
        }
        for entity in project.entities() {
            let data = map(json!({ "status": entity.kind().statuses()[0].name() }));
            let _ = sandbox.workspace().update(entity.id, &data, None, &crate::NO_CANVAS, sandbox.now, &never);
        }
        // What could not be read is as it was, and every other note has its body.
        for (number, text) in notes.iter().enumerate() {
            let path = format!("Projects/{number}.md");
            let now = fs::read_to_string(sandbox.file(&path)).unwrap();
            let is_entity = project.entities().any(|entity| entity.path.as_str() == path);
            prop_assert!(is_entity || now == *text);
            prop_assert!(now.ends_with("---\nbody\n"));
        }
    }

    #[test]
    fn any_canvas_is_extended_or_kept(
        nodes in prop::collection::vec((any::<f64>(), -1e9..1e9, any::<Option<i8>>(), value()), 0..4)
    ) {
        let sandbox = Sandbox::new();
        let nodes: Vec<_> = nodes
            .into_iter()
            .map(|(x, y, size, id)| json!({ "id": id, "x": x, "y": y, "width": size, "height": 5 }))
            .collect();
        let text = json!({ "nodes": nodes, "edges": [{}, 5, "x"] }).to_string();
        fs::write(sandbox.file("Plan.canvas"), &text).unwrap();
        let canvas = VaultPath::parse("Plan.canvas").unwrap();
        let data = map(json!({ "title": "x" }));
        let workspace = sandbox.workspace();
        let made = workspace.create(EntityKind::Task, &data, "", &toolwrit_project::CanvasPlan::add_to(canvas.clone()), sandbox.now, &never);
        let now = fs::read_to_string(sandbox.file("Plan.canvas")).unwrap();
        prop_assert_eq!(made.is_err(), now == text);
        prop_assert_eq!(made.is_ok(), sandbox.file("Projects/T-001.md").exists());
        for node in &nodes {
            prop_assert!(now.contains(&node.to_string()), "{}", now);
        }
    }
}
