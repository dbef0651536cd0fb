//! Changing the text of notes.

use std::fs;

use serde_json::json;
use toolwrit_project::{ErrorCode, TextChange};

use crate::{Sandbox, never, parse_time};

fn replace(sandbox: &Sandbox, name: &str, text: &str) -> Result<(), ErrorCode> {
    let change = TextChange::Replace(text.to_owned());
    let now = parse_time("2026-04-01T00:00:00Z");
    let changed = sandbox.workspace().change_text(name, &change, None, now, &never);
    changed.map(drop).map_err(|error| error.code())
}

#[test]
fn an_entity_keeps_its_fields_and_gets_the_time() {
    let sandbox = Sandbox::new();
    let text =
        "---\nid: DOC-001\ntype: document\ntitle: 'Spec'  # ours\nstatus: draft\n---\n\nOld.\n";
    sandbox.put("Spec", text);
    replace(&sandbox, "DOC-001", "New.\n").unwrap();
    let expected = "---\nid: DOC-001\ntype: document\ntitle: 'Spec'  # ours\nstatus: draft\n\
                    updated: 2026-04-01T00:00:00Z\n---\n\nNew.\n";
    assert_eq!(sandbox.text("Spec"), expected);
    assert_eq!(sandbox.get("DOC-001", &["body"]), json!({ "body": "New.\n" }));
    // The same text again is no change.
    let before = fs::metadata(sandbox.file("Projects/Spec.md")).unwrap().modified().unwrap();
    replace(&sandbox, "Projects/Spec.md", "New.\n").unwrap();
    let after = fs::metadata(sandbox.file("Projects/Spec.md")).unwrap().modified().unwrap();
    assert_eq!((before, sandbox.text("Spec").as_str()), (after, expected));
}

#[test]
fn a_broken_entity_is_not_overwritten() {
    let sandbox = Sandbox::new();
    for (name, text) in [
        ("T-001", "---\nid: T-001\ntype: [task\n---\nWork of a person.\n"),
        ("Without id", "---\ntype: task\ntitle: x\n---\nWork of a person.\n"),
    ] {
        sandbox.put(name, text);
        let refused = replace(&sandbox, &format!("Projects/{name}.md"), "x");
        assert_eq!(refused, Err(ErrorCode::ValidationError));
        assert_eq!(sandbox.text(name), text);
    }
}

#[test]
fn a_missing_id_and_a_path_outside_are_refused() {
    let sandbox = Sandbox::new();
    assert_eq!(replace(&sandbox, "DOC-001", "x"), Err(ErrorCode::NotFound));
    assert_eq!(replace(&sandbox, "Elsewhere.md", "x"), Err(ErrorCode::ValidationError));
    assert!(!sandbox.file("Elsewhere.md").exists());
}
