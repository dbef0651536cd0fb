//! Changes of several notes as one.

use std::fs;

use serde_json::json;
use toolwrit_vault::patch::{Action, IfPresent, IfTargetMissing, Patch, PatchContent};
use toolwrit_vault::patch::{PatchScope, PatchTarget};
use toolwrit_vault::{Etag, NoteChange, Result, VaultError, Written};

use crate::{Sandbox, never, path};

fn create(name: &str, content: &str) -> NoteChange {
    NoteChange::Create { path: path(name), content: content.to_owned() }
}

fn replace(name: &str, content: &str, if_match: Option<Etag>) -> NoteChange {
    NoteChange::Replace { path: path(name), content: content.to_owned(), if_match }
}

/// Sets two properties of a note.
fn set(name: &str) -> NoteChange {
    let property = |key: &str, value| Patch {
        target: PatchTarget::Property(key.to_owned()),
        scope: PatchScope::Content,
        action: Action::Replace(PatchContent::Value(value)),
        if_missing: IfTargetMissing::Create,
        if_present: IfPresent::Apply,
    };
    let patches = vec![property("status", json!("done")), property("count", json!(2))];
    NoteChange::Patch { path: path(name), patches, if_match: None }
}

fn make(sandbox: &Sandbox, changes: &[NoteChange]) -> Result<Vec<Written>> {
    let plan = || Ok::<_, VaultError>((changes.to_vec(), ()));
    Ok(sandbox.vault.transaction(plan, &never)?.0)
}

#[test]
fn notes_are_created_replaced_and_patched_together() {
    let sandbox = Sandbox::new();
    sandbox.put("a.md", "old\r\n");
    sandbox.put("b.md", "---\r\nstatus: open # why\r\n---\r\nmixed\nends\r\n");
    let changes = [create("New/c", "created"), replace("a.md", "new\n", None), set("b")];
    let written = make(&sandbox, &changes).unwrap();
    assert_eq!(sandbox.bytes("New/c.md"), b"created");
    assert_eq!(sandbox.bytes("a.md"), b"new\r\n");
    let patched = b"---\r\nstatus: done # why\r\ncount: 2\r\n---\r\nmixed\nends\r\n";
    assert_eq!(sandbox.bytes("b.md"), patched);
    let told: Vec<_> =
        written.iter().map(|written| (written.path.as_str(), written.created)).collect();
    assert_eq!(told, [("New/c.md", true), ("a.md", false), ("b.md", false)]);
    for written in &written {
        assert_eq!(sandbox.vault.read(&written.path, None).unwrap().etag, written.etag);
    }
}

#[test]
fn one_refused_change_prevents_all() {
    let sandbox = Sandbox::new();
    sandbox.put("a.md", "old");
    sandbox.put("b.md", "---\n[broken\n---\n");
    let stale = Some(Etag::from("0123456789abcdef"));
    for (refused, is_expected) in [
        (
            create("a", "x"),
            (|error| matches!(error, VaultError::AlreadyExists { .. })) as fn(_) -> _,
        ),
        (replace("a.md", "x", stale), |error| matches!(error, VaultError::Conflict { .. })),
        (replace("gone.md", "x", None), |error| matches!(error, VaultError::NotFound { .. })),
        (set("b.md"), |error| matches!(error, VaultError::NotPatched { .. })),
        (create("x.md", "\0"), |error| matches!(error, VaultError::NotText { .. })),
        (create("new.md", "x"), |error| matches!(error, VaultError::AlreadyExists { .. })),
    ] {
        let result = make(&sandbox, &[create("new.md", "x"), refused.clone()]);
        assert!(result.is_err_and(is_expected), "{refused:?}");
        assert_eq!(sandbox.files(), ["a.md", "b.md"], "{refused:?}");
    }
}

#[test]
fn the_plan_sees_what_other_programs_did_before_and_its_error_is_returned() {
    #[derive(Debug, PartialEq)]
    struct Refused(usize);
    impl From<VaultError> for Refused {
        fn from(error: VaultError) -> Self {
            panic!("{error}")
        }
    }
    let sandbox = Sandbox::new();
    sandbox.vault.wait_for_index(&never).unwrap();
    for number in 1..20 {
        fs::write(sandbox.file(&format!("{number}.md")), "").unwrap();
        let count = || sandbox.vault.snapshot(&never).unwrap().notes().count();
        let plan = || Err::<(Vec<NoteChange>, ()), _>(Refused(count()));
        assert_eq!(sandbox.vault.transaction(plan, &never), Err(Refused(number)));
    }
}
