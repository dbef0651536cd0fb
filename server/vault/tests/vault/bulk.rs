//! Deleting many files.

use std::sync::atomic::{AtomicUsize, Ordering};

use toolwrit_vault::{BulkMode, BulkOutcome, PathGlob, VaultError};

use crate::{Sandbox, never};

fn populated() -> Sandbox {
    let sandbox = Sandbox::new();
    for path in ["a.md", "b.md", "c.txt", "d/e.md", ".obsidian/f.md"] {
        sandbox.put(path, path);
    }
    sandbox
}

fn names(outcomes: &[BulkOutcome]) -> Vec<&str> {
    let name = |outcome| match outcome {
        &BulkOutcome::Would(ref path) | &BulkOutcome::Failed(ref path, _) => path.as_str(),
        BulkOutcome::Deleted(deleted) => deleted.path.as_str(),
    };
    outcomes.iter().map(name).collect()
}

#[test]
fn a_dry_run_tells_what_the_run_then_does() {
    let sandbox = populated();
    let glob = PathGlob::parse("*.md").unwrap();
    let before = sandbox.files();
    let dry = sandbox.vault.bulk_delete(&glob, BulkMode::DryRun, &never).unwrap();
    assert_eq!(names(&dry.outcomes), ["a.md", "b.md", "d/e.md"]);
    assert_eq!(sandbox.files(), before);
    let run = sandbox.vault.bulk_delete(&glob, BulkMode::Delete, &never).unwrap();
    assert_eq!(names(&run.outcomes), names(&dry.outcomes));
    assert!(run.outcomes.iter().all(|outcome| matches!(outcome, BulkOutcome::Deleted(_))));
    assert_eq!(sandbox.files(), [".trash/a.md", ".trash/b.md", ".trash/d/e.md", "c.txt"]);
    assert_eq!(sandbox.bytes(".obsidian/f.md"), b".obsidian/f.md");
}

#[test]
fn a_stopped_run_says_how_far_it_came() {
    let sandbox = populated();
    let glob = PathGlob::parse("*.md").unwrap();
    let asked = AtomicUsize::new(0);
    // The walk asks once for each of the four files and the folder, then the run before each file.
    let stop = || asked.fetch_add(1, Ordering::Relaxed) >= 6;
    let run = sandbox.vault.bulk_delete(&glob, BulkMode::Delete, &stop).unwrap();
    assert_eq!((names(&run.outcomes), run.not_reached), (vec!["a.md"], 2));
    assert_eq!(sandbox.files(), [".trash/a.md", "b.md", "c.txt", "d/e.md"]);
    let result = sandbox.vault.bulk_delete(&glob, BulkMode::Delete, &|| true);
    assert!(matches!(result, Err(VaultError::Cancelled)), "{result:?}");
}
