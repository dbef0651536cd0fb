//! Notes of teams with words of their own.

use std::fs;

use serde_json::{Value, json};
use toolwrit_project::{Filters, Scope, SortBy, StatusKind};

use crate::{Sandbox, never};

/// A project whose file of words has this text.
fn with_words(words: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.file("Projects/.toolwrit")).unwrap();
    fs::write(sandbox.file("Projects/.toolwrit/project.yaml"), words).unwrap();
    sandbox
}

/// The kinds of statuses of all entities.
fn kinds(sandbox: &Sandbox) -> Vec<(String, StatusKind)> {
    let project = sandbox.workspace().project(&never).unwrap();
    project.entities().map(|entity| (entity.id.to_string(), entity.status.kind())).collect()
}

fn search(sandbox: &Sandbox, filters: &Filters, sort: Option<SortBy>) -> Vec<String> {
    let found = sandbox.workspace().search(&Scope::All, filters, sort, &never).unwrap();
    found.ids.iter().map(ToString::to_string).collect()
}

const GERMAN: &str = "\
statuses: { Offen: todo, In Arbeit: doing, Wartet: blocked, Erledigt: done, Abgebrochen: dropped, closed: done }
priorities: { hoch: high, P1: critical }
properties: { assignee: zuständig, due: fällig }
";

#[test]
fn words_are_read_and_written_as_the_team_writes_them() {
    let sandbox = with_words(GERMAN);
    let statuses = ["Offen", "In Arbeit", "Wartet", "Erledigt", "Abgebrochen", "closed", "review"];
    for (number, status) in (1..).zip(statuses) {
        sandbox.put(
            &format!("Aufgabe {number}"),
            &format!(
                "---\nid: T-00{number}\ntype: task\ntitle: Größe {number}\nstatus: {status}\npriority: hoch\n\
                 fällig: 2026-12-0{}\nzuständig: \"[[Jürgen]]\"\n---\n",
                10 - number
            ),
        );
    }
    let expected = [
        StatusKind::Todo,
        StatusKind::Doing,
        StatusKind::Blocked,
        StatusKind::Done,
        StatusKind::Dropped,
        StatusKind::Done,
        StatusKind::Unknown,
    ];
    let read: Vec<StatusKind> = kinds(&sandbox).into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(read, expected);
    let problems = sandbox.problems();
    assert!(problems.len() == 1 && problems[0].contains("got \"review\""), "{problems:?}");
    let got = sandbox
        .get("T-001", &["status", "status_kind", "priority", "assignee", "due", "zuständig"]);
    let expected = json!({
        "status": "Offen", "status_kind": "todo", "priority": "high", "assignee": "[[Jürgen]]",
        "due": "2026-12-09", "zuständig": "[[Jürgen]]",
    });
    assert_eq!(got, expected);
    let analysis = sandbox
        .workspace()
        .analyze(sandbox.now, jiff::SignedDuration::from_hours(24), None, &never)
        .unwrap();
    let ids = |findings: &[toolwrit_project::Finding]| -> Vec<String> {
        findings.iter().map(|finding| finding.ids[0].to_string()).collect()
    };
    assert_eq!(ids(&analysis.ready), ["T-001"]);
    assert_eq!(ids(&analysis.unknown), ["T-007"]);
    assert_eq!(
        analysis.next.unwrap().reason,
        "it is due on 2026-12-09; its priority is high; it depends on nothing"
    );

    sandbox
        .update(
            "T-001",
            json!({ "status": "completed", "due": "2027-01-01", "priority": "critical" }),
        )
        .unwrap();
    sandbox.update("T-002", json!({ "status": "Wartet", "assignee": ["Ada", "Ben"] })).unwrap();
    let text = sandbox.text("Aufgabe 1");
    for line in [
        "status: Erledigt\n",
        "fällig: 2027-01-01\n",
        "priority: P1\n",
        "zuständig: \"[[Jürgen]]\"\n",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(sandbox.text("Aufgabe 2").contains("zuständig:\n  - Ada\n  - Ben\n"));
    let of = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let ben = Filters { assignees: of(&["@ben"]), ..Filters::default() };
    assert_eq!(search(&sandbox, &ben, None), ["T-002"]);
    let jürgen = Filters { assignees: of(&["Jürgen"]), ..Filters::default() };
    assert_eq!(
        search(&sandbox, &jürgen, Some(SortBy::Due)),
        ["T-007", "T-006", "T-005", "T-004", "T-003", "T-001"]
    );
    let statuses = |names: &[&str]| {
        search(&sandbox, &Filters { statuses: of(names), ..Filters::default() }, None)
    };
    assert_eq!(statuses(&["erledigt"]), ["T-001", "T-004"]);
    assert_eq!(statuses(&["done"]), ["T-001", "T-004", "T-006"]);
    assert_eq!(statuses(&["unknown"]), ["T-007"]);
    assert_eq!(statuses(&["blocked", "review"]), ["T-002", "T-003", "T-007"]);
}

#[test]
fn a_file_that_cannot_be_used_is_refused_with_its_place() {
    for (words, expected) in [
        (
            "statuses: { Done: finished }",
            "`statuses` has `Done`: expected todo, doing, blocked, done or dropped",
        ),
        ("preset: jira", "`preset`: expected toolwrit, predecessor, backlog or tasknotes"),
        ("colour: red", "`colour`: expected preset, statuses, "),
        ("statuses: [", "line 1"),
        ("folders: { task: ../Other }", "`folders` has `task`"),
        (
            "properties: { assignee: due }",
            "`properties` has `assignee`: the other name is that of a field",
        ),
    ] {
        let sandbox = with_words(words);
        let error = sandbox.workspace().project(&never).unwrap_err().to_string();
        let start = "`Projects/.toolwrit/project.yaml` cannot be used: ";
        assert!(error.starts_with(start) && error.contains(expected), "{words}: {error}");
        fs::write(sandbox.file("Projects/.toolwrit/project.yaml"), "").unwrap();
        sandbox.made("task", json!({ "title": "x" }));
    }
}

#[test]
fn notes_are_filed_and_named_as_the_team_does() {
    let sandbox = with_words("preset: predecessor\n");
    sandbox.put("stories/Old", "---\nid: S-015\ntype: story\ntitle: Old\nstatus: Not Started\ncreated_at: 2024-12-15T00:00:00Z\nupdated_at: 2024-12-17T00:00:00Z\ndepends_on: [DEC-001]\n---\n");
    sandbox.put(
        "decisions/Set",
        "---\nid: DEC-001\ntype: decision\ntitle: Set\nstatus: Decided\nblocks: [S-015]\n---\n",
    );
    sandbox.put(
        "features/Login",
        "---\nid: F-001\ntype: feature\ntitle: Login\nstatus: Planned\n---\n",
    );
    sandbox.put(
        "archive/tasks/Old_Task",
        "---\nid: T-001\ntype: task\ntitle: Old\nstatus: archived\n---\n",
    );
    assert_eq!(sandbox.problems(), [""; 0]);
    assert_eq!(sandbox.get("DEC-001", &["enables"]), json!({ "enables": ["S-015"] }));
    assert_eq!(
        sandbox.get("F-001", &["type", "status_kind"]),
        json!({ "type": "story", "status_kind": "todo" })
    );
    let made = sandbox
        .create("task", json!({ "title": "Set up: mail / web", "parent": "S-015" }))
        .unwrap();
    assert_eq!(made.path.to_string(), "Projects/tasks/Set_up_mail_web.md");
    assert_eq!(made.id.to_string(), "T-002");
    let again = sandbox.create("task", json!({ "title": "Set up: mail / web" })).unwrap();
    assert_eq!(again.path.to_string(), "Projects/tasks/Set_up_mail_web 2.md");
    let text = sandbox.text("tasks/Set_up_mail_web");
    assert!(text.contains("status: Not Started\n") && text.contains("created_at: "), "{text}");
    sandbox.update("S-015", json!({ "status": "in_progress" })).unwrap();
    let text = sandbox.text("stories/Old");
    assert!(text.contains("status: In Progress\n") && !text.contains("\nupdated:"), "{text}");
    assert!(!text.contains("2024-12-17"), "{text}");
}

#[test]
fn ids_are_those_of_the_team() {
    let sandbox = with_words("preset: backlog\nprefixes: { task: BACK }\n");
    let tasks: [(&str, &str); 4] = [
        (
            "tasks/back-24 - Parent",
            "id: BACK-24\ntitle: Parent\nstatus: In Progress\nassignee:\n  - '@ada'\n",
        ),
        (
            "tasks/back-24.1 - Part",
            "id: BACK-24.1\ntitle: Part\nstatus: To Do\nparent_task_id: BACK-24\ndependencies:\n  - task-7\n",
        ),
        ("completed/back-7 - Old", "id: task-7\ntitle: Old\nstatus: Done\nassignee: @ben\n"),
        ("milestones/m-0 - First", "id: m-0\ntitle: First\n"),
    ];
    for (name, fields) in tasks {
        sandbox.put(name, &format!("---\n{fields}---\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [x] #1 One\n- [ ] #2 Two\n<!-- AC:END -->\n"));
    }
    assert_eq!(sandbox.problems(), [""; 0]);
    let words = ["BACK-24.1", "BACK-7", "BACK-24", "m-0"]
        .map(|id| sandbox.workspace().find_id(id, &never).unwrap());
    let get = |index: usize, fields: &[&str]| -> Value {
        let selection = toolwrit_project::Selection::from_names(fields);
        Value::Object(sandbox.workspace().get(words[index], &selection, &never).unwrap())
    };
    let expected = json!({ "id": "BACK-24.1", "parent": "BACK-24", "depends_on": ["BACK-7"], "progress": "1/2" });
    assert_eq!(get(0, &["id", "parent", "depends_on", "progress"]), expected);
    assert_eq!(get(1, &["id", "assignee"]), json!({ "id": "BACK-7", "assignee": "@ben" }));
    let criteria = json!([{ "text": "One", "done": true }, { "text": "Two", "done": true }, { "text": "Three", "done": false }]);
    let data = crate::map(json!({ "status": "completed", "acceptance_criteria": criteria }));
    sandbox
        .workspace()
        .update(words[0], &data, None, &crate::NO_CANVAS, sandbox.now, &never)
        .unwrap();
    let text = sandbox.text("tasks/back-24.1 - Part");
    let expected =
        "<!-- AC:BEGIN -->\n- [x] #1 One\n- [x] #2 Two\n- [ ] #3 Three\n<!-- AC:END -->\n";
    assert!(text.ends_with(expected) && text.contains("status: Done\n"), "{text}");
    assert!(text.contains("updated_date: "), "{text}");
    let made = sandbox.create("task", json!({ "title": "Mend the TUI" })).unwrap();
    assert_eq!(made.path.to_string(), "Projects/tasks/back-25 - Mend-the-TUI.md");
    assert!(!sandbox.text("tasks/back-25 - Mend-the-TUI").contains("type:"));
    assert_eq!(sandbox.problems(), [""; 0]);
}

#[test]
fn notes_without_an_id_are_shown_and_then_adopted() {
    let sandbox = with_words("preset: tasknotes\n");
    let note = |status: &str, more: &str| {
        format!(
            "---\ntitle: x\nstatus: {status}\npriority: normal\ntags:\n  - task\n{more}---\n\nText\n"
        )
    };
    sandbox.put("Order", &note("done", ""));
    sandbox.put(
        "Install",
        &note("open", "blockedBy:\n  - uid: \"[[Order]]\"\n    reltype: FINISHTOSTART\n"),
    );
    sandbox.put("Dropped", &note("cancelled", ""));
    sandbox.put("Plain", "No task.\n");
    let shown = sandbox.workspace().adopt(false, &never).unwrap();
    let ids: Vec<String> = shown.iter().map(|note| format!("{} {}", note.path, note.id)).collect();
    assert_eq!(
        ids,
        ["Projects/Dropped.md T-001", "Projects/Install.md T-002", "Projects/Order.md T-003"]
    );
    assert_eq!(kinds(&sandbox), []);
    assert_eq!(sandbox.workspace().adopt(true, &never).unwrap(), shown);
    let expected =
        [("T-001", StatusKind::Dropped), ("T-002", StatusKind::Todo), ("T-003", StatusKind::Done)];
    assert_eq!(kinds(&sandbox), expected.map(|(id, kind)| (id.to_owned(), kind)));
    assert_eq!(
        sandbox.get("T-002", &["depends_on", "priority"]),
        json!({ "depends_on": ["T-003"], "priority": "medium" })
    );
    assert_eq!(sandbox.workspace().adopt(true, &never).unwrap(), []);
    assert!(
        sandbox.text("Order").ends_with("id: T-003\n---\n\nText\n"),
        "{}",
        sandbox.text("Order")
    );
    let made = sandbox.create("task", json!({ "title": "New one" })).unwrap();
    assert_eq!(made.path.to_string(), "Projects/New one.md");
    assert!(sandbox.text("New one").contains("tags:\n  - task\n"));
    assert_eq!(sandbox.problems(), [""; 0]);
}
