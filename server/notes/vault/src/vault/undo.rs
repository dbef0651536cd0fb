//! Undoing what this server has changed, and restoring files from the trash.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::Vault;
use crate::changes::collected::{self, Author, ChangedFile, OldContent};
use crate::changes::history::{ChangeId, History, RecordedChange};
use crate::changes::journal::{Change, Creation, Destination, Replacement};
use crate::changes::lock::Writer;
use crate::changes::trash::{TrashPlace, TrashedFile, restore_from_desktop};
use crate::error::{Obstacle, Result, VaultError};
use crate::etag::Etag;
use crate::obsidian::settings::TrashOption;
use crate::path::VaultPath;
use crate::storage::atomic::FileVersion;
use crate::storage::root::{FileEntry, StoredFile};

/// Whose changes a caller may see and undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Authors {
    /// Everybody's.
    All,
    /// Those of one account.
    Only(String),
}

impl Authors {
    fn includes(&self, author: &Author) -> bool {
        match self {
            Self::All => true,
            Self::Only(principal) => author.principal == *principal,
        }
    }
}

/// Something that can be undone: what a call has changed, or a file in a trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEntry {
    /// By which it is undone.
    pub id: String,
    /// When, if that is known.
    pub at: Option<Timestamp>,
    /// Who did it; `None` for a file in a trash.
    pub author: Option<Author>,
    /// The files that it changed.
    pub paths: Vec<VaultPath>,
    /// Why it cannot be undone, if so.
    pub obstacle: Option<Obstacle>,
}

/// The outcome of an undo.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Undone {
    /// The files that are, or would be, as they were before, by their paths then.
    pub undone: Vec<VaultPath>,
    /// The files that stay as they are, and why.
    pub conflicts: Vec<(VaultPath, Obstacle)>,
}

impl Planned {
    fn creation(path: &VaultPath, bytes: &[u8]) -> Self {
        let creation = Creation { path: path.clone(), bytes: bytes.to_vec() };
        Self { content: Some(Change::Create(creation)), r#move: None }
    }
}

/// Whether an undo happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoMode {
    /// Only report what would be undone.
    DryRun,
    Undo,
}

/// How the change of a file is undone.
enum Inverse {
    Make(Box<Planned>),
    Restore { path: VaultPath, place: TrashPlace },
}

/// A file as a change left it.
enum Present {
    Read(Box<StoredFile>),
    /// It was only moved.
    Moved,
}

/// Steps of the one change that undoes most others: first the content at its present path, then the move.
struct Planned {
    content: Option<Change>,
    r#move: Option<Change>,
}

impl Vault {
    /// Runs work, and records what it changes on this thread, so that it can be undone. Returns the id of the record;
    /// `None` if nothing was changed or recorded.
    pub fn record<T>(&self, author: Author, work: impl FnOnce() -> T) -> (T, Option<ChangeId>) {
        let history = self.history();
        if !history.is_kept() {
            return (work(), None);
        }
        let (done, changed) = collected::collect(work);
        if changed.is_empty() {
            return (done, None);
        }
        let written = history.write(author, changed);
        let failed = |error: &_| tracing::warn!(%error, "a change cannot be undone, because it was not recorded");
        (done, written.inspect_err(failed).ok())
    }

    fn history(&self) -> History<'_> {
        History::new(self.store(), self.0.history)
    }

    /// What the servers of this user have changed in the vault, the last change first.
    ///
    /// # Errors
    /// `Io`.
    pub fn changes(&self, authors: &Authors) -> Result<Vec<HistoryEntry>> {
        let history = self.history();
        let mut entries = Vec::new();
        for id in history.ids().map_err(history_error)? {
            // A record that cannot be read is not one that this engine wrote.
            let Ok(Some(change)) = history.read(&id) else { continue };
            if !authors.includes(&change.author) {
                continue;
            }
            let is_lost = change.files.iter().all(|file| file.old == OldContent::Lost);
            entries.push(HistoryEntry {
                id: id.to_string(),
                at: Some(change.at),
                paths: change.files.iter().filter_map(ChangedFile::path).cloned().collect(),
                author: Some(change.author),
                obstacle: is_lost.then_some(Obstacle::Lost),
            });
        }
        Ok(entries)
    }

    /// The files in the vault's trash, and those in the trash of the user's desktop that were in the vault; those deleted
    /// last come first.
    pub fn trash(&self) -> Vec<HistoryEntry> {
        let mut files = self.root().list_trash();
        files.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| a.path.cmp(&b.path)));
        let entry = |file: TrashedFile| {
            let is_taken = self.is_taken(&file.path, None);
            HistoryEntry {
                id: file.place.to_string(),
                at: file.at,
                author: None,
                paths: vec![file.path],
                obstacle: is_taken.then_some(Obstacle::Taken),
            }
        };
        files.into_iter().map(entry).collect()
    }

    /// Undoes a change, or restores a file from a trash. Without an id, it undoes the last change. Files that have changed
    /// since stay as they are, and are reported. With `paths`, only these files of the change are considered.
    ///
    /// # Errors
    /// `NoSuchChange`; `Conflict` or `AlreadyExists` if none of the files can be undone; `Leased`, `NoJournal`, `ReadOnly`,
    /// `Busy`, `Io`.
    pub fn undo(
        &self,
        id: Option<&str>,
        paths: Option<&[VaultPath]>,
        authors: &Authors,
        mode: UndoMode,
    ) -> Result<Undone> {
        let writer = self.lock_writer()?;
        let (change, kept) = self.find_change(id, authors)?;
        let wanted = |file: &&ChangedFile| {
            paths.is_none_or(|paths| paths.iter().any(|path| file.has_path(path)))
        };
        if let Some(path) = paths.and_then(<[_]>::first)
            && !change.files.iter().any(|file| wanted(&file))
        {
            return Err(VaultError::NotFound { path: path.to_string(), similar: Vec::new() });
        }
        let (mut undone, mut plan) = (Undone::default(), Vec::new());
        let mut taken = BTreeSet::new();
        for file in change.files.iter().filter(wanted) {
            let Some(path) = file.path().cloned() else { continue };
            match self.plan_undo(file, &kept, &mut taken, mode)? {
                Ok(inverse) => {
                    undone.undone.push(path);
                    plan.push(inverse);
                }
                Err(obstacle) => undone.conflicts.push((path, obstacle)),
            }
        }
        if undone.undone.is_empty() {
            return Err(nothing_undone(undone.conflicts));
        }
        if mode == UndoMode::Undo {
            self.make_undo(&writer, plan, &mut undone)?;
        }
        Ok(undone)
    }

    /// The change with an id, or the last one, and its kept bytes. A file in a trash is a change of its own.
    fn find_change(
        &self,
        id: Option<&str>,
        authors: &Authors,
    ) -> Result<(RecordedChange, Vec<u8>)> {
        let history = self.history();
        if let Some(place) = id.and_then(TrashPlace::from_id) {
            let found = self.root().find_trashed(&place);
            let file = found.ok_or_else(|| no_such_change(id))?;
            return Ok((RecordedChange::of_trashed(file.path, place), Vec::new()));
        }
        let ids = match id {
            Some(id) => vec![ChangeId::parse(id).ok_or_else(|| no_such_change(Some(id)))?],
            None => history.ids().map_err(history_error)?,
        };
        for found in ids {
            // A record that cannot be read is nobody's. One whose content is damaged must not be passed over.
            let Ok(Some(change)) = history.read(&found) else { continue };
            if authors.includes(&change.author) {
                let change = history.read_with_content(&found).map_err(history_error)?;
                return change.ok_or_else(|| no_such_change(Some(&found.to_string())));
            }
        }
        Err(no_such_change(id))
    }

    /// How the change of a file is undone, or why it is not.
    fn plan_undo(
        &self,
        file: &ChangedFile,
        kept: &[u8],
        taken: &mut BTreeSet<String>,
        mode: UndoMode,
    ) -> Result<std::result::Result<Inverse, Obstacle>> {
        let present = match &file.after {
            Some(after) => match self.read_present(after, file) {
                Ok(present) => Some((after, present)),
                Err(obstacle) => return Ok(Err(obstacle)),
            },
            None => None,
        };
        if file.before != file.after
            && let Some(before) = &file.before
            && self.is_taken(before, file.after.as_ref())
        {
            return Ok(Err(Obstacle::Taken));
        }
        let old = match &file.old {
            OldContent::None | OldContent::Same => None,
            OldContent::Kept { start, length } => kept.get(*start..start + length),
            OldContent::Trash { place, version } => {
                let found = self.root().find_trashed(place);
                let is_it =
                    found.is_some_and(|found| version.is_none_or(|own| own == found.version));
                return Ok(match &file.before {
                    Some(path) if is_it => {
                        Ok(Inverse::Restore { path: path.clone(), place: place.clone() })
                    }
                    _ => Err(Obstacle::NotInTrash),
                });
            }
            OldContent::Lost => return Ok(Err(Obstacle::Lost)),
        };
        let planned = match (&file.before, present) {
            (Some(before), Some((after, present))) => give_back(before, after, present, old),
            // Finding a place in the trash would create folders there.
            (None, Some(_)) if mode == UndoMode::DryRun => Planned { content: None, r#move: None },
            (None, Some((after, present))) => self.remove_again(after, &present, taken)?,
            (Some(before), None) => match old {
                Some(old) => Planned::creation(before, old),
                None => return Ok(Err(Obstacle::Lost)),
            },
            (None, None) => return Ok(Err(Obstacle::Changed)),
        };
        Ok(Ok(Inverse::Make(Box::new(planned))))
    }

    /// Whether a path that a file is moved back to has another file. On a file system that ignores case, the file itself may
    /// be found there.
    fn is_taken(&self, before: &VaultPath, after: Option<&VaultPath>) -> bool {
        match self.root().find_exact(before) {
            Ok(None) => false,
            Ok(Some(entry)) => Some(&entry.path) != after,
            Err(_) => true,
        }
    }

    /// Moves away a file that a change created, as a deletion would.
    fn remove_again(
        &self,
        after: &VaultPath,
        present: &Present,
        taken: &mut BTreeSet<String>,
    ) -> Result<Planned> {
        let option = self.obsidian().trash;
        let (to, _) = self.place_deleted(after, taken.len(), option, taken)?;
        if option == TrashOption::None {
            taken.insert(after.to_string());
        }
        let version = match present {
            Present::Read(stored) => Some(FileVersion::from_metadata(&stored.metadata)),
            Present::Moved => None,
        };
        let away = Change::Rename { from: after.clone(), to, version };
        Ok(Planned { content: None, r#move: Some(away) })
    }

    /// The file that a change left at a path.
    fn read_present(
        &self,
        path: &VaultPath,
        file: &ChangedFile,
    ) -> std::result::Result<Present, Obstacle> {
        let Ok(Some(entry)) = self.root().find_exact(path) else { return Err(Obstacle::Changed) };
        let Some(etag) = &file.etag else { return Ok(Present::Moved) };
        let stored = entry.read().map_err(|_| Obstacle::Unreadable)?;
        if Etag::from_bytes(&stored.bytes).as_str() != etag {
            return Err(Obstacle::Changed);
        }
        Ok(Present::Read(Box::new(stored)))
    }

    /// Makes the changes of an undo. What the trash no longer gives is reported.
    fn make_undo(
        &self,
        writer: &Writer<'_>,
        plan: Vec<Inverse>,
        undone: &mut Undone,
    ) -> Result<()> {
        let (mut contents, mut moves) = (Vec::new(), Vec::new());
        let (mut local, mut desktop) = (Vec::new(), Vec::new());
        for inverse in plan {
            match inverse {
                Inverse::Make(planned) => {
                    contents.extend(planned.content);
                    moves.extend(planned.r#move);
                }
                Inverse::Restore { path, place: TrashPlace::Vault(trashed) } => {
                    local.push((path, trashed));
                }
                Inverse::Restore { path, place: TrashPlace::Desktop(name) } => {
                    desktop.push((path, name));
                }
            }
        }
        contents.append(&mut moves);
        for change in &contents {
            if let Some(path) = change.new_path() {
                self.root().entry_for_new(path)?;
            }
        }
        if !contents.is_empty() {
            writer.commit(self.root(), self.store(), &contents)?;
        }
        let mut stay = self.restore_local(writer, &local)?;
        for (path, name) in desktop {
            let restored = writer.report_change(&path).and_then(|()| {
                let entry = self.root().entry_for_new(&path)?;
                let restored = restore_from_desktop(&name, &entry);
                restored
                    .map_err(|error| VaultError::change_error("restore", path.as_str(), error))?;
                note_restored(&entry);
                Ok(())
            });
            if restored.is_err() {
                stay.push(path);
            }
        }
        undone.undone.retain(|path| !stay.contains(path));
        undone.conflicts.extend(stay.into_iter().map(|path| (path, Obstacle::NotRestored)));
        if undone.undone.is_empty() {
            return Err(nothing_undone(std::mem::take(&mut undone.conflicts)));
        }
        Ok(())
    }

    /// Moves files back from the vault's trash, and returns those that stay.
    fn restore_local(
        &self,
        writer: &Writer<'_>,
        files: &[(VaultPath, VaultPath)],
    ) -> Result<Vec<VaultPath>> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        for (path, _) in files {
            self.root().entry_for_new(path)?;
        }
        let stay = writer.restore(self.root(), self.store(), files)?;
        for (path, _) in files.iter().filter(|(path, _)| !stay.contains(path)) {
            if let Ok(Some(entry)) = self.root().find_exact(path) {
                note_restored(&entry);
            }
        }
        Ok(stay)
    }
}

/// Gives a file its old content, if that differs, and its old path.
fn give_back(
    before: &VaultPath,
    after: &VaultPath,
    present: Present,
    old: Option<&[u8]>,
) -> Planned {
    let content = match (old, present) {
        (Some(old), Present::Read(stored)) => {
            let (path, bytes) = (after.clone(), old.to_vec());
            Some(Change::Replace(Box::new(Replacement { path, old: *stored, bytes })))
        }
        _ => None,
    };
    let back = || {
        let to = Destination::Vault(before.clone());
        Change::Rename { from: after.clone(), to, version: None }
    };
    Planned { content, r#move: (before != after).then(back) }
}

/// Notes that a file is back from a trash.
fn note_restored(entry: &FileEntry) {
    if let Ok(stored) = entry.read() {
        collected::note_created(&entry.path, &stored.bytes);
    }
}

/// The error if no file can be undone.
fn nothing_undone(conflicts: Vec<(VaultPath, Obstacle)>) -> VaultError {
    match conflicts.into_iter().next() {
        Some((path, Obstacle::Taken)) => VaultError::AlreadyExists { path },
        Some((path, obstacle)) => VaultError::NotUndone { path, obstacle },
        None => VaultError::NoSuchChange { id: None },
    }
}

fn no_such_change(id: Option<&str>) -> VaultError {
    VaultError::NoSuchChange { id: id.map(str::to_owned) }
}

fn history_error(error: std::io::Error) -> VaultError {
    VaultError::read_error("read", "the record of changes", error)
}
