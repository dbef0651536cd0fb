//! Several files changed as one.
//!
//! The new bytes are staged and synced together first. Then a record of all steps is put into
//! `.toolwrit/journal.json` with one rename: from there on the change has happened, even if the
//! process dies, because whoever takes the write lock next finishes what the record says. A step that
//! cannot be made turns the record into one of taking back, which is finished in the same way.
//!
//! The bytes before a replacement are kept by a second name until the end. A file that another
//! program has changed since is left as that program wrote it.

mod record;

use std::io;

use cap_std::fs::Dir;

use crate::atomic::{Unsynced, Version, stage, stage_unsynced, sync_folder};
use crate::error::{Result, VaultError};
use crate::etag::Etag;
use crate::lock::{Writer, sweep};
use crate::path::VaultPath;
use crate::root::{Place, Root, Stored, write_error};
use record::{Direction, Done, Record, Step};

const JOURNAL: &str = "journal.json";

/// One of several changes.
pub(crate) enum Change {
    Replace(Box<Replacement>),
    /// Another place for a file. `to` is a path from the root, whose folders exist; hidden ones too.
    Rename {
        from: Place,
        to: String,
    },
}

/// Other bytes in an existing file, which was read as `old`.
pub(crate) struct Replacement {
    pub(crate) place: Place,
    pub(crate) old: Stored,
    pub(crate) bytes: Vec<u8>,
}

impl Writer<'_> {
    /// Makes all of the changes, in their order, or none.
    ///
    /// # Errors
    /// `Conflict` if a file is no longer what it was read as, `AlreadyExists` if a place is taken,
    /// `ReadOnly`, `Io`. Nothing is changed then.
    pub(crate) fn commit(&self, root: &Root, changes: &[Change]) -> Result<()> {
        if let [change @ Change::Rename { .. }] = changes {
            // One rename happens or does not: it needs no record.
            let step = self.prepare(change, &mut Unsynced::default())?;
            let record = Record { direction: Direction::Forward, steps: vec![step] };
            return match record.steps[0].redo(root, &self.staging) {
                Ok(Done::Made | Done::Stands) => {
                    self.follow(changes);
                    record.sync(root).map_err(|error| change.failed(error))
                }
                Ok(Done::Prevented) => Err(change.prevented(root)),
                Err(error) => Err(change.failed(error)),
            };
        }
        let mut steps = Vec::with_capacity(changes.len());
        let mut unsynced = Unsynced::default();
        let prepared = changes.iter().try_for_each(|change| {
            steps.push(self.prepare(change, &mut unsynced)?);
            Ok(())
        });
        let mut record = Record { direction: Direction::Forward, steps };
        let recorded = prepared.and_then(|()| {
            let synced = unsynced.sync().and_then(|()| sync_folder(&self.staging));
            let recorded = synced.and_then(|()| self.record(&record));
            recorded.map_err(|error| VaultError::change("record a change in", JOURNAL, error))
        });
        if let Err(error) = recorded {
            record.sweep(&self.staging);
            return Err(error);
        }
        for (step, change) in record.steps.iter().zip(changes) {
            let failed = match step.redo(root, &self.staging) {
                Ok(Done::Made | Done::Stands) => continue,
                Ok(Done::Prevented) => change.prevented(root),
                Err(error) => change.failed(error),
            };
            record.direction = Direction::Back;
            // Without a record of it, a dying process would leave both directions mixed.
            let back = self.record(&record).and_then(|()| record.finish(root, &self.staging));
            let back = back.and_then(|()| self.forget(&record));
            return Err(back.map_or_else(interrupted, |()| failed));
        }
        self.follow(changes);
        record.sync(root).and_then(|()| self.forget(&record)).map_err(interrupted)
    }

    /// Lets the index follow the renames, which are made.
    fn follow(&self, changes: &[Change]) {
        for change in changes {
            if let Change::Rename { from, to } = change
                && let Ok(to) = VaultPath::parse(to)
            {
                self.moves(&from.path, &to);
            }
        }
    }

    /// Puts on record that files are about to be thrown away, each as it is now. From here on the
    /// caller throws them away, or else whoever takes the write lock next.
    ///
    /// # Errors
    /// `ReadOnly`, `Io`.
    pub(crate) fn intend_disposal(&self, places: &[Place]) -> Result<()> {
        let step = |place: &Place| {
            let version = Version::of(&place.folder.symlink_metadata(place.path.name())?);
            Ok(Step::Dispose { path: place.path.to_string(), version })
        };
        let steps = places.iter().map(step).collect::<io::Result<_>>();
        let record = steps.map(|steps| Record { direction: Direction::Forward, steps });
        let recorded = record.and_then(|record| self.record(&record));
        recorded.map_err(|error| VaultError::change("record a change in", JOURNAL, error))
    }

    /// Ends what [`intend_disposal`](Self::intend_disposal) began.
    ///
    /// # Errors
    /// `ReadOnly`, `Io`.
    pub(crate) fn end_disposal(&self) -> Result<()> {
        let forgotten = self.state.remove_file(JOURNAL).and_then(|()| sync_folder(&self.state));
        forgotten.map_err(interrupted)
    }

    /// Finishes the change that a killed writer has left, if there is one.
    ///
    /// # Errors
    /// `ReadOnly`, `Io`: the record stays, and nothing else can be changed before.
    pub(crate) fn recover(&self, root: &Root) -> Result<()> {
        recover(root, &self.state, &self.staging).map_err(interrupted)
    }

    /// Stages what a change needs.
    fn prepare(&self, change: &Change, unsynced: &mut Unsynced) -> Result<Step> {
        match change {
            Change::Replace(replacement) => {
                let Replacement { place, old, bytes } = &**replacement;
                if old.metadata.permissions().readonly() {
                    let path = place.path.to_string();
                    let reason = "the file is marked read-only";
                    return Err(VaultError::ReadOnly { path, reason });
                }
                self.changes(&place.path);
                let staged = self.stage_both(place, old, bytes, unsynced);
                staged.map_err(|error| write_error(&place.path, error))
            }
            Change::Rename { from, to } => {
                self.changes(&from.path);
                if let Ok(to) = VaultPath::parse(to) {
                    self.changes(&to);
                }
                Ok(Step::Rename { from: from.path.to_string(), to: to.clone() })
            }
        }
    }

    /// Stages the new bytes, and a second name for the old ones.
    fn stage_both(
        &self,
        place: &Place,
        old: &Stored,
        bytes: &[u8],
        unsynced: &mut Unsynced,
    ) -> io::Result<Step> {
        let (new, file) = stage_unsynced(&self.staging, bytes, Some(&old.metadata))?;
        place.give_extended(&file);
        unsynced.add(file)?;
        let new_version = Version::of(&self.staging.symlink_metadata(&new)?);
        let kept = format!("{new}-old");
        let linked = place.folder.hard_link(place.path.name(), &self.staging, &kept);
        if linked.is_err() {
            // A file system without hard links.
            let copy = stage(&self.staging, &old.bytes, Some(&old.metadata))?;
            self.staging.rename(copy, &self.staging, &kept)?;
        }
        Ok(Step::Replace {
            path: place.path.to_string(),
            new,
            new_version,
            old: kept,
            old_version: Version::of(&old.metadata),
        })
    }

    /// Puts the record into place; from then on it counts.
    fn record(&self, record: &Record) -> io::Result<()> {
        let text = serde_json::to_vec(record)?;
        let staged = stage(&self.staging, &text, None)?;
        self.staging.rename(staged, &self.state, JOURNAL)?;
        sync_folder(&self.state)
    }

    /// Takes the record away, because all that it says is done.
    fn forget(&self, record: &Record) -> io::Result<()> {
        self.state.remove_file(JOURNAL)?;
        sync_folder(&self.state)?;
        record.sweep(&self.staging);
        Ok(())
    }
}

/// Finishes the change that is on record, if there is one. The caller holds the write lock.
pub(crate) fn recover(root: &Root, state: &Dir, staging: &Dir) -> io::Result<()> {
    let text = match state.read(JOURNAL) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        read => read?,
    };
    let record: Record = serde_json::from_slice(&text)?;
    record.check()?;
    record.finish(root, staging)?;
    state.remove_file(JOURNAL)?;
    sync_folder(state)?;
    sweep(staging);
    Ok(())
}

fn interrupted(error: io::Error) -> VaultError {
    let doing = "finish the interrupted change that is recorded in";
    VaultError::change(doing, ".toolwrit/journal.json", error)
}

impl Change {
    /// Why a step could not be made: another program was faster.
    fn prevented(&self, root: &Root) -> VaultError {
        match self {
            Self::Replace(replacement) => match replacement.place.read() {
                Ok(now) => {
                    let current = Etag::of(&now.bytes);
                    VaultError::Conflict { path: replacement.place.path.clone(), current }
                }
                Err(error) => error,
            },
            Self::Rename { from, to } => match VaultPath::parse(to) {
                Ok(path) if matches!(root.find_exact(&path), Ok(Some(_))) => {
                    VaultError::AlreadyExists { path }
                }
                _ => root.not_found(&from.path),
            },
        }
    }

    fn failed(&self, error: io::Error) -> VaultError {
        match self {
            Self::Replace(replacement) => write_error(&replacement.place.path, error),
            Self::Rename { to, .. } => VaultError::change("move to", to, error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::Vault;

    fn vault() -> (TempDir, Vault) {
        let folder = TempDir::new().unwrap();
        for name in ["a.md", "b.md", "c.md"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        let vault = Vault::open(folder.path()).unwrap();
        (folder, vault)
    }

    fn place(vault: &Vault, name: &str) -> Place {
        vault.root().existing(&VaultPath::parse(name).unwrap()).unwrap()
    }

    fn replace(vault: &Vault, name: &str) -> Change {
        let place = place(vault, name);
        let old = place.read().unwrap();
        Change::Replace(Box::new(Replacement { place, old, bytes: b"new".to_vec() }))
    }

    fn rename(vault: &Vault, from: &str, to: &str) -> Change {
        Change::Rename { from: place(vault, from), to: to.to_owned() }
    }

    /// The names and contents of the notes, and how many files the engine has left behind.
    fn seen(folder: &TempDir) -> (Vec<(String, String)>, usize) {
        let read = |entry: fs::DirEntry| {
            let text = fs::read_to_string(entry.path()).ok()?;
            Some((entry.file_name().into_string().ok()?, text))
        };
        let entries = fs::read_dir(folder.path()).unwrap().map(Result::unwrap);
        let mut notes: Vec<_> = entries.filter_map(read).collect();
        notes.sort();
        let state = folder.path().join(".toolwrit");
        let journal = usize::from(state.join(JOURNAL).exists());
        (notes, journal + fs::read_dir(state.join("tmp")).unwrap().count())
    }

    fn notes(notes: &[(&str, &str)]) -> Vec<(String, String)> {
        notes.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn all_of_a_change_happens() {
        let (folder, vault) = vault();
        let changes =
            [replace(&vault, "a.md"), replace(&vault, "b.md"), rename(&vault, "a.md", "d.md")];
        vault.writer().unwrap().commit(vault.root(), &changes).unwrap();
        let expected = notes(&[("b.md", "new"), ("c.md", "c.md"), ("d.md", "new")]);
        assert_eq!(seen(&folder), (expected, 0));
    }

    #[test]
    fn a_step_that_another_program_prevents_takes_the_others_back() {
        let before = [("a.md", "a.md"), ("b.md", "other"), ("c.md", "c.md")];
        let (folder, vault) = vault();
        let changes =
            [replace(&vault, "a.md"), rename(&vault, "c.md", "d.md"), replace(&vault, "b.md")];
        fs::write(folder.path().join("b.md"), "other").unwrap();
        let result = vault.writer().unwrap().commit(vault.root(), &changes);
        assert!(matches!(result, Err(VaultError::Conflict { .. })), "{result:?}");
        assert_eq!(seen(&folder), (notes(&before), 0));

        let changes = [replace(&vault, "a.md"), rename(&vault, "c.md", "b.md")];
        let result = vault.writer().unwrap().commit(vault.root(), &changes);
        assert!(matches!(result, Err(VaultError::AlreadyExists { .. })), "{result:?}");
        assert_eq!(seen(&folder), (notes(&before), 0));
    }

    #[test]
    fn what_is_on_record_is_finished_in_its_direction_by_the_next_writer_or_start() {
        for (direction, made, next_start) in [
            (Direction::Forward, 0, true),
            (Direction::Forward, 1, false),
            (Direction::Back, 1, true),
            (Direction::Back, 2, false),
        ] {
            let (folder, vault) = vault();
            let changes = [replace(&vault, "a.md"), rename(&vault, "b.md", "d.md")];
            let writer = vault.writer().unwrap();
            let steps = changes
                .iter()
                .map(|change| writer.prepare(change, &mut Unsynced::default()).unwrap())
                .collect();
            let record = Record { direction, steps };
            writer.record(&record).unwrap();
            for step in &record.steps[..made] {
                assert_eq!(step.redo(vault.root(), &writer.staging).unwrap(), Done::Made);
            }
            drop(writer);
            if next_start {
                Vault::open(folder.path()).unwrap();
            } else {
                drop(vault.writer().unwrap());
            }
            let expected = match direction {
                Direction::Forward => notes(&[("a.md", "new"), ("c.md", "c.md"), ("d.md", "b.md")]),
                Direction::Back => notes(&[("a.md", "a.md"), ("b.md", "b.md"), ("c.md", "c.md")]),
            };
            assert_eq!(seen(&folder), (expected, 0), "{direction:?} {made}");
        }
    }

    #[test]
    fn an_edit_made_after_the_crash_stays() {
        let (folder, vault) = vault();
        let changes = [replace(&vault, "a.md"), replace(&vault, "b.md")];
        let writer = vault.writer().unwrap();
        let steps = changes
            .iter()
            .map(|change| writer.prepare(change, &mut Unsynced::default()).unwrap())
            .collect();
        writer.record(&Record { direction: Direction::Forward, steps }).unwrap();
        drop(writer);
        fs::write(folder.path().join("a.md"), "edited").unwrap();
        Vault::open(folder.path()).unwrap();
        let expected = notes(&[("a.md", "edited"), ("b.md", "new"), ("c.md", "c.md")]);
        assert_eq!(seen(&folder), (expected, 0));
    }

    #[test]
    fn a_folder_that_is_gone_after_the_crash_stops_nobody() {
        for direction in [Direction::Forward, Direction::Back] {
            let (folder, vault) = vault();
            fs::create_dir(folder.path().join("Gone")).unwrap();
            fs::write(folder.path().join("Gone/d.md"), "d").unwrap();
            let changes = [
                replace(&vault, "Gone/d.md"),
                rename(&vault, "a.md", "Gone/a.md"),
                replace(&vault, "b.md"),
            ];
            let writer = vault.writer().unwrap();
            let steps = changes
                .iter()
                .map(|change| writer.prepare(change, &mut Unsynced::default()).unwrap())
                .collect();
            let record = Record { direction, steps };
            writer.record(&record).unwrap();
            drop(writer);
            fs::remove_dir_all(folder.path().join("Gone")).unwrap();
            drop(vault.writer().unwrap());
            let b = if direction == Direction::Forward { "new" } else { "b.md" };
            let expected = notes(&[("a.md", "a.md"), ("b.md", b), ("c.md", "c.md")]);
            assert_eq!(seen(&folder), (expected, 0), "{direction:?}");
        }
    }

    #[test]
    fn a_record_that_leads_elsewhere_or_is_none_changes_nothing() {
        let (folder, vault) = vault();
        drop(vault.writer().unwrap());
        let before = seen(&folder).0;
        for text in [
            r#"{"direction":"forward","steps":[{"rename":{"from":"a.md","to":"../a.md"}}]}"#,
            r#"{"direction":"forward","steps":[{"rename":{"from":"/etc/passwd","to":"x.md"}}]}"#,
            "{",
        ] {
            fs::write(folder.path().join(".toolwrit").join(JOURNAL), text).unwrap();
            let opened = Vault::open(folder.path()).unwrap();
            assert!(opened.read(&VaultPath::parse("a").unwrap(), None).is_ok(), "reading goes on");
            let error = opened.writer().map(drop).unwrap_err().to_string();
            assert!(error.contains(".toolwrit/journal.json"), "{error}");
            assert_eq!(seen(&folder).0, before);
        }
    }
}
