//! Vaults of five teams, each read with a few lines of words of its own.

use std::env;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::files::put;
use toolwrit_tests::requirement::skip;

use crate::project::{Session, all};

/// Serves a project in the root of a vault with these notes and words of at most ten lines.
fn team(words: &str, notes: &[(&str, String)]) -> Session {
    assert!(words.trim().lines().count() <= 10, "{words}");
    let mut files = vec![("P/.toolwrit/project.yaml", words)];
    let notes: Vec<(String, &String)> =
        notes.iter().map(|(path, text)| (format!("P/{path}"), text)).collect();
    files.extend(notes.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    Session::with(&files, &["--project", "team=P"])
}

fn ready(project: &mut Session) -> Vec<String> {
    let call = json!({ "fields": ["ready"], "limit": 100 });
    let analysis = project.call("analyze_project_state", call).ok();
    let id = |finding: &Value| finding["ids"][0].as_str().unwrap().to_owned();
    analysis["ready"].as_array().unwrap().iter().map(id).collect()
}

/// The problems of notes, as paths and reasons.
fn problems(project: &mut Session) -> Vec<String> {
    let call = json!({ "fields": ["problems"], "limit": 100 });
    let analysis = project.call("analyze_project_state", call).ok();
    let told = |problem: &Value| format!("{}: {}", problem["path"], problem["reason"]);
    analysis["problems"].as_array().unwrap().iter().map(told).collect()
}

#[test]
fn an_agency_with_german_words() {
    let words = "\
statuses: { Offen: todo, backlog: todo, In Arbeit: doing, review: doing, Wartet: blocked,
  Erledigt: done, closed: done, Abgebrochen: dropped, cancelled: dropped }
priorities: { hoch: high, P1: critical }
properties: { assignee: zuständig, due: fällig }
";
    let statuses = [
        "Offen",
        "In Arbeit",
        "Wartet",
        "Erledigt",
        "Abgebrochen",
        "closed",
        "cancelled",
        "review",
        "Done",
        "in-progress",
        "backlog",
    ];
    let mut notes: Vec<(String, String)> = Vec::new();
    for (number, status) in statuses.iter().enumerate() {
        let id = format!("T-{:03}", number + 1);
        let priority = if number % 2 == 1 { "hoch" } else { "P1" };
        let text = format!(
            "---\r\nid: {id}\r\ntype: task\r\ntitle: Aufgabe {number} – Größe\r\nstatus: {status}\r\npriority: {priority}\r\n\
             fällig: 2026-12-0{}\r\nzuständig: \"[[Jürgen]]\"\r\nparent: S-001\r\n---\r\n\r\nText\r\n",
            number % 9 + 1
        );
        notes.push((format!("Müller GmbH/Aufgaben/{id} Übersicht.md"), text));
    }
    notes.push((
        "Müller GmbH/S-001.md".to_owned(),
        "---\r\nid: S-001\r\ntype: story\r\ntitle: Website neu\r\nstatus: In Arbeit\r\n---\r\n"
            .to_owned(),
    ));
    let notes: Vec<(&str, String)> =
        notes.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    let mut project = team(words, &notes);
    assert_eq!(problems(&mut project), [""; 0]);
    assert_eq!(ready(&mut project), ["T-001", "T-011"]);
    let filters = json!({ "filters": { "assignee": ["Jürgen"], "priority": ["hoch"], "status": ["done"] }, "sort": "due" });
    let found = project.call("search_entities", filters).ok();
    assert_eq!(all(&found["results"], "id"), ["T-004", "T-006"]);
    project.update("T-001", json!({ "status": "completed" }));
    let text = project.text("P/Müller GmbH/Aufgaben/T-001 Übersicht.md");
    assert!(text.contains("status: Erledigt\r\n"), "{text}");
    assert!(!text.replace("\r\n", "").contains('\n'), "{text}");
}

#[test]
fn tasknotes_and_para() {
    let note = |title: &str, status: &str, priority: &str, more: &str| {
        let text = format!(
            "---\ntitle: \"{title}\"\nstatus: {status}\npriority: {priority}\ndateCreated: 2026-11-01T10:00:00.000+01:00\n\
             dateModified: 2026-11-10T10:00:00.000+01:00\ntags:\n  - task\n{more}---\n\nDetails of {title}.\n"
        );
        (format!("Tasks/{title}.md"), text)
    };
    let notes = [
        note(
            "Complete documentation",
            "in-progress",
            "high",
            "due: 2026-12-01\ntimeEstimate: 120\n",
        ),
        note("Order hardware", "done", "low", ""),
        note(
            "Install rack",
            "open",
            "none",
            "blockedBy:\n  - uid: \"[[Order hardware]]\"\n    reltype: FINISHTOSTART\n",
        ),
        note("Dropped idea", "cancelled", "low", "archived: true\n"),
    ];
    let notes: Vec<(&str, String)> =
        notes.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    let mut project = team("preset: tasknotes\n", &notes);
    assert_eq!(problems(&mut project).len(), 4);
    let shown = project.documents("adopt", json!({})).ok();
    assert_eq!((&shown["applied"], shown["notes"].as_array().unwrap().len()), (&json!(false), 4));
    project.documents("adopt", json!({ "apply": true })).ok();
    assert_eq!(problems(&mut project), [""; 0]);
    assert_eq!(ready(&mut project), ["T-003"]);
    let got = project.get("T-001", &["title", "due", "estimate", "priority", "status_kind"]);
    let expected = json!({
        "title": "Complete documentation", "due": "2026-12-01", "estimate": 120, "priority": "high",
        "status_kind": "doing",
    });
    assert_eq!(got, expected);
    // A dependency is an object with a link, which stays as it is.
    assert_eq!(project.get("T-003", &["depends_on"]), json!({ "depends_on": ["T-004"] }));
    project.update("T-003", json!({ "add_to": { "depends_on": ["T-001"] } }));
    let text = project.text("P/Tasks/Install rack.md");
    let kept = "  - uid: \"[[Order hardware]]\"\n    reltype: FINISHTOSTART\n";
    assert!(text.contains(&format!("{kept}  - T-001\n")), "{text}");

    let words = "\
statuses: { active: doing, doing: doing, accepted: done }
properties: { assignee: owner, due: deadline, decided_by: deciders }
types: { project: milestone }
";
    let website = "---\ntype: project\nstatus: active\ndeadline: 2026-12-24\n---\n# Website\n\n\
        - [ ] Draw the form ⏫ 📅 2026-12-01 🆔 abcdef\n- [ ] Write copy ⛔ abcdef 🔁 every week\n\
        - [x] Choose CMS ✅ 2026-11-02\n- [/] Migrate\n- [-] Blog\n";
    let notes = [
        ("Website/Website.md", website.to_owned()),
        ("Website/M1 Launch.md", "---\ntype: milestone\nstatus: active\n---\n".to_owned()),
        ("Website/ADR 1.md", "---\ntype: decision\nstatus: accepted\ndeciders: [Ada, Ben]\n---\n".to_owned()),
        (
            "Website/T-1 Draw the form.md",
            "---\nid: T-1\ntype: task\ntitle: Draw the form\nstatus: doing\nparent: \"[[M1 Launch]]\"\nowner: Ada\n---\n".to_owned(),
        ),
    ];
    let mut project = team(words, &notes);
    project.documents("adopt", json!({ "apply": true })).ok();
    assert_eq!(problems(&mut project), [""; 0]);
    let got = project.get("T-001", &["status_kind", "parent", "assignee"]);
    assert_eq!(got, json!({ "status_kind": "doing", "parent": "M-001", "assignee": "Ada" }));
    let inline = project.get("M-002", &["inline_tasks", "due"]);
    assert_eq!(inline["due"], "2026-12-24");
    let first = json!({ "line": 9, "text": "Draw the form", "status": " ", "due": "2026-12-01", "priority": "⏫", "id": "abcdef" });
    assert_eq!(inline["inline_tasks"][0], first);
    assert_eq!(inline["inline_tasks"][1]["depends_on"], json!(["abcdef"]));
    let overview = project.call("get_project_overview", json!({})).ok();
    assert_eq!(overview["summary"]["inline_tasks"], json!({ "total": 5, "completed": 2 }));
    assert!(project.text("P/Website/Website.md").contains("- [/] Migrate\n"));
}

#[test]
fn the_layout_of_the_server_before() {
    let note = |fields: &str| format!("---\n{fields}---\n\n# Text\n");
    let notes = [
        (
            "milestones/Q1.md",
            note(
                "id: M-001\ntype: milestone\ntitle: Q1\nworkstream: engineering\nstatus: In Progress\ntarget_date: 2025-03-31\nowner: \"@founder\"\npriority: Critical\nchildren:\n  - S-015\nupdated_at: 2024-12-17T00:00:00Z\n",
            ),
        ),
        (
            "stories/Premium.md",
            note(
                "id: S-015\ntype: story\ntitle: Premium\nstatus: Not Started\nparent: M-001\ndepends_on:\n  - DEC-001\nacceptance_criteria:\n  - Stripe is there\n",
            ),
        ),
        (
            "tasks/Task_0.md",
            note("id: T-042\ntype: task\ntitle: Task 0\nstatus: Open\nparent: S-015\n"),
        ),
        (
            "tasks/Task_1.md",
            note("id: T-043\ntype: task\ntitle: Task 1\nstatus: InProgress\nparent: S-015\n"),
        ),
        (
            "tasks/Task_2.md",
            note("id: T-044\ntype: task\ntitle: Task 2\nstatus: Complete\nparent: S-015\n"),
        ),
        (
            "tasks/Task_3.md",
            note("id: T-045\ntype: task\ntitle: Task 3\nstatus: OnHold\nparent: S-015\n"),
        ),
        (
            "decisions/Set.md",
            note("id: DEC-001\ntype: decision\ntitle: Set\nstatus: Decided\nblocks:\n  - S-015\n"),
        ),
        ("features/Login.md", note("id: F-001\ntype: feature\ntitle: Login\nstatus: Planned\n")),
        (
            "archive/stories/Old.md",
            note("id: S-001\ntype: story\ntitle: Old\nstatus: Completed\nparent: M-001\n"),
        ),
    ];
    let mut project = team("preset: predecessor\n", &notes);
    assert_eq!(problems(&mut project), [""; 0]);
    assert_eq!(ready(&mut project), ["F-001", "T-042"]);
    let tasks = project.call("get_project_overview", json!({})).ok()["summary"]["tasks"].take();
    assert_eq!(tasks, json!({ "total": 4, "completed": 1, "in_progress": 1, "blocked": 1 }));
    assert_eq!(project.get("S-001", &["archived"]), json!({ "archived": true }));
    assert_eq!(
        project.get("M-001", &["due", "assignee"]),
        json!({ "due": "2025-03-31", "assignee": "@founder" })
    );
    project.update("M-001", json!({ "status": "completed", "assignee": null }));
    let text = project.text("P/milestones/Q1.md");
    assert!(text.contains("status: Completed\n") && text.contains("children:\n"), "{text}");
    assert!(!text.contains("owner") && !text.contains("2024-12-17"), "{text}");
}

/// The folder `backlog` of a checkout of Backlog.md.
const FOLDER: &str = "TOOLWRIT_BACKLOG";

#[test]
fn the_tasks_of_backlog_md() {
    let Some(folder) = env::var_os(FOLDER) else {
        return skip(&format!("{FOLDER} names no folder with the tasks of Backlog.md"));
    };
    let mut project = team("preset: backlog\nprefixes: { task: BACK }\n", &[]);
    let copied = copy(Path::new(&folder), &project.path("P"));
    let workspaces = project.call("list_workspaces", json!({})).ok();
    let entities = workspaces["workspaces"][0]["entities"].as_u64().unwrap();
    // All but drafts, which are no tasks yet, and a readme.
    assert!(entities * 10 > copied * 9, "{entities} of {copied}: {:?}", problems(&mut project));
    let filters = json!({ "filters": { "type": ["task"], "status": ["unknown"] } });
    let unknown = project.call("search_entities", filters).ok();
    assert_eq!(unknown["total_matches"], 0, "{unknown}");
    let call = json!({ "filters": { "type": ["task"], "status": ["todo"] }, "fields": ["id", "path"], "limit": 1 });
    let first = project.call("search_entities", call).ok()["results"][0].take();
    let (id, path) = (first["id"].as_str().unwrap(), first["path"].as_str().unwrap());
    let before = project.text(path);
    project.update(id, json!({ "status": "in_progress" }));
    let after = project.text(path);
    let changed: Vec<(&str, &str)> =
        before.lines().zip(after.lines()).filter(|(old, new)| old != new).collect();
    assert!(
        changed.len() <= 2 && changed.contains(&("status: To Do", "status: In Progress")),
        "{changed:?}"
    );
    assert!(
        changed
            .iter()
            .all(|(old, _)| old.starts_with("status:") || old.starts_with("updated_date:"))
    );
}

/// Copies the notes of a folder, and returns how many there are.
fn copy(from: &Path, to: &Path) -> u64 {
    let mut copied = 0;
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copied += copy(&entry.path(), &to);
        } else if entry.path().extension().is_some_and(|extension| extension == "md") {
            put(&to, fs::read_to_string(entry.path()).unwrap());
            copied += 1;
        }
    }
    copied
}
