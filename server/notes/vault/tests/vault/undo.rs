//! Undoing what calls have changed, and restoring files from the trash.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use toolwrit_vault::{
    Author, Authors, BulkMode, CaseSensitivity, HistoryLimits, IfMissing, Obstacle, OpenOptions,
    SearchPattern, UndoMode, Undone, Vault, VaultError, WriteMode,
};

use crate::{Sandbox, never, path, tree};

fn author(principal: &str) -> Author {
    Author { principal: principal.to_owned(), operation: "vault.test".to_owned() }
}

/// The files of a vault, without those of the engine and its trash.
fn notes(sandbox: &Sandbox) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut notes = tree(&sandbox.file(""));
    notes.retain(|file, _| {
        let file = file.strip_prefix(sandbox.file("")).unwrap();
        !file.starts_with(".toolwrit") && !file.starts_with(".trash")
    });
    notes
}

fn undo(vault: &Vault, id: Option<&str>) -> Result<Undone, VaultError> {
    vault.undo(id, None, &Authors::All, UndoMode::Undo)
}

/// A vault with notes of several kinds.
fn populated() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put("Hub.md", "# Hub\n");
    sandbox.put("a/Windows.md", "\u{feff}line\r\n[[Hub]]\r\n");
    sandbox.put("a/b/Deep.md", "---\nup: \"[[Hub]]\"\n---\n![[Hub#Hub]]\n");
    sandbox.put("board.canvas", r#"{"nodes":[{"file":"Hub.md"}]}"#);
    sandbox.put("picture.png", [0_u8, 1, 2, 255]);
    sandbox
}

type Work = fn(&Vault);

/// Each kind of change.
const CHANGES: &[(&str, Work)] = &[
    ("replace", |vault| {
        vault.write(&path("a/Windows"), "other\n", WriteMode::Overwrite, None).unwrap();
    }),
    ("create", |vault| {
        vault.write(&path("new/folder/Note"), "new\n", WriteMode::CreateOnly, None).unwrap();
    }),
    ("append", |vault| {
        vault.append(&path("a/Windows"), "more", IfMissing::Fail, None).unwrap();
    }),
    ("twice", |vault| {
        vault.append(&path("a/Windows"), "more", IfMissing::Fail, None).unwrap();
        vault.append(&path("a/Windows"), "and more", IfMissing::Fail, None).unwrap();
        vault.append(&path("New"), "one", IfMissing::Create, None).unwrap();
        vault.append(&path("New"), "two", IfMissing::Fail, None).unwrap();
    }),
    ("rename", |vault| {
        vault.rename(&path("Hub"), "Center", None, &never).unwrap();
    }),
    ("move", |vault| {
        vault.move_note(&path("a/b/Deep"), &path("elsewhere/Deep"), None, &never).unwrap();
    }),
    ("move of a picture", |vault| {
        vault.rename(&path("picture.png"), "image.png", None, &never).unwrap();
    }),
    ("delete", |vault| {
        vault.delete(&path("a/Windows"), None).unwrap();
    }),
    ("bulk deletion", |vault| {
        let all = SearchPattern::glob("**", CaseSensitivity::Sensitive).unwrap();
        vault.bulk_delete(&all, BulkMode::Delete, &never).unwrap();
    }),
    ("write and rename", |vault| {
        vault.write(&path("Hub"), "changed\n", WriteMode::Overwrite, None).unwrap();
        vault.rename(&path("Hub"), "Center", None, &never).unwrap();
        vault.write(&path("Center"), "again\n", WriteMode::Overwrite, None).unwrap();
    }),
    ("write and delete", |vault| {
        vault.write(&path("Hub"), "changed\n", WriteMode::Overwrite, None).unwrap();
        vault.delete(&path("Hub"), None).unwrap();
    }),
];

#[test]
fn each_change_is_undone_and_done_again_byte_by_byte() {
    for trash in ["local", "none"] {
        for (what, change) in CHANGES {
            let sandbox = populated();
            sandbox.put(".obsidian/app.json", format!(r#"{{"trashOption":"{trash}"}}"#));
            let vault = &sandbox.vault;
            let before = notes(&sandbox);
            let ((), id) = vault.record(author("ada"), || change(vault));
            let id = id.unwrap_or_else(|| panic!("{what} is not recorded")).to_string();
            let after = notes(&sandbox);
            assert_ne!(before, after, "{what}");
            let preview = vault.undo(None, None, &Authors::All, UndoMode::DryRun).unwrap();
            assert_eq!(notes(&sandbox), after, "{what}: a dry run changes nothing");
            let (undone, redo) = vault.record(author("ada"), || undo(vault, Some(&id)));
            let undone = undone.unwrap();
            assert_eq!(undone, preview, "{what}");
            assert!(undone.conflicts.is_empty(), "{what}: {undone:?}");
            assert_eq!(notes(&sandbox), before, "{what}, {trash}");
            let redo = redo.unwrap().to_string();
            undo(vault, Some(&redo)).unwrap();
            assert_eq!(notes(&sandbox), after, "{what}, {trash}: done again");
        }
    }
}

#[test]
fn files_that_changed_since_stay() {
    let sandbox = populated();
    let vault = &sandbox.vault;
    let ((), _) = vault.record(author("ada"), || {
        vault.rename(&path("Hub"), "Center", None, &never).unwrap();
    });
    sandbox.put("a/Windows.md", "edited by hand");
    let undone = undo(vault, None).unwrap();
    let conflicts: Vec<_> = undone.conflicts.iter().map(|(path, _)| path.to_string()).collect();
    assert_eq!(conflicts, ["a/Windows.md"]);
    assert_eq!(undone.conflicts[0].1, Obstacle::Changed);
    assert_eq!(sandbox.bytes("a/Windows.md"), b"edited by hand");
    assert_eq!(sandbox.bytes("Hub.md"), b"# Hub\n");
    let again = undo(vault, None).unwrap_err();
    assert!(matches!(again, VaultError::NotUndone { .. } | VaultError::AlreadyExists { .. }));
}

#[test]
fn a_path_that_is_taken_is_not_overwritten() {
    let sandbox = populated();
    let vault = &sandbox.vault;
    vault.record(author("ada"), || drop(vault.delete(&path("Hub"), None).unwrap()));
    sandbox.put("Hub.md", "another hub");
    let error = undo(vault, None).unwrap_err();
    assert!(matches!(error, VaultError::AlreadyExists { .. }), "{error:?}");
    assert_eq!(sandbox.bytes("Hub.md"), b"another hub");
    let error = undo(vault, Some(".trash/Hub.md")).unwrap_err();
    assert!(matches!(error, VaultError::AlreadyExists { .. }), "{error:?}");
}

#[test]
fn some_files_of_a_change_are_undone() {
    let sandbox = populated();
    let vault = &sandbox.vault;
    vault.record(author("ada"), || {
        for name in ["Hub", "a/Windows"] {
            vault.write(&path(name), "changed\n", WriteMode::Overwrite, None).unwrap();
        }
    });
    let other = [path("Other")];
    let error = vault.undo(None, Some(&other), &Authors::All, UndoMode::Undo).unwrap_err();
    assert!(matches!(error, VaultError::NotFound { .. }), "{error:?}");
    let only = [path("Hub")];
    let undone = vault.undo(None, Some(&only), &Authors::All, UndoMode::Undo).unwrap();
    assert_eq!(undone.undone, [path("Hub.md")]);
    assert_eq!(sandbox.bytes("Hub.md"), b"# Hub\n");
    assert_eq!(sandbox.bytes("a/Windows.md"), "\u{feff}changed\r\n".as_bytes());
}

#[test]
fn each_account_undoes_its_own_changes() {
    let sandbox = populated();
    let vault = &sandbox.vault;
    let change = |principal, name| {
        let write = || {
            vault.write(&path(name), "changed\n", WriteMode::Overwrite, None).unwrap();
        };
        vault.record(author(principal), write).1.unwrap().to_string()
    };
    let ada = change("ada", "Hub");
    change("bob", "a/Windows");
    let only_ada = Authors::Only("ada".to_owned());
    let seen = vault.changes(&only_ada).unwrap();
    assert_eq!(seen.iter().map(|entry| &entry.id).collect::<Vec<_>>(), [&ada]);
    assert_eq!(vault.changes(&Authors::All).unwrap().len(), 2);
    let bob = &vault.changes(&Authors::All).unwrap()[0];
    let refused = vault.undo(Some(&bob.id), None, &only_ada, UndoMode::Undo).unwrap_err();
    assert!(matches!(refused, VaultError::NoSuchChange { .. }), "{refused:?}");
    let undone = vault.undo(None, None, &only_ada, UndoMode::Undo).unwrap();
    assert_eq!(undone.undone, [path("Hub.md")], "the last change of the account");
}

#[test]
fn the_trash_is_listed_and_restored() {
    let sandbox = populated();
    let vault = &sandbox.vault;
    vault.delete(&path("a/Windows"), None).unwrap();
    sandbox.put(".trash/by hand.md", "by hand");
    let mut trashed: Vec<_> = vault.trash().into_iter().map(|entry| entry.id).collect();
    trashed.sort();
    assert_eq!(trashed, [".trash/a/Windows.md", ".trash/by hand.md"]);
    for id in &trashed {
        undo(vault, Some(id)).unwrap();
    }
    assert_eq!(sandbox.bytes("a/Windows.md"), "\u{feff}line\r\n[[Hub]]\r\n".as_bytes());
    assert_eq!(sandbox.bytes("by hand.md"), b"by hand");
    assert!(vault.trash().is_empty());
    for id in
        [".trash/../Hub.md", ".trash/.hidden.md", ".trash/none.md", "trash:../x", "nonsense", ""]
    {
        let error = undo(vault, Some(id)).unwrap_err();
        assert!(matches!(error, VaultError::NoSuchChange { .. }), "{id}: {error:?}");
    }
}

#[test]
fn only_so_many_calls_are_kept_and_none_without_a_limit() {
    let sandbox = populated();
    let open = |calls| {
        let options = OpenOptions {
            state: Some(sandbox.beside("state")),
            history: HistoryLimits { calls },
            ..OpenOptions::default()
        };
        Vault::open_with(sandbox.file(""), options).unwrap()
    };
    let write = |vault: &Vault, number: usize| {
        let text = format!("{number}\n");
        let write = || {
            vault.write(&path("Hub"), &text, WriteMode::Overwrite, None).unwrap();
        };
        vault.record(author("ada"), write).1
    };
    let vault = open(3);
    for number in 0..5 {
        write(&vault, number).unwrap();
    }
    assert_eq!(vault.changes(&Authors::All).unwrap().len(), 3);
    let off = open(0);
    assert_eq!(write(&off, 9), None);
    assert_eq!(off.changes(&Authors::All).unwrap(), []);
    assert!(matches!(undo(&off, None), Err(VaultError::NoSuchChange { .. })));
}

#[test]
fn a_record_that_others_wrote_is_not_undone() {
    let sandbox = populated();
    let vault = &sandbox.vault;
    let (_, id) = vault.record(author("ada"), || {
        vault.write(&path("Hub"), "changed\n", WriteMode::Overwrite, None).unwrap()
    });
    let id = id.unwrap().to_string();
    let find = |(file, _): (PathBuf, _)| file.ends_with(&id).then_some(file);
    let record = tree(&sandbox.beside("state")).into_iter().find_map(find).unwrap();
    let bytes = fs::read(&record).unwrap();
    for at in (0..bytes.len()).step_by(7) {
        let mut forged = bytes.clone();
        forged[at] ^= 1;
        fs::write(&record, forged).unwrap();
        let error = undo(vault, Some(&id)).unwrap_err();
        assert!(
            matches!(error, VaultError::NoSuchChange { .. } | VaultError::Io { .. }),
            "{at}: {error:?}"
        );
        assert_eq!(sandbox.bytes("Hub.md"), b"changed\n");
    }
    fs::write(&record, bytes).unwrap();
    undo(vault, Some(&id)).unwrap();
    assert_eq!(sandbox.bytes("Hub.md"), b"# Hub\n");
}

#[test]
fn only_the_file_that_was_deleted_comes_back() {
    let sandbox = populated();
    let vault = &sandbox.vault;
    let delete = || drop(vault.delete(&path("Hub"), None).unwrap());
    let ((), first) = vault.record(author("ada"), delete);
    fs::remove_file(sandbox.file(".trash/Hub.md")).unwrap();
    sandbox.put("Hub.md", "of somebody else");
    vault.record(author("bob"), || drop(vault.delete(&path("Hub"), None).unwrap()));
    let error = undo(vault, Some(&first.unwrap().to_string())).unwrap_err();
    assert!(
        matches!(error, VaultError::NotUndone { obstacle: Obstacle::NotInTrash, .. }),
        "{error:?}"
    );
    assert_eq!(sandbox.bytes(".trash/Hub.md"), b"of somebody else");
}

#[test]
fn a_dry_run_creates_nothing() {
    let sandbox = populated();
    let vault = &sandbox.vault;
    vault.record(author("ada"), || {
        vault.write(&path("x/y/New"), "new", WriteMode::CreateOnly, None).unwrap()
    });
    let before = tree(&sandbox.file(""));
    let preview = vault.undo(None, None, &Authors::All, UndoMode::DryRun).unwrap();
    assert_eq!(preview.undone, [path("x/y/New.md")]);
    assert_eq!(tree(&sandbox.file("")), before);
    assert!(!sandbox.file(".trash/x").exists());
}

#[cfg(unix)]
#[test]
fn a_restore_that_fails_leaves_the_vault_writable() {
    use std::os::unix::fs::PermissionsExt;

    let sandbox = populated();
    let vault = &sandbox.vault;
    vault.delete(&path("a/Windows"), None).unwrap();
    let trash = sandbox.file(".trash/a");
    fs::set_permissions(&trash, fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser may write there in spite of the mode.
    let may_write = fs::write(trash.join("probe"), "").is_ok();
    let restored = undo(vault, Some(".trash/a/Windows.md"));
    assert_eq!(restored.is_ok(), may_write, "{restored:?}");
    vault.append(&path("Hub"), "more", IfMissing::Fail, None).unwrap();
    fs::set_permissions(&trash, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_damaged_record_is_not_passed_over() {
    let sandbox = populated();
    let vault = &sandbox.vault;
    let append = || drop(vault.append(&path("Hub"), "more", IfMissing::Fail, None).unwrap());
    vault.record(author("ada"), append);
    let ((), last) = vault.record(author("ada"), append);
    let last = last.unwrap().to_string();
    let find = |(file, _): (PathBuf, _)| file.ends_with(&last).then_some(file);
    let record = tree(&sandbox.beside("state")).into_iter().find_map(find).unwrap();
    let bytes = fs::read(&record).unwrap();
    fs::write(&record, &bytes[..bytes.len() - 1]).unwrap();
    let before = sandbox.bytes("Hub.md");
    assert!(undo(vault, None).is_err(), "the change before it is not undone instead");
    assert_eq!(sandbox.bytes("Hub.md"), before);
}
