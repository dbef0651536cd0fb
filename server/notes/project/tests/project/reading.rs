//! Notes made by hand as entities.

use serde_json::json;
use toolwrit_project::{ProjectError, WorkspaceSettings, Workspaces};
use toolwrit_vault::{Folder, Vault};

use crate::{Sandbox, id, never};

#[test]
fn a_note_made_by_hand_is_an_entity() {
    let sandbox = Sandbox::new();
    sandbox.put(
        "Goals/Launch",
        "---\nid: m-1\ntype: Milestone\ntitle: Launch\nstatus: In Progress\n---\n",
    );
    sandbox.put(
        "Sign up",
        "---\nid: S-012\ntype: story\ntitle: Sign up\nstatus: done\nparent: \"[[Goals/M-001|the launch]]\"\n\
         tags: [web]\nowner: Ada\ncreated: 2026-01-02\n---\nText\n",
    );
    sandbox.put(
        "T-3",
        "---\nid: T-3\ntype: task\ntitle: 1.0\nstatus: todo\ndepends_on: [[T-004]]\n---\n",
    );
    sandbox.put("T-004", "---\nid: T-004\ntype: task\ntitle: x\nstatus: todo\n---\n");
    sandbox.put("Diary", "---\ntags: x\n---\nNo entity.\n");
    sandbox.put("Ticket", "---\nid: 4711\ntype: bug\n---\n");
    assert_eq!(sandbox.problems(), [""; 0]);
    let fields = ["id", "status", "parent", "tags", "owner", "created", "path", "body"];
    assert_eq!(
        sandbox.get("S-12", &fields),
        json!({
            "id": "S-012", "status": "completed", "parent": "M-001", "tags": ["web"], "owner": "Ada",
            "created": "2026-01-02T00:00:00Z", "path": "Projects/Sign up.md", "body": "Text\n",
        })
    );
    assert_eq!(sandbox.get("M-001", &["children"]), json!({ "children": ["S-012"] }));
    assert_eq!(sandbox.get("T-003", &["depends_on"]), json!({ "depends_on": ["T-004"] }));
    let project = sandbox.workspace().project(&never).unwrap();
    assert_eq!(project.entities().count(), 4);
}

#[test]
fn what_is_wrong_is_reported_with_its_place_and_kept() {
    let sandbox = Sandbox::new();
    let broken = [
        (
            "A",
            "---\nid: T-001\ntype: task\ntitle: [\n---\n",
            "Projects/A.md:4: the frontmatter is invalid: ",
        ),
        ("T-002", "Text", "Projects/T-002.md:1: the note is named like an entity"),
        ("C", "---\ntype: story\n---\n", "Projects/C.md:2: the story has no id; add `id: S-`"),
        ("D", "---\ntype: task\nid: S-001\n---\n", "Projects/D.md:2: expected `type: story`"),
        (
            "E",
            "---\nid: 12\ntype: task\n---\n",
            "Projects/E.md:2: expected an id such as T-001, got 12",
        ),
        ("F", "---\nid: T-003\n---\n", "Projects/F.md:1: expected `type: task`"),
    ];
    for (name, text, _) in broken {
        sandbox.put(name, text);
    }
    let problems = sandbox.problems();
    for ((name, text, expected), problem) in broken.into_iter().zip(&problems) {
        assert_eq!(sandbox.text(name), text);
        assert!(
            problems.iter().any(|problem| problem.starts_with(expected)),
            "{expected}: {problem}"
        );
    }
    assert_eq!(problems.len(), broken.len(), "{problems:#?}");
    let error = sandbox.update("T-002", json!({ "title": "x" })).unwrap_err();
    assert!(matches!(error, ProjectError::Unreadable { .. }), "{error}");
    assert_eq!(sandbox.text("T-002"), "Text");
    // What refers to it says so.
    let error = sandbox.create("task", json!({ "title": "x", "depends_on": "T-002" })).unwrap_err();
    let expected = "T-002 cannot be used until its note is corrected: Projects/T-002.md:1: ";
    assert!(error.to_string().starts_with(expected), "{error}");
    sandbox.put("G", "---\nid: T-010\ntype: task\ntitle: x\nstatus: todo\nparent: T-002\n---\n");
    let expected = "Projects/G.md:6: `parent` names T-002, whose note cannot be read";
    assert!(sandbox.problems().iter().any(|problem| problem == expected));
}

#[test]
fn an_entity_with_invalid_fields_has_its_other_fields() {
    let sandbox = Sandbox::new();
    sandbox.put(
        "T-001",
        "---\nid: T-001\ntype: task\nstatus: sleeping\npriority: 7\nparent: T-001\ndepends_on: [T-009, no]\n\
         workstream: web\n---\n",
    );
    assert_eq!(
        sandbox.problems(),
        [
            "Projects/T-001.md:1: `title`: the field is missing",
            "Projects/T-001.md:4: `status`: expected todo, in_progress, blocked, completed or dropped, got \"sleeping\"",
            "Projects/T-001.md:5: `priority`: expected critical, high, medium or low, got 7",
            "Projects/T-001.md:6: `parent` is a cycle: T-001 -> T-001",
            "Projects/T-001.md:7: `depends_on`: `no` is no id; expected M-001, S-001, T-001, DEC-001 or DOC-001",
        ]
    );
    let got = sandbox.get("T-001", &["title", "status", "workstream", "priority"]);
    let expected =
        json!({ "title": "T-001", "status": "sleeping", "workstream": "web", "priority": 7 });
    assert_eq!(got, expected);
    sandbox.update("T-001", json!({ "priority": "high" })).unwrap();
    assert!(sandbox.text("T-001").contains("status: sleeping\npriority: high\n"));
}

#[test]
fn references_cycles_and_ids_are_checked_across_notes() {
    let sandbox = Sandbox::new();
    let note = |id: &str, more: &str| {
        let kind = match &id[..1] {
            "T" => "task",
            "S" => "story",
            _ => "milestone",
        };
        format!("---\nid: {id}\ntype: {kind}\ntitle: x\nstatus: todo\n{more}\n---\n")
    };
    sandbox.put("T-001", &note("T-001", "depends_on: T-002"));
    sandbox.put("T-002", &note("T-002", "depends_on: T-003"));
    sandbox.put("T-003", &note("T-003", "enables: [T-001]\ndepends_on: [T-001, T-404]"));
    sandbox.put("S-001", &note("S-001", "parent: T-001"));
    sandbox.put("Copy", &note("T-002", ""));
    assert_eq!(
        sandbox.problems(),
        [
            "Projects/Copy.md:2: the id T-002 is taken by `Projects/T-002.md`, of which this note is a copy; give this note another one",
            "Projects/S-001.md:6: the parent of a story is a milestone, not a task",
            "Projects/T-001.md:6: `depends_on` is a cycle: T-001 -> T-002 -> T-003 -> T-001",
            "Projects/T-003.md:7: `depends_on` names T-404, which does not exist",
        ]
    );
    assert_eq!(sandbox.get("T-002", &["path"])["path"], "Projects/T-002.md");
}

#[test]
fn only_notes_below_the_folder_of_a_workspace_are_read() {
    let sandbox = Sandbox::new();
    let vault = Vault::open(sandbox.file("")).unwrap();
    let settings = |name: &str, folder: &str| {
        let folder = Folder::parse(folder).unwrap();
        WorkspaceSettings { name: name.to_owned(), folder }
    };
    let overlapping =
        vec![settings("one", "Projects"), settings("two", "Work"), settings("three", "Work/Inner")];
    let error = Workspaces::new(&vault, overlapping).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the workspaces cannot be used: the folders of `two` and `three` overlap: `Work` and `Work/Inner`"
    );
    let both = Workspaces::new(&vault, vec![settings("one", "Projects"), settings("two", "Work")])
        .unwrap();
    sandbox.put("T-001", "---\nid: T-001\ntype: task\ntitle: one\nstatus: todo\n---\n");
    sandbox.put("../Projects2/T-002", "---\nid: T-002\ntype: task\n---\n");
    sandbox.put("../Work/T-001", "---\nid: T-001\ntype: task\ntitle: two\nstatus: todo\n---\n");
    for (name, folder) in [(None, "Projects"), (Some("one"), "Projects"), (Some("two"), "Work")] {
        let workspace = both.find_by_name(name).unwrap();
        assert_eq!(workspace.folder().as_str(), folder);
        let project = workspace.project(&never).unwrap();
        let entities: Vec<_> =
            project.entities().map(|entity| (entity.id, entity.path.folder())).collect();
        assert_eq!(entities, [(id("T-001"), Folder::parse(folder).unwrap())]);
    }
    let error = both.find_by_name(Some("three")).unwrap_err();
    assert_eq!(error.to_string(), "there is no workspace `three`; there are: one, two");
}
