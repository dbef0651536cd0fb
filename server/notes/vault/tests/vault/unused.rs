//! Deleting a note with the attachments that only it uses.

use toolwrit_vault::{BulkMode, BulkOutcome, VaultError};

use super::{Sandbox, never, path};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put(
        "a.md",
        "![[own.png]] [[own.png]] ![[shared.png]] [[b]] ![[on canvas.pdf]] [[plan.canvas]]",
    );
    sandbox.put("b.md", "![](shared.png)");
    sandbox.put("plan.canvas", r#"{"nodes":[{"type":"file","file":"on canvas.pdf"}]}"#);
    for name in ["own.png", "shared.png", "on canvas.pdf", "other.png"] {
        sandbox.put(name, name);
    }
    sandbox
}

#[test]
fn only_attachments_that_nothing_else_links_to_go_with_a_note() {
    let sandbox = sandbox();
    let before = sandbox.files();
    let delete = |mode| sandbox.vault.delete_with_attachments(&path("a"), None, mode, &never);
    let foreseen = delete(BulkMode::DryRun).unwrap().outcomes;
    let paths: Vec<&str> = foreseen
        .iter()
        .map(|outcome| match outcome {
            BulkOutcome::Would(file) => file.path.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(paths, ["a.md", "own.png"]);
    assert!(matches!(delete(BulkMode::DeleteIf(&|_| false)), Err(VaultError::NotAgreed)));
    assert_eq!(sandbox.files(), before);
    assert_eq!(delete(BulkMode::Delete).unwrap().outcomes.len(), 2);
    let kept = ["b.md", "on canvas.pdf", "other.png", "plan.canvas", "shared.png"];
    let left: Vec<String> =
        sandbox.files().into_iter().filter(|file| !file.starts_with(".trash")).collect();
    assert_eq!(left, kept);
    assert_eq!(sandbox.bytes(".trash/own.png"), b"own.png");
}

#[test]
fn a_note_that_has_changed_is_not_deleted() {
    let sandbox = sandbox();
    let etag = sandbox.vault.read(&path("a"), None).unwrap().etag;
    sandbox.put("a.md", "changed");
    let deleted =
        sandbox.vault.delete_with_attachments(&path("a"), Some(&etag), BulkMode::Delete, &never);
    assert!(matches!(deleted, Err(VaultError::Conflict { .. })), "{deleted:?}");
    assert_eq!(sandbox.bytes("own.png"), b"own.png");
}
