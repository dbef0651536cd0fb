//! Relations that are links, and notes that people rename and copy.

use serde_json::{Value, json};
use toolwrit_project::ErrorCode;
use toolwrit_vault::{CancelCheck, VaultPath};

use crate::{Sandbox, id, never};

fn task(sandbox: &Sandbox, name: &str, id: &str, more: &str) {
    let text = format!("---\nid: {id}\ntype: task\ntitle: {id}\nstatus: todo\n{more}---\nText\n");
    sandbox.put(name, &text);
}

fn rename(sandbox: &Sandbox, from: &str, to: &str) {
    let cancel: CancelCheck<'_> = &never;
    let path = VaultPath::parse(&format!("Projects/{from}.md")).unwrap();
    sandbox.workspace().vault().rename(&path, &format!("{to}.md"), None, cancel).unwrap();
    sandbox.workspace().wait_for_index(&never).unwrap();
}

/// The relations of an entity, as they are answered.
fn relations(sandbox: &Sandbox, id: &str) -> Value {
    sandbox.get(id, &["parent", "depends_on", "enables", "children", "dependents"])
}

#[test]
fn a_link_is_read_by_the_note_that_it_leads_to() {
    let sandbox = Sandbox::new();
    sandbox.put("Sign up", "---\nid: S-001\ntype: story\ntitle: x\nstatus: todo\n---\n");
    task(&sandbox, "Login form", "T-002", "parent: '[[Sign up#Why|the story]]'\n");
    task(&sandbox, "Sub/Mail", "T-003", "depends_on: ['[[Login form]]', [[T-004]]]\n");
    // The name is that of another entity, and the note counts.
    task(&sandbox, "T-004", "T-005", "enables: '[[Projects/Sub/Mail.md]]'\n");
    task(&sandbox, "Fourth", "T-004", "");
    assert_eq!(sandbox.problems(), [""; 0]);
    let mail = relations(&sandbox, "T-003");
    assert_eq!(mail["depends_on"], json!(["T-002", "T-005"]));
    assert_eq!(relations(&sandbox, "T-002")["parent"], "S-001");
    assert_eq!(relations(&sandbox, "S-001")["children"], json!(["T-002"]));
    assert_eq!(relations(&sandbox, "T-005")["enables"], json!(["T-003"]));
    // A note may be named by a link, too.
    assert_eq!(sandbox.workspace().find_id("[[Login form]]", &never).unwrap(), id("T-002"));
    // A link to no note means the id that it is named after.
    task(&sandbox, "Late", "T-006", "depends_on: '[[T-003]]'\n");
    assert_eq!(relations(&sandbox, "T-006")["depends_on"], json!(["T-003"]));
    sandbox.put("Plain", "Text");
    task(&sandbox, "Lost", "T-007", "depends_on: '[[Plain]]'\n");
    let problems = sandbox.problems();
    let expected = "leads to `Projects/Plain.md`, which is no entity";
    assert!(problems.len() == 1 && problems[0].contains(expected), "{problems:?}");
}

#[test]
fn a_rename_changes_no_relation() {
    let sandbox = Sandbox::new();
    sandbox.put("S-001", "---\nid: S-001\ntype: story\ntitle: x\nstatus: todo\n---\n");
    task(&sandbox, "T-001", "T-001", "parent: \"[[S-001]]\"\n");
    task(&sandbox, "T-002", "T-002", "depends_on:\n  - \"[[T-001|first]]\"\nenables: T-003\n");
    task(&sandbox, "T-003", "T-003", "parent: S-001\n");
    let all =
        |sandbox: &Sandbox| ["S-001", "T-001", "T-002", "T-003"].map(|id| relations(sandbox, id));
    let before = all(&sandbox);
    rename(&sandbox, "S-001", "Sign up");
    rename(&sandbox, "T-001", "First");
    rename(&sandbox, "T-003", "Third");
    assert_eq!(sandbox.problems(), [""; 0]);
    assert_eq!(all(&sandbox), before);
    assert!(sandbox.text("T-002").contains("[[First|first]]"), "{}", sandbox.text("T-002"));
    // Without the program, nobody rewrites the links.
    std::fs::create_dir_all(sandbox.file("Projects/Done")).unwrap();
    std::fs::rename(sandbox.file("Projects/First.md"), sandbox.file("Projects/Done/First.md"))
        .unwrap();
    sandbox.workspace().wait_for_index(&never).unwrap();
    assert_eq!(all(&sandbox), before);
}

#[test]
fn references_are_written_as_they_were() {
    let sandbox = Sandbox::new();
    for number in 1..=4 {
        task(&sandbox, &format!("Note {number}"), &format!("T-00{number}"), "");
    }
    let fields =
        "depends_on:\n  - \"[[Note 1]]\"\n  - \"[[Note 2|Second]]\"\nparent: \"[[Note 1]]\"\n";
    task(&sandbox, "T-009", "T-009", fields);
    let text = || sandbox.text("T-009").split("updated:").next().unwrap().to_owned();
    sandbox.update("T-009", json!({ "depends_on": ["T-001", "T-002"] })).unwrap();
    assert_eq!(text(), sandbox.text("T-009"));
    sandbox.update("T-009", json!({ "depends_on": ["T-002", "[[Note 3]]", "T-004"] })).unwrap();
    let expected = "depends_on:\n  - \"[[Note 2|Second]]\"\n  - \"[[Note 3]]\"\n  - T-004\n";
    assert!(text().contains(expected), "{}", text());
    assert_eq!(relations(&sandbox, "T-009")["depends_on"], json!(["T-002", "T-003", "T-004"]));
    sandbox
        .update(
            "T-009",
            json!({ "parent": "[[Note 2]]", "remove_from": { "depends_on": "T-004" } }),
        )
        .unwrap();
    assert!(text().contains("parent: \"[[Note 2]]\"\n"), "{}", text());
    sandbox.update("T-009", json!({ "add_to": { "depends_on": ["T-001"] } })).unwrap();
    assert_eq!(relations(&sandbox, "T-009")["depends_on"], json!(["T-002", "T-003", "T-001"]));
    let cycle = sandbox.update("T-001", json!({ "depends_on": "[[T-009]]" })).unwrap_err();
    assert_eq!(cycle.code(), ErrorCode::ValidationError);
    let lost = sandbox.update("T-001", json!({ "depends_on": "[[Nowhere]]" })).unwrap_err();
    assert_eq!(lost.to_string(), "`depends_on`: `[[Nowhere]]` leads to no entity");
}

#[test]
fn of_two_notes_with_one_id_the_original_keeps_it_and_neither_is_written() {
    let sandbox = Sandbox::new();
    for (original, copy, more) in [
        ("Login form", "Login form 1", ""),
        ("T-004", "T-004 2", ""),
        ("Zoo", "Ark", "created: 2026-01-01T00:00:00Z\n"),
    ] {
        let id = if original == "T-004" { "T-004" } else { "T-001" };
        task(&sandbox, original, id, more);
        task(&sandbox, copy, id, &more.replace("2026-01-01", "2026-02-02"));
        assert_eq!(sandbox.get(id, &["path"])["path"], format!("Projects/{original}.md"));
        let problems = sandbox.problems();
        let expected = format!(
            "Projects/{copy}.md:2: the id {id} is taken by `Projects/{original}.md`, of which this note is a copy"
        );
        assert!(problems.len() == 1 && problems[0].starts_with(&expected), "{problems:?}");
        let texts = [sandbox.text(original), sandbox.text(copy)];
        let refused = sandbox.update(id, json!({ "status": "completed" })).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::Conflict);
        assert!(
            refused.to_string().contains(&format!("its copy `Projects/{copy}.md`")),
            "{refused}"
        );
        assert_eq!([sandbox.text(original), sandbox.text(copy)], texts);
        std::fs::remove_file(sandbox.file(&format!("Projects/{copy}.md"))).unwrap();
        sandbox.workspace().wait_for_index(&never).unwrap();
        sandbox.update(id, json!({ "status": "completed" })).unwrap();
        std::fs::remove_file(sandbox.file(&format!("Projects/{original}.md"))).unwrap();
        sandbox.workspace().wait_for_index(&never).unwrap();
    }
}
