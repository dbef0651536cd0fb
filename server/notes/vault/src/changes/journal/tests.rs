//! Records as a killed writer leaves them.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::record::StagedName;
use super::*;
use crate::changes::lock::WriteLock;
use crate::storage::state_folder::StateFolder;

/// A vault as a process opens it.
struct Opened {
    root: VaultRoot,
    store: Store,
    lock: WriteLock,
}

impl Opened {
    fn open_at(vault: &Path, state: &Path) -> Self {
        let root = VaultRoot::open(vault, None).unwrap();
        let store = Store::new(&root, StateFolder::new(&root, Some(state)));
        clean_up(&root, &store);
        Self { root, store, lock: WriteLock::default() }
    }

    fn writer(&self) -> Writer<'_> {
        let writer = self.lock.acquire(&self.root).unwrap();
        writer.recover(&self.root, &self.store).unwrap();
        writer
    }

    fn commit(&self, changes: &[Change]) -> Result<()> {
        self.writer().commit(&self.root, &self.store, changes)
    }

    fn interruptions(&self) -> Interruptions {
        self.store.interruptions(&self.root)
    }
}

/// A vault in a folder that can also hold its state folder.
fn vault() -> (TempDir, Opened) {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("vault")).unwrap();
    for name in ["a.md", "b.md", "c.md"] {
        fs::write(file(&folder, name), name).unwrap();
    }
    let vault = open(&folder);
    (folder, vault)
}

fn file(folder: &TempDir, name: &str) -> PathBuf {
    folder.path().join("vault").join(name)
}

fn open(folder: &TempDir) -> Opened {
    Opened::open_at(&file(folder, ""), &folder.path().join("state"))
}

/// Puts a change on record as if the process died right after, and makes some of its steps.
fn interrupt(vault: &Opened, direction: Direction, changes: &[Change], made: usize) {
    let writer = vault.writer();
    let open = vault.store.open().unwrap();
    let staging = open.staging(&writer.state).unwrap();
    let scene = Scene { root: &vault.root, staging: &staging };
    let mut record = JournalRecord { direction, steps: Vec::new() };
    for change in changes {
        let step = writer.stage_change(change, &record.steps, scene, &mut Unsynced::default());
        record.steps.push(step.unwrap());
    }
    open.put(&vault.store, &record).unwrap();
    for step in &record.steps[..made] {
        assert_eq!(step.apply(scene).unwrap(), StepOutcome::Applied);
    }
}

fn entry(vault: &Opened, name: &str) -> FileEntry {
    vault.root.find_existing(&VaultPath::parse(name).unwrap()).unwrap()
}

fn replace(vault: &Opened, name: &str) -> Change {
    let entry = entry(vault, name);
    let old = entry.read().unwrap();
    Change::Replace(Box::new(Replacement { path: entry.path, old, bytes: b"new".to_vec() }))
}

fn rename(vault: &Opened, from: &str, to: &str) -> Change {
    let to = Destination::Vault(VaultPath::parse(to).unwrap());
    Change::Rename { from: entry(vault, from).path, to, version: None }
}

fn create(vault: &Opened, name: &str) -> Change {
    let path = vault.root.entry_for_new(&VaultPath::parse(name).unwrap()).unwrap().path;
    Change::Create(Creation { path, bytes: b"created".to_vec() })
}

/// The names and contents of the notes, and how many files the engine has left behind.
fn seen(folder: &TempDir) -> (Vec<(String, String)>, usize) {
    let list = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().map(Result::unwrap);
    let read = |entry: fs::DirEntry| {
        let text = fs::read_to_string(entry.path()).ok()?;
        Some((entry.file_name().into_string().ok()?, text))
    };
    let mut notes: Vec<_> = list(file(folder, "")).filter_map(read).collect();
    notes.sort();
    let folders = list(file(folder, ".toolwrit")).chain(list(folder.path().join("state")));
    let left = folders.filter(|entry| entry.path().is_dir()).flat_map(|entry| list(entry.path()));
    (notes, left.filter(|entry| entry.file_name() != "blocked").count())
}

fn notes(notes: &[(&str, &str)]) -> Vec<(String, String)> {
    notes.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn every_step_of_a_change_is_applied() {
    let (folder, vault) = vault();
    let changes =
        [replace(&vault, "a.md"), replace(&vault, "b.md"), rename(&vault, "a.md", "d.md")];
    vault.commit(&changes).unwrap();
    let expected = notes(&[("b.md", "new"), ("c.md", "c.md"), ("d.md", "new")]);
    assert_eq!(seen(&folder), (expected, 0));
}

#[test]
fn a_step_blocked_by_another_program_undoes_the_others() {
    let before = [("a.md", "a.md"), ("b.md", "other"), ("c.md", "c.md")];
    let (folder, vault) = vault();
    let changes =
        [replace(&vault, "a.md"), rename(&vault, "c.md", "d.md"), replace(&vault, "b.md")];
    fs::write(file(&folder, "b.md"), "other").unwrap();
    let result = vault.commit(&changes);
    assert!(matches!(result, Err(VaultError::Conflict { .. })), "{result:?}");
    assert_eq!(seen(&folder), (notes(&before), 0));

    let changes = [replace(&vault, "a.md"), rename(&vault, "c.md", "b.md")];
    let result = vault.commit(&changes);
    assert!(matches!(result, Err(VaultError::AlreadyExists { .. })), "{result:?}");
    assert_eq!(seen(&folder), (notes(&before), 0));
}

#[test]
fn a_recorded_change_is_finished_by_the_next_writer_or_start() {
    for (direction, made, next_start) in [
        (Direction::Forward, 0, true),
        (Direction::Forward, 1, false),
        (Direction::Back, 1, true),
        (Direction::Back, 2, false),
    ] {
        let (folder, vault) = vault();
        let changes = [replace(&vault, "a.md"), rename(&vault, "b.md", "d.md")];
        interrupt(&vault, direction, &changes, made);
        if next_start {
            open(&folder);
        } else {
            drop(vault.writer());
        }
        let expected = match direction {
            Direction::Forward => notes(&[("a.md", "new"), ("c.md", "c.md"), ("d.md", "b.md")]),
            Direction::Back => notes(&[("a.md", "a.md"), ("b.md", "b.md"), ("c.md", "c.md")]),
        };
        assert_eq!(seen(&folder), (expected, 0), "{direction:?} {made}");
    }
}

#[test]
fn new_files_are_created_with_the_other_changes_or_not_at_all() {
    let (folder, vault) = vault();
    vault.commit(&[create(&vault, "d.md"), replace(&vault, "a.md")]).unwrap();
    let made = [("a.md", "new"), ("b.md", "b.md"), ("c.md", "c.md"), ("d.md", "created")];
    assert_eq!(seen(&folder), (notes(&made), 0));

    let changes = [create(&vault, "e.md"), replace(&vault, "b.md"), create(&vault, "f.md")];
    fs::write(file(&folder, "f.md"), "other").unwrap();
    let result = vault.commit(&changes);
    assert!(matches!(result, Err(VaultError::AlreadyExists { .. })), "{result:?}");
    let kept: Vec<_> = made.into_iter().chain([("f.md", "other")]).collect();
    assert_eq!(seen(&folder), (notes(&kept), 0));
}

#[test]
fn a_recorded_creation_is_finished_or_undone() {
    for (direction, made) in [
        (Direction::Forward, 0),
        (Direction::Forward, 1),
        (Direction::Forward, 2),
        (Direction::Back, 0),
        (Direction::Back, 1),
        (Direction::Back, 2),
    ] {
        let (folder, vault) = vault();
        interrupt(&vault, direction, &[create(&vault, "d.md"), replace(&vault, "a.md")], made);
        open(&folder);
        let expected = match direction {
            Direction::Forward => {
                [("a.md", "new"), ("b.md", "b.md"), ("c.md", "c.md"), ("d.md", "created")]
                    .as_slice()
            }
            Direction::Back => &[("a.md", "a.md"), ("b.md", "b.md"), ("c.md", "c.md")],
        };
        assert_eq!(seen(&folder), (notes(expected), 0), "{direction:?} {made}");
    }
}

#[test]
fn a_file_of_the_same_name_as_a_recorded_creation_is_kept() {
    for direction in [Direction::Forward, Direction::Back] {
        let (folder, vault) = vault();
        interrupt(&vault, direction, &[create(&vault, "d.md"), replace(&vault, "a.md")], 0);
        fs::write(file(&folder, "d.md"), "other").unwrap();
        let blocked = open(&folder).interruptions().blocked;
        assert_eq!(fs::read_to_string(file(&folder, "d.md")).unwrap(), "other");
        assert_eq!(blocked.unwrap().1, ["d.md"], "{direction:?}");
    }
}

#[test]
fn a_file_that_was_rewritten_and_moved_counts_as_done() {
    let (folder, vault) = vault();
    let changes =
        [replace(&vault, "a.md"), replace(&vault, "b.md"), rename(&vault, "a.md", "d.md")];
    interrupt(&vault, Direction::Forward, &changes, 3);
    assert_eq!(open(&folder).interruptions(), Interruptions::default());
    let expected = notes(&[("b.md", "new"), ("c.md", "c.md"), ("d.md", "new")]);
    assert_eq!(seen(&folder), (expected, 0));
}

#[test]
fn an_edit_after_the_crash_is_kept() {
    let (folder, vault) = vault();
    let changes = [replace(&vault, "a.md"), replace(&vault, "b.md")];
    interrupt(&vault, Direction::Forward, &changes, 0);
    fs::write(file(&folder, "a.md"), "edited").unwrap();
    open(&folder);
    let expected = notes(&[("a.md", "edited"), ("b.md", "new"), ("c.md", "c.md")]);
    assert_eq!(seen(&folder), (expected, 0));
}

#[test]
fn a_folder_removed_after_the_crash_blocks_no_other_change() {
    for direction in [Direction::Forward, Direction::Back] {
        let (folder, vault) = vault();
        fs::create_dir(file(&folder, "Gone")).unwrap();
        fs::write(file(&folder, "Gone/d.md"), "d").unwrap();
        let changes = [
            replace(&vault, "Gone/d.md"),
            rename(&vault, "a.md", "Gone/a.md"),
            replace(&vault, "b.md"),
        ];
        interrupt(&vault, direction, &changes, 0);
        fs::remove_dir_all(file(&folder, "Gone")).unwrap();
        drop(vault.writer());
        let b = if direction == Direction::Forward { "new" } else { "b.md" };
        let expected = notes(&[("a.md", "a.md"), ("b.md", b), ("c.md", "c.md")]);
        assert_eq!(seen(&folder), (expected, 0), "{direction:?}");
    }
}

#[test]
fn a_rename_applies_only_to_the_recorded_version() {
    for (direction, made) in [(Direction::Forward, 0), (Direction::Back, 2)] {
        let (folder, vault) = vault();
        let changes = [rename(&vault, "b.md", "d.md"), rename(&vault, "a.md", "e.md")];
        interrupt(&vault, direction, &changes, made);
        let there = file(&folder, if made == 0 { "b.md" } else { "d.md" });
        fs::remove_file(&there).unwrap();
        fs::write(&there, "another file").unwrap();
        let found = open(&folder).interruptions();
        assert_eq!(fs::read_to_string(&there).unwrap(), "another file", "{direction:?}");
        assert!(!found.is_pending);
        assert_eq!(found.blocked.unwrap().1, ["b.md"], "{direction:?}");
        assert_eq!(file(&folder, "a.md").exists(), made > 0, "the other file goes where it should");
    }
}

#[test]
fn a_change_is_finished_when_a_moved_vault_is_back() {
    let (folder, vault) = vault();
    interrupt(&vault, Direction::Forward, &[replace(&vault, "a.md"), replace(&vault, "b.md")], 1);
    let (here, elsewhere) = (file(&folder, ""), folder.path().join("elsewhere"));
    fs::rename(&here, &elsewhere).unwrap();
    let moved = Opened::open_at(&elsewhere, &folder.path().join("state"));
    assert_eq!(moved.interruptions().foreign.len(), 1, "what is staged is reported");
    fs::rename(&elsewhere, &here).unwrap();
    open(&folder);
    let expected = notes(&[("a.md", "new"), ("b.md", "new"), ("c.md", "c.md")]);
    assert_eq!(seen(&folder), (expected, 0));
}

#[test]
fn a_staged_file_that_was_altered_is_not_used() {
    let (folder, vault) = vault();
    interrupt(&vault, Direction::Forward, &[replace(&vault, "a.md"), replace(&vault, "b.md")], 0);
    let staging = vault.store.staging_name().unwrap();
    for entry in fs::read_dir(file(&folder, ".toolwrit").join(staging)).unwrap() {
        let path = entry.unwrap().path();
        fs::remove_file(&path).unwrap();
        fs::write(&path, "planted").unwrap();
    }
    open(&folder);
    let expected = notes(&[("a.md", "a.md"), ("b.md", "b.md"), ("c.md", "c.md")]);
    assert_eq!(seen(&folder), (expected, 0));
}

#[test]
fn a_record_with_an_invalid_path_is_refused() {
    let version = r#"{"inode":1,"size":1,"modified":null}"#;
    let staged = |name: &str| format!(r#"{{"name":"{name}","version":{version}}}"#);
    let rename = |from: &str, to: &str| {
        format!(r#"{{"rename":{{"from":"{from}","to":{to},"version":{version}}}}}"#)
    };
    let replace = |path: &str, new: &str| {
        let (new, old) = (staged(new), staged(".toolwrit-1-2.tmp-old"));
        format!(
            r#"{{"replace":{{"path":"{path}","old_version":{version},"new":{new},"old":{old}}}}}"#
        )
    };
    let parsed = |step: &str| serde_json::from_str::<Step>(step).is_ok();
    assert!(parsed(&rename("a.md", r#"{"vault":"b/c.md"}"#)));
    assert!(parsed(&rename("a.md", r#"{"trash":"b/c.md"}"#)));
    assert!(parsed(&replace("a.md", ".toolwrit-1-2.tmp")));
    for path in ["../a", "/etc/passwd", ".git/hooks/post-commit", "a/../../b", "a/.git/b", ""] {
        assert!(!parsed(&rename(path, r#"{"vault":"b.md"}"#)), "{path}");
        assert!(!parsed(&rename("a.md", &format!(r#"{{"vault":"{path}"}}"#))), "{path}");
        assert!(!parsed(&rename("a.md", &format!(r#"{{"trash":"{path}"}}"#))), "{path}");
        assert!(!parsed(&rename("a.md", &format!(r#"{{"staging":"{path}"}}"#))), "{path}");
        assert!(!parsed(&replace(path, ".toolwrit-1-2.tmp")), "{path}");
        assert!(!parsed(&replace("a.md", path)), "{path}");
        assert!(!parsed(&format!(r#"{{"dispose":{{"path":"{path}","version":{version}}}}}"#)));
    }
    for name in [".toolwrit-/../../x", ".toolwrit-1/x", "lock", ".gitignore", ".toolwrit-\0"] {
        assert!(StagedName::try_from(name.to_owned()).is_err(), "{name}");
    }
}
