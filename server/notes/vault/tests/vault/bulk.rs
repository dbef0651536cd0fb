//! Deleting many files.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolwrit_vault::{
    BulkDeletion, BulkMode, BulkOutcome, CaseSensitivity, Deletable, Deleted, SearchPattern,
    VaultError, VaultPath,
};

use crate::{Sandbox, never};

fn populated() -> Sandbox {
    let sandbox = Sandbox::new();
    for path in ["a.md", "b.md", "c.txt", "d/e.md", ".obsidian/f.md"] {
        sandbox.put(path, path);
    }
    sandbox
}

fn names(outcomes: &[BulkOutcome]) -> Vec<&str> {
    let path = |outcome| -> &VaultPath {
        match outcome {
            &BulkOutcome::Would(Deletable { ref path, .. })
            | &BulkOutcome::Deleted(Deleted { ref path, .. })
            | &BulkOutcome::Failed(ref path, _) => path,
        }
    };
    outcomes.iter().map(|outcome| path(outcome).as_str()).collect()
}

fn notes() -> SearchPattern {
    SearchPattern::glob("*.md", CaseSensitivity::Sensitive).unwrap()
}

#[test]
fn notes_can_be_selected_by_their_content() {
    let sandbox = Sandbox::new();
    sandbox.put("a.md", "---\nstatus: obsolete\n---\nkeep it?\n");
    sandbox.put("b.md", "---\nstatus: current\n---\nobsolete twice: obsolete\nobsolete\n");
    sandbox.put("c.txt", "obsolete");
    let obsolete = SearchPattern::frontmatter("status = obsolete").unwrap();
    let dry = sandbox.vault.bulk_delete(&obsolete, BulkMode::DryRun, &never).unwrap();
    assert_eq!(names(&dry.outcomes), ["a.md"]);
    let said = SearchPattern::regex("obsolete$", CaseSensitivity::Sensitive).unwrap();
    let run = sandbox.vault.bulk_delete(&said, BulkMode::Delete, &never).unwrap();
    assert_eq!(names(&run.outcomes), ["a.md", "b.md"]);
    assert_eq!(sandbox.files(), [".trash/a.md", ".trash/b.md", "c.txt"]);
}

#[test]
fn a_dry_run_reports_what_the_deletion_does() {
    let sandbox = populated();
    let glob = notes();
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
fn a_cancelled_deletion_deletes_nothing() {
    let sandbox = populated();
    let glob = notes();
    let before = sandbox.files();
    for after in 0..6 {
        let asked = AtomicUsize::new(0);
        // The walk checks once for each of the four files and the folder, then the deletion checks
        // once.
        let stop = || asked.fetch_add(1, Ordering::Relaxed) >= after;
        let result = sandbox.vault.bulk_delete(&glob, BulkMode::Delete, &stop);
        assert!(matches!(result, Err(VaultError::Cancelled)), "{result:?}");
        assert_eq!(sandbox.files(), before);
    }
}

#[test]
fn a_file_just_written_by_another_program_is_deleted() {
    let sandbox = populated();
    sandbox.vault.wait_for_index(&never).unwrap();
    sandbox.put("new/f.md", "");
    let done = sandbox.vault.bulk_delete(&notes(), BulkMode::Delete, &never).unwrap();
    assert_eq!(names(&done.outcomes), ["a.md", "b.md", "d/e.md", "new/f.md"]);
}

#[test]
fn one_undeletable_file_prevents_the_whole_deletion() {
    let sandbox = populated();
    fs::create_dir_all(sandbox.file(".trash")).unwrap();
    // A file occupies the name of the folder in the trash.
    sandbox.put(".trash/d", "in the way");
    let before = sandbox.files();
    let glob = notes();
    let result = sandbox.vault.bulk_delete(&glob, BulkMode::Delete, &never);
    assert!(matches!(result, Err(VaultError::Io { .. })), "{result:?}");
    assert_eq!(sandbox.files(), before);
}

#[test]
fn without_a_trash_files_are_deleted_permanently() {
    let sandbox = populated();
    sandbox.put(".obsidian/app.json", r#"{"trashOption":"none"}"#);
    let glob = notes();
    let done = sandbox.vault.bulk_delete(&glob, BulkMode::Delete, &never).unwrap();
    assert_eq!(names(&done.outcomes), ["a.md", "b.md", "d/e.md"]);
    assert_eq!(sandbox.files(), ["c.txt"]);
    assert_eq!(fs::read_dir(sandbox.file(".toolwrit/tmp")).unwrap().count(), 0);
}

#[test]
fn a_file_changed_after_the_confirmation_is_not_deleted() {
    for trash in ["local", "none"] {
        let sandbox = populated();
        sandbox.put(".obsidian/app.json", format!(r#"{{"trashOption":"{trash}"}}"#));
        let agrees = |seen: &BulkDeletion| {
            sandbox.put("b.md", "written by another program");
            names(&seen.outcomes) == ["a.md", "b.md", "d/e.md"]
        };
        let done = sandbox.vault.bulk_delete(&notes(), BulkMode::DeleteIf(&agrees), &never);
        match done {
            Ok(done) => {
                let failed = |outcome: &&BulkOutcome| matches!(outcome, BulkOutcome::Failed(..));
                assert_eq!(names(&done.outcomes), ["a.md", "b.md", "d/e.md"]);
                assert_eq!(done.outcomes.iter().filter(failed).count(), 1, "{trash}: {done:?}");
            }
            Err(VaultError::Conflict { path, .. }) => assert_eq!(path.as_str(), "b.md"),
            Err(error) => panic!("{trash}: {error}"),
        }
        assert_eq!(sandbox.bytes("b.md"), b"written by another program", "{trash}");
    }
}
