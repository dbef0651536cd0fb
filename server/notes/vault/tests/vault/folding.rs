//! File systems that ignore case. Results contain the names on disk.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use toolwrit_vault::{
    BulkMode, CaseSensitivity, FileSystem, Folder, IfMissing, SearchPattern, Vault, VaultError,
    WriteMode,
};

use crate::mounts::Mount;
use crate::{never, open_on, path, tree};

/// Runs a check on a file system that is configured to ignore case, and on those that do if they can
/// be mounted.
fn wherever_case_folds(check: impl Fn(&Path, &Vault)) {
    let folds = FileSystem { ignores_case: true, reports_changes: true };
    let sandbox = TempDir::new().unwrap();
    let said = (sandbox.path().join("vault"), Some(folds));
    let (exfat, ext4) = (Mount::exfat(), Mount::casefold());
    let exfat = exfat.as_ref().map(|mount| (mount.path(), None));
    let ext4 = ext4.as_ref().map(|mount| (mount.path().join("vault"), None));
    for (folder, file_system) in [Some(said), exfat, ext4].into_iter().flatten() {
        populate(&folder);
        check(&folder, &open_on(&folder, file_system));
    }
}

fn populate(folder: &Path) {
    fs::create_dir_all(folder.join("Projects")).unwrap();
    fs::create_dir_all(folder.join(".obsidian")).unwrap();
    fs::write(folder.join(".obsidian/app.json"), r#"{"trashOption":"local"}"#).unwrap();
    fs::write(folder.join("Projects/Plan.md"), "lantern\n").unwrap();
    fs::write(folder.join("Links.md"), "[[Plan]] and [[Projects/Plan|it]]\n").unwrap();
}

/// The visible files.
fn files(folder: &Path) -> Vec<String> {
    let names = tree(folder).into_keys();
    let names = names.map(|path| path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned());
    names.filter(|path| !path.starts_with(['.', '$'])).collect()
}

fn find_indexed(vault: &Vault) -> Vec<String> {
    vault.wait_for_index(&never).unwrap();
    let all = SearchPattern::glob("**", CaseSensitivity::Sensitive).unwrap();
    let found = vault.search(&all, &Folder::ROOT, 100, &never).unwrap();
    let paths = found.hits.into_iter().map(|hit| hit.path.to_string());
    paths.filter(|path| !path.starts_with('$')).collect()
}

#[test]
fn results_have_the_name_on_disk_for_any_requested_case() {
    wherever_case_folds(|folder, vault| {
        vault.wait_for_index(&never).unwrap();
        let asked = path("projects/PLAN");
        assert_eq!(vault.locate(&asked).unwrap().as_str(), "Projects/Plan.md");
        assert_eq!(vault.read(&asked, None).unwrap().path.as_str(), "Projects/Plan.md");
        let written = vault.write(&asked, "torch\n", WriteMode::Overwrite, None).unwrap();
        assert_eq!((written.path.as_str(), written.created), ("Projects/Plan.md", false));
        let appended = vault.append(&asked, "more\n", IfMissing::Create, None).unwrap();
        assert_eq!((appended.path.as_str(), appended.created), ("Projects/Plan.md", false));
        let taken = vault.write(&asked, "", WriteMode::CreateOnly, None).unwrap_err();
        assert!(
            matches!(taken, VaultError::AlreadyExists { path } if path.as_str() == "Projects/Plan.md")
        );
        assert_eq!(find_indexed(vault), ["Links.md", "Projects/Plan.md"], "there is no twin");

        let new = vault.write(&path("PROJECTS/New"), "n", WriteMode::CreateOnly, None).unwrap();
        assert_eq!(new.path.as_str(), "Projects/New.md");
        let twin = vault.write(&path("projects/NEW.md"), "m", WriteMode::Overwrite, None).unwrap();
        assert_eq!((twin.path.as_str(), twin.created), ("Projects/New.md", false));
        let below = Folder::parse("projects").unwrap();
        let all = SearchPattern::glob("**", CaseSensitivity::Sensitive).unwrap();
        assert_eq!(vault.search(&all, &below, 10, &never).unwrap().total_hits, 2);
        let deleted = vault.delete(&path("projects/new"), None).unwrap();
        assert_eq!(deleted.path.as_str(), "Projects/New.md");
        assert_eq!(files(folder), ["Links.md", "Projects/Plan.md"]);
        assert_eq!(find_indexed(vault), ["Links.md", "Projects/Plan.md"]);
    });
}

#[test]
fn links_follow_a_file_moved_under_another_case() {
    wherever_case_folds(|folder, vault| {
        let backlinks = vault.backlinks(&path("projects/plan"), 10, &never).unwrap();
        assert_eq!((backlinks.path.as_str(), backlinks.files), ("Projects/Plan.md", 1));
        let moved = vault
            .move_note(&path("projects/plan"), &path("PROJECTS/Scheme"), None, &never)
            .unwrap();
        assert_eq!(moved.from.as_str(), "Projects/Plan.md");
        assert_eq!(moved.to.as_str(), "Projects/Scheme.md");
        assert_eq!(moved.rewritten, [path("Links.md")]);
        let links = fs::read_to_string(folder.join("Links.md")).unwrap();
        assert_eq!(links, "[[Scheme]] and [[Projects/Scheme|it]]\n");
        assert_eq!(files(folder), ["Links.md", "Projects/Scheme.md"]);
        assert_eq!(find_indexed(vault), ["Links.md", "Projects/Scheme.md"]);
    });
}

#[test]
fn a_rename_may_change_only_the_case() {
    wherever_case_folds(|folder, vault| {
        vault.wait_for_index(&never).unwrap();
        let moved = vault.rename(&path("Projects/plan"), "PLAN.md", None, &never).unwrap();
        assert_eq!(moved.from.as_str(), "Projects/Plan.md");
        assert_eq!(moved.to.as_str(), "Projects/PLAN.md");
        assert_eq!(files(folder), ["Links.md", "Projects/PLAN.md"]);
        assert_eq!(find_indexed(vault), ["Links.md", "Projects/PLAN.md"]);
        assert_eq!(fs::read(folder.join("Projects/PLAN.md")).unwrap(), b"lantern\n");
        assert_eq!(vault.backlinks(&path("Projects/PLAN"), 10, &never).unwrap().files, 1);
        // The name of another file in another case is taken.
        let taken = vault.rename(&path("Projects/Plan"), "Other.md", None, &never).unwrap();
        let taken = vault.move_note(&taken.to, &path("LINKS.md"), None, &never).unwrap_err();
        assert!(matches!(taken, VaultError::AlreadyExists { path } if path.as_str() == "Links.md"));
    });
}

#[test]
fn a_foreign_rename_of_case_leaves_one_name_in_the_index() {
    wherever_case_folds(|folder, vault| {
        assert_eq!(find_indexed(vault), ["Links.md", "Projects/Plan.md"]);
        // Through a third name, because Linux ignores such a rename.
        fs::rename(folder.join("Projects/Plan.md"), folder.join("Projects/x.md")).unwrap();
        fs::rename(folder.join("Projects/x.md"), folder.join("Projects/pLaN.md")).unwrap();
        assert_eq!(find_indexed(vault), ["Links.md", "Projects/pLaN.md"]);
    });
}

#[test]
fn a_bulk_deletion_deletes_each_file_once() {
    wherever_case_folds(|folder, vault| {
        let all = SearchPattern::glob("projects/*", CaseSensitivity::Insensitive).unwrap();
        let done = vault.bulk_delete(&all, BulkMode::Delete, &never).unwrap();
        assert_eq!(done.outcomes.len(), 1);
        assert_eq!(files(folder), ["Links.md"]);
    });
}

#[test]
fn on_case_sensitive_disks_two_names_may_differ_only_in_case() {
    let folder = TempDir::new().unwrap();
    populate(folder.path());
    fs::write(folder.path().join("Projects/PLAN.md"), "other\n").unwrap();
    let vault = Vault::open(folder.path()).unwrap();
    assert_eq!(vault.read(&path("Projects/PLAN"), None).unwrap().content, "other\n");
    assert!(matches!(vault.read(&path("projects/plan"), None), Err(VaultError::NotFound { .. })));
    let taken = vault.rename(&path("Projects/Plan"), "PLAN.md", None, &never);
    assert!(matches!(taken, Err(VaultError::AlreadyExists { .. })), "{taken:?}");
    assert_eq!(files(folder.path()), ["Links.md", "Projects/PLAN.md", "Projects/Plan.md"]);
}
