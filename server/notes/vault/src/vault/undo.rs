//! Undoing what this server has changed, and restoring files from the trash.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::Vault;
use crate::changes::history::{
    self, Author, ChangeId, ChangedFile, History, OldContent, RecordedChange, TrashPlace,
};
use crate::changes::journal::{Change, Creation, Destination, Replacement};
use crate::changes::lock::Writer;
use crate::changes::trash::TrashedFile;
use crate::error::{Result, VaultError};
use crate::etag::Etag;
use crate::obsidian::settings::TrashOption;
use crate::path::VaultPath;
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
    pub obstacle: Option<String>,
}

/// The outcome of an undo.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Undone {
    /// The files that are, or would be, as they were before, by their paths then.
    pub undone: Vec<VaultPath>,
    /// The files that stay as they are, and why.
    pub conflicts: Vec<(VaultPath, String)>,
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
#[derive(Default)]
struct Planned {
    content: Option<Change>,
    r#move: Option<Change>,
}

const CHANGED: &str = "it has changed since";
const TAKEN: &str = "there is another file at this path";
const LOST: &str = "its old content was too large to be kept";
const NOT_IN_TRASH: &str = "it is no longer in the trash";

impl Vault {
    /// Runs work, and records what it changes on this thread, so that it can be undone. Returns the id of the record;
    /// `None` if nothing was changed or recorded.
    pub fn record<T>(&self, author: Author, work: impl FnOnce() -> T) -> (T, Option<ChangeId>) {
        let history = self.history();
        if !history.is_kept() {
            return (work(), None);
        }
        let (done, changed) = history::collect(work);
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
            let lost = change.files.iter().filter(|file| file.old == OldContent::Lost).count();
            let all = change.files.len();
            let obstacle = (lost == all).then(|| format!("{LOST} ({lost} of {all} files)"));
            entries.push(HistoryEntry {
                id: id.to_string(),
                at: Some(change.at),
                paths: change.files.iter().filter_map(ChangedFile::path).cloned().collect(),
                author: Some(change.author),
                obstacle,
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
            let taken = matches!(self.root().find_exact(&file.path), Ok(Some(_)) | Err(_));
            HistoryEntry {
                id: file.place.to_string(),
                at: file.at,
                author: None,
                paths: vec![file.path],
                obstacle: taken.then(|| TAKEN.to_owned()),
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
        let (mut undone, mut plan) = (Undone::default(), Vec::new());
        let mut taken = BTreeSet::new();
        for file in change.files.iter().filter(wanted) {
            let Some(path) = file.path().cloned() else { continue };
            match self.plan_undo(file, &kept, &mut taken)? {
                Ok(inverse) => {
                    undone.undone.push(path);
                    plan.push(inverse);
                }
                Err(reason) => undone.conflicts.push((path, reason.to_owned())),
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
            let change = history.read_with_content(&found).map_err(history_error)?;
            if let Some(change) = change.filter(|(change, _)| authors.includes(&change.author)) {
                return Ok(change);
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
    ) -> Result<std::result::Result<Inverse, &'static str>> {
        let root = self.root();
        let present = match &file.after {
            Some(after) => match self.read_present(after, file)? {
                Some(stored) => Some((after, stored)),
                None => return Ok(Err(CHANGED)),
            },
            None => None,
        };
        if let Some(before) =
            file.before.as_ref().filter(|before| file.after.as_ref() != Some(before))
            && !matches!(root.find_exact(before), Ok(None))
        {
            return Ok(Err(TAKEN));
        }
        let old = match &file.old {
            OldContent::Kept { start, length } => kept.get(*start..start + length),
            _ => None,
        };
        let mut planned = Planned::default();
        match (&file.before, present, &file.old) {
            (_, _, OldContent::Lost) => return Ok(Err(LOST)),
            (Some(before), None, OldContent::Trash(place)) => {
                if root.find_trashed(place).is_none() {
                    return Ok(Err(NOT_IN_TRASH));
                }
                let place = place.clone();
                return Ok(Ok(Inverse::Restore { path: before.clone(), place }));
            }
            (Some(before), None, _) => {
                let Some(old) = old else { return Ok(Err(LOST)) };
                let creation = Creation { path: before.clone(), bytes: old.to_vec() };
                planned.content = Some(Change::Create(creation));
            }
            (None, Some((after, _)), _) => {
                let option = self.obsidian().trash;
                let (to, _) = self.place_deleted(after, taken.len(), option, taken)?;
                if option == TrashOption::None {
                    taken.insert(after.to_string());
                }
                planned.r#move = Some(Change::Rename { from: after.clone(), to, version: None });
            }
            (Some(before), Some((after, stored)), _) => {
                if let (Some(old), Present::Read(stored)) = (old, stored) {
                    let (path, bytes) = (after.clone(), old.to_vec());
                    let replacement = Replacement { path, old: *stored, bytes };
                    planned.content = Some(Change::Replace(Box::new(replacement)));
                }
                if before != after {
                    let to = Destination::Vault(before.clone());
                    planned.r#move =
                        Some(Change::Rename { from: after.clone(), to, version: None });
                }
            }
            (None, None, _) => return Ok(Err(CHANGED)),
        }
        Ok(Ok(Inverse::Make(Box::new(planned))))
    }

    /// The file that a change left at a path; `None` if it has changed since.
    fn read_present(&self, path: &VaultPath, file: &ChangedFile) -> Result<Option<Present>> {
        let Ok(Some(entry)) = self.root().find_exact(path) else { return Ok(None) };
        let Some(etag) = &file.etag else { return Ok(Some(Present::Moved)) };
        let stored = entry.read()?;
        let is_unchanged = Etag::from_bytes(&stored.bytes).as_str() == etag;
        Ok(is_unchanged.then(|| Present::Read(Box::new(stored))))
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
            writer.report_change(&path)?;
            let entry = self.root().entry_for_new(&path)?;
            match self.root().restore_from_desktop(&name, &entry) {
                Ok(()) => note_restored(&entry),
                Err(_) => stay.push(path),
            }
        }
        undone.undone.retain(|path| !stay.contains(path));
        let reason = |path| (path, NOT_IN_TRASH.to_owned());
        undone.conflicts.extend(stay.into_iter().map(reason));
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

/// Notes that a file is back from a trash.
fn note_restored(entry: &FileEntry) {
    if let Ok(stored) = entry.read() {
        history::note_created(&entry.path, &stored.bytes);
    }
}

/// The error if no file can be undone.
fn nothing_undone(conflicts: Vec<(VaultPath, String)>) -> VaultError {
    match conflicts.into_iter().next() {
        Some((path, reason)) if reason == TAKEN => VaultError::AlreadyExists { path },
        Some((path, reason)) => VaultError::NotUndone { path, reason },
        None => VaultError::NoSuchChange { id: None },
    }
}

fn no_such_change(id: Option<&str>) -> VaultError {
    VaultError::NoSuchChange { id: id.map(str::to_owned) }
}

fn history_error(error: std::io::Error) -> VaultError {
    VaultError::read_error("read", "the record of changes", error)
}
