//! File systems that do not report all changes: network drives, folders shared by a host.

use std::fs;

use tempfile::TempDir;
use toolwrit_vault::{CaseSensitivity, FileSystem, Folder, OpenOptions, SearchPattern, Vault};

use crate::mounts::Mount;
use crate::never;

/// The notes with a line that contains this word.
fn finds(vault: &Vault, word: &str) -> usize {
    let pattern = SearchPattern::literal(word, CaseSensitivity::Insensitive).unwrap();
    vault.search(&pattern, &Folder::ROOT, 10, &never).unwrap().matching_files
}

/// A vault with a note that is changed outside of the vault through a second hard link. The system
/// does not report that to watchers of the vault, as if another machine had changed it.
fn shared() -> (TempDir, TempDir) {
    let (folder, beside) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    fs::write(beside.path().join("other.md"), "lantern\n").unwrap();
    fs::hard_link(beside.path().join("other.md"), folder.path().join("Note.md")).unwrap();
    (folder, beside)
}

#[test]
fn without_notifications_each_search_rescans_the_vault() {
    let (folder, beside) = shared();
    let file_system = Some(FileSystem { ignores_case: false, reports_changes: false });
    let options = OpenOptions { file_system, ..OpenOptions::default() };
    let vault = Vault::open_with(folder.path(), options).unwrap();
    assert_eq!((finds(&vault, "lantern"), finds(&vault, "harbour")), (1, 0));
    for word in ["harbour", "orchard", "copper"] {
        fs::write(beside.path().join("other.md"), format!("{word} and more\n")).unwrap();
        assert_eq!((finds(&vault, word), finds(&vault, "lantern")), (1, 0));
    }
}

#[test]
fn file_systems_without_notifications_are_recognised_by_type() {
    let (folder, beside) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    fs::create_dir(folder.path().join("Shared")).unwrap();
    fs::write(folder.path().join("Shared/Note.md"), "lantern\n").unwrap();
    let Some(mount) = Mount::mirror(folder.path()) else { return };
    let vault = Vault::open(mount.path()).unwrap();
    assert_eq!((finds(&vault, "lantern"), finds(&vault, "harbour")), (1, 0));
    for word in ["harbour", "orchard", "copper"] {
        fs::write(folder.path().join("Shared/Note.md"), format!("{word} and more\n")).unwrap();
        assert_eq!((finds(&vault, word), finds(&vault, "lantern")), (1, 0));
    }
    drop((mount, beside));
}
