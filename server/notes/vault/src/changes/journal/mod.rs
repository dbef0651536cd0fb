//! Changes of several files as one.
//!
//! The new bytes are staged and synced together first. Then a record of all steps is put into the
//! [`store`] outside the vault, with one rename. From then on the change counts as made: if the
//! process dies, the next one to take the write lock finishes the recorded steps. If a step cannot
//! be applied, the record is replaced by one that undoes all steps, which is finished in the same
//! way.
//!
//! A second name keeps the old bytes of a replaced file until the end. A file that another program
//! has changed since stays as that program wrote it.

mod interruptions;
mod record;
mod store;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io;

use cap_std::fs::Dir;

use super::collected::{self, KEPT_DELETED, MOST_BYTES};
use super::lock::{Writer, lock_if_free, sweep};
use super::trash::{LOCAL_TRASH, TrashPlace};
use crate::error::{Result, VaultError};
use crate::path::VaultPath;
use crate::storage::atomic::{FileVersion, Unsynced, stage, stage_unsynced, sync_folder};
use crate::storage::root::{FileEntry, StoredFile, VaultRoot, write_error};
use record::{Direction, JournalRecord, Scene, Staged, Step, StepOutcome};
use store::{OpenStore, RecordState};

pub use interruptions::Interruptions;
pub(crate) use record::{Destination, StagedName};
pub(crate) use store::Store;

/// The name of the record in messages.
const JOURNAL: &str = "journal";

/// One of several changes.
pub(crate) enum Change {
    Replace(Box<Replacement>),
    /// Creates a file in a folder that exists.
    Create(Creation),
    /// Moves a file to a path whose folder exists.
    Rename {
        from: VaultPath,
        to: Destination,
        /// The expected version; `None` for the current one.
        version: Option<FileVersion>,
    },
}

/// New bytes for an existing file, which was read as `old`. A change has no open folder, because there may be more changes
/// than the system lets a process open.
pub(crate) struct Replacement {
    pub(crate) path: VaultPath,
    pub(crate) old: StoredFile,
    pub(crate) bytes: Vec<u8>,
}

/// A new file.
pub(crate) struct Creation {
    pub(crate) path: VaultPath,
    pub(crate) bytes: Vec<u8>,
}

impl Writer<'_> {
    /// Makes all of the changes, in order, or none of them.
    ///
    /// # Errors
    /// `Conflict` if a file has changed since it was read, `AlreadyExists` if a path is taken,
    /// `NoJournal` if several changes cannot be recorded, `ReadOnly`, `Io`. Nothing is changed then.
    pub(crate) fn commit(&self, root: &VaultRoot, store: &Store, changes: &[Change]) -> Result<()> {
        let gone = read_gone(root, changes);
        self.make(root, store, changes)?;
        note_changes(changes, &gone);
        Ok(())
    }

    fn make(&self, root: &VaultRoot, store: &Store, changes: &[Change]) -> Result<()> {
        if let [change @ Change::Rename { .. }] = changes {
            return self.rename(root, change);
        }
        let open = open_store(store)?;
        let record_error = |error| VaultError::change_error("record a change in", JOURNAL, error);
        let staging = open.staging(&self.state).map_err(record_error)?;
        let scene = Scene { root, staging: &staging };
        let mut record = JournalRecord { direction: Direction::Forward, steps: Vec::new() };
        let mut unsynced = Unsynced::default();
        let prepared = changes.iter().try_for_each(|change| {
            let step = self.stage_change(change, &record.steps, scene, &mut unsynced)?;
            record.steps.push(step);
            Ok(())
        });
        let recorded = prepared.and_then(|()| {
            let synced = unsynced.sync().and_then(|()| sync_folder(&staging));
            synced.and_then(|()| open.put(store, &record)).map_err(record_error)
        });
        if let Err(error) = recorded {
            record.sweep(&staging);
            return Err(error);
        }
        for (step, change) in record.steps.iter().zip(changes) {
            let failed = match step.apply(scene) {
                Ok(StepOutcome::Applied | StepOutcome::AlreadyApplied) => continue,
                Ok(StepOutcome::Blocked) => change.blocked_error(root),
                Err(error) => change.io_error(error),
            };
            record.direction = Direction::Back;
            // Record it, because a process that dies meanwhile would leave some steps applied.
            let back = open.put(store, &record).and_then(|()| record.finish(scene));
            back.and_then(|_| open.forget()).map_err(recovery_error)?;
            record.sweep(&staging);
            return Err(failed);
        }
        self.report_moves(changes);
        record.sync(scene).and_then(|()| open.forget()).map_err(recovery_error)?;
        record.sweep(&staging);
        Ok(())
    }

    /// A single rename is atomic, so it needs no record.
    fn rename(&self, root: &VaultRoot, change: &Change) -> Result<()> {
        let scene = Scene { root, staging: &self.staging };
        let step = self.stage_change(change, &[], scene, &mut Unsynced::default())?;
        let record = JournalRecord { direction: Direction::Forward, steps: vec![step] };
        match record.steps[0].apply(scene) {
            Ok(StepOutcome::Applied | StepOutcome::AlreadyApplied) => {
                self.report_moves(std::slice::from_ref(change));
                record.sync(scene).map_err(|error| change.io_error(error))?;
                record.sweep(&self.staging);
                Ok(())
            }
            Ok(StepOutcome::Blocked) => Err(change.blocked_error(root)),
            Err(error) => Err(change.io_error(error)),
        }
    }

    /// Reports the completed renames to the index.
    fn report_moves(&self, changes: &[Change]) {
        for change in changes {
            if let Change::Rename { from, to: Destination::Vault(to), .. } = change {
                self.report_move(from, to);
            }
        }
    }

    /// Moves files from the vault's trash back to their paths, whose folders exist, as one change. Returns those that stay
    /// because other programs have taken their paths or changed them.
    ///
    /// # Errors
    /// `NoJournal`, `ReadOnly`, `Io`.
    pub(crate) fn restore(
        &self,
        root: &VaultRoot,
        store: &Store,
        files: &[(VaultPath, VaultPath)],
    ) -> Result<Vec<VaultPath>> {
        let open = open_store(store)?;
        let record_error = |error| VaultError::change_error("record a change in", JOURNAL, error);
        let staging = open.staging(&self.state).map_err(record_error)?;
        let scene = Scene { root, staging: &staging };
        let mut record = JournalRecord { direction: Direction::Back, steps: Vec::new() };
        for (path, trashed) in files {
            self.report_change(path)?;
            let to = Destination::Trash(trashed.clone());
            let version = to.version(scene).map_err(|error| write_error(path, error))?;
            record.steps.push(Step::Rename { from: path.clone(), to, version });
        }
        open.put(store, &record).map_err(record_error)?;
        let restored = record.finish(scene);
        if restored.is_err() {
            // Take back what was restored. A file is whole at either path, so a record that stays would only be in the way.
            record.direction = Direction::Forward;
            let _ = record.finish(scene);
        }
        open.forget().map_err(recovery_error)?;
        restored.map_err(|error| VaultError::change_error("restore", LOCAL_TRASH, error))
    }

    /// Finishes the change that a killed writer left, if there is one.
    ///
    /// # Errors
    /// `ReadOnly`, `Io`. The record stays, and no other change is possible until it is finished.
    pub(crate) fn recover(&self, root: &VaultRoot, store: &Store) -> Result<()> {
        recover(root, store, &self.state).map_err(recovery_error)
    }

    /// Stages the files of a change that follows some other steps.
    fn stage_change(
        &self,
        change: &Change,
        before: &[Step],
        scene: Scene<'_>,
        unsynced: &mut Unsynced,
    ) -> Result<Step> {
        match change {
            Change::Replace(replacement) => {
                let Replacement { path, old, bytes } = &**replacement;
                if old.metadata.permissions().readonly() {
                    let path = path.to_string();
                    let reason = "the file is marked read-only";
                    return Err(VaultError::ReadOnly { path, reason });
                }
                self.report_change(path)?;
                let entry = &scene.root.find_existing(path)?;
                let staged = stage_both(scene.staging, entry, (old, bytes), unsynced);
                staged.map_err(|error| write_error(&entry.path, error))
            }
            Change::Create(Creation { path, bytes }) => {
                self.report_change(path)?;
                let staged = stage_new(scene.staging, bytes, unsynced);
                let new = staged.map_err(|error| write_error(path, error))?;
                Ok(Step::Create { path: path.clone(), new })
            }
            Change::Rename { from, to, version } => {
                self.report_change(from)?;
                if let Destination::Vault(to) = to {
                    self.report_change(to)?;
                }
                let replaced = before.iter().find_map(|step| match step {
                    Step::Replace { path, new, .. } if path == from => Some(new.version),
                    _ => None,
                });
                let version = if let Some(version) = replaced.or(*version) {
                    version
                } else {
                    let version = scene.root.find_existing(from)?.version()?;
                    version.ok_or_else(|| scene.root.not_found_error(from))?
                };
                Ok(Step::Rename { from: from.clone(), to: to.clone(), version })
            }
        }
    }
}

/// Notes changes that were made as one. `gone` has the bytes of files that were deleted permanently.
fn note_changes(changes: &[Change], gone: &HashMap<VaultPath, Vec<u8>>) {
    for change in changes {
        match change {
            Change::Replace(replaced) => {
                collected::note_replaced(
                    &replaced.path,
                    Some(replaced.old.bytes.as_slice().into()),
                    &replaced.bytes,
                );
            }
            Change::Create(Creation { path, bytes }) => collected::note_created(path, bytes),
            Change::Rename { from, to: Destination::Vault(to), .. } => {
                collected::note_moved(from, to);
            }
            Change::Rename { from, to: Destination::Trash(path), version } => {
                collected::note_trashed(from, TrashPlace::Vault(path.clone()), *version);
            }
            Change::Rename { from, to: Destination::Staging(_), .. } => {
                collected::note_gone(from, gone.get(from).map(|bytes| bytes.as_slice().into()));
            }
        }
    }
}

/// The bytes of the files that will be deleted permanently, if changes are collected.
fn read_gone(root: &VaultRoot, changes: &[Change]) -> HashMap<VaultPath, Vec<u8>> {
    if !collected::is_collecting() {
        return HashMap::new();
    }
    let mut gone = HashMap::new();
    let mut bytes = 0;
    for change in changes {
        let Change::Rename { from, to: Destination::Staging(_), .. } = change else { continue };
        let Ok(Some(entry)) = root.find_exact(from) else { continue };
        let Some(old) = entry.read_small(KEPT_DELETED) else { continue };
        bytes += old.len();
        if bytes > MOST_BYTES {
            break;
        }
        gone.insert(from.clone(), old);
    }
    gone
}

/// Stages the bytes of a new file.
fn stage_new(staging: &Dir, bytes: &[u8], unsynced: &mut Unsynced) -> io::Result<Staged> {
    let (name, file) = stage_unsynced(staging, bytes, None)?;
    unsynced.add(file)?;
    Staged::read(staging, name)
}

/// Stages the new bytes, and keeps the old ones under a second name.
fn stage_both(
    staging: &Dir,
    entry: &FileEntry,
    (old, bytes): (&StoredFile, &[u8]),
    unsynced: &mut Unsynced,
) -> io::Result<Step> {
    let (new, file) = stage_unsynced(staging, bytes, Some(&old.metadata))?;
    entry.copy_extended_to(&file);
    unsynced.add(file)?;
    let kept = format!("{new}-old");
    let linked = entry.folder.hard_link(entry.path.name(), staging, &kept);
    if linked.is_err() {
        // The file system has no hard links.
        let copy = stage(staging, &old.bytes, Some(&old.metadata))?;
        staging.rename(copy, staging, &kept)?;
    }
    let path = entry.path.clone();
    let (new, old_version) =
        (Staged::read(staging, new)?, FileVersion::from_metadata(&old.metadata));
    Ok(Step::Replace { path, old_version, new, old: Staged::read(staging, kept)? })
}

/// Records that these versions of files are about to be moved to the system's trash. From here on the
/// caller moves them, or else the next writer does.
///
/// # Errors
/// `NoJournal`, `ReadOnly`, `Io`.
pub(crate) fn record_disposal<'a>(
    _writer: &Writer<'_>,
    store: &Store,
    files: impl Iterator<Item = (&'a VaultPath, FileVersion)>,
) -> Result<()> {
    let open = open_store(store)?;
    let steps =
        files.map(|(path, version)| Step::Dispose { path: path.clone(), version }).collect();
    let record = JournalRecord { direction: Direction::Forward, steps };
    open.put(store, &record)
        .map_err(|error| VaultError::change_error("record a change in", JOURNAL, error))
}

/// Removes the record of [`record_disposal`].
///
/// # Errors
/// `ReadOnly`, `Io`.
pub(crate) fn finish_disposal(_writer: &Writer<'_>, store: &Store) -> Result<()> {
    store.open().and_then(|open| open.forget()).map_err(recovery_error)
}

fn open_store(store: &Store) -> Result<OpenStore> {
    store.open().map_err(|error| VaultError::NoJournal { reason: error.to_string() })
}

/// Finishes the recorded change, if there is one. `engine_folder` is the engine's folder in the vault. The
/// caller holds the write lock.
fn recover(root: &VaultRoot, store: &Store, engine_folder: &Dir) -> io::Result<()> {
    let (open, record) = match store.load()? {
        RecordState::Nothing => return Ok(()),
        RecordState::Record(open, record) => (open, record),
        RecordState::Foreign(reason) => {
            match store.set_aside() {
                Ok(kept) => tracing::warn!(
                    %reason, kept = %kept.display(),
                    "the record of a change of several files is not valid here, and was not carried out"
                ),
                Err(error) => tracing::warn!(
                    %reason, %error,
                    "the record of a change of several files is not valid here, and was not carried out"
                ),
            }
            return Ok(());
        }
    };
    let staging = open.staging(engine_folder)?;
    let blocked = record.finish(Scene { root, staging: &staging })?;
    if !blocked.is_empty() {
        let files: Vec<&str> = blocked.iter().take(10).map(VaultPath::as_str).collect();
        tracing::warn!(
            count = blocked.len(),
            ?files,
            "an interrupted change was finished, except for files that had been edited since; they are unchanged"
        );
        open.keep_blocked(&blocked)?;
    }
    open.forget()?;
    sweep(&staging);
    Ok(())
}

/// Finishes the change that a killed writer left and removes its temporary files, unless another
/// writer is active. The next writer tries again what fails here.
pub(crate) fn clean_up(root: &VaultRoot, store: &Store) {
    let Some(unattended) = lock_if_free(root) else { return };
    if let Err(error) = recover(root, store, &unattended.state) {
        tracing::warn!(%error, "cannot finish an interrupted change");
        return;
    }
    sweep(&unattended.staging);
    if let Some(staging) = store.staging(&unattended.state) {
        sweep(&staging);
    }
}

fn recovery_error(error: io::Error) -> VaultError {
    VaultError::change_error("finish the interrupted change that is recorded in", JOURNAL, error)
}

impl Change {
    /// The path of a file of the vault that it creates, or moves one to.
    pub(crate) fn new_path(&self) -> Option<&VaultPath> {
        match self {
            Self::Create(Creation { path, .. })
            | Self::Rename { to: Destination::Vault(path), .. } => Some(path),
            Self::Replace(_) | Self::Rename { .. } => None,
        }
    }

    /// The error for a step that another program has blocked.
    fn blocked_error(&self, root: &VaultRoot) -> VaultError {
        let path = match self {
            Self::Replace(replacement) => &replacement.path,
            Self::Create(Creation { path, .. }) => {
                return VaultError::AlreadyExists { path: path.clone() };
            }
            Self::Rename { from, to, .. } => {
                if let Destination::Vault(path) = to
                    && matches!(root.find_exact(path), Ok(Some(_)))
                {
                    return VaultError::AlreadyExists { path: path.clone() };
                }
                from
            }
        };
        match root.find_existing(path) {
            Ok(entry) => root.conflict_error(&entry),
            Err(error) => error,
        }
    }

    fn io_error(&self, error: io::Error) -> VaultError {
        match self {
            Self::Replace(replacement) => write_error(&replacement.path, error),
            Self::Create(Creation { path, .. }) => write_error(path, error),
            Self::Rename { from, .. } => VaultError::change_error("move", from.as_str(), error),
        }
    }
}
