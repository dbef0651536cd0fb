//! Deleting many files at once.

use std::collections::BTreeSet;

use super::Vault;
use super::delete::{Deletable, Deleted, Disposal, identify};
use super::kinds::is_embeddable;
use super::write::check_current;
use crate::changes::journal::{Change, Destination, StagedName, finish_disposal, record_disposal};
use crate::changes::lock::Writer;
use crate::changes::trash::path_in_trash;
use crate::error::{Result, VaultError};
use crate::etag::Etag;
use crate::obsidian::settings::TrashOption;
use crate::path::{Folder, VaultPath, escape};
use crate::search::SearchPattern;
use crate::storage::atomic::FileVersion;
use crate::storage::walk::CancelCheck;

/// Whether a bulk deletion happens.
#[derive(Clone, Copy)]
pub enum BulkMode<'a> {
    /// Only report what would be deleted.
    DryRun,
    Delete,
    /// Delete if this function accepts the outcomes that a dry run would report. No other caller
    /// changes the vault through the engine in between.
    DeleteIf(&'a dyn Fn(&BulkDeletion) -> bool),
}

/// The outcome for one matching file.
#[derive(Debug)]
pub enum BulkOutcome {
    /// It would be deleted.
    Would(Deletable),
    Deleted(Deleted),
    /// It still exists, for this reason.
    Failed(VaultPath, VaultError),
}

/// The outcome of a bulk deletion, file by file in the order of the paths.
#[derive(Debug)]
pub struct BulkDeletion {
    /// One outcome for each matching file.
    pub outcomes: Vec<BulkOutcome>,
}

/// A file that is about to be deleted, as it was found.
struct Seen {
    path: VaultPath,
    version: FileVersion,
}

impl Vault {
    /// Deletes every file in which the pattern is found, as [`delete`](Self::delete) does, in one
    /// change. If the process dies, either all of them are deleted or none is, at the latest when
    /// the vault is opened again.
    ///
    /// The system's trash takes one file at a time. There, a file that cannot be deleted stays and
    /// is reported as an outcome. Otherwise one failure prevents the whole change.
    ///
    /// # Errors
    /// `NotAgreed` in [`BulkMode::DeleteIf`], `Cancelled`, `ReadOnly`, `Busy`, `Io`. Nothing is
    /// deleted then.
    pub fn bulk_delete(
        &self,
        pattern: &SearchPattern,
        mode: BulkMode<'_>,
        cancel: CancelCheck<'_>,
    ) -> Result<BulkDeletion> {
        self.delete_all(&self.find_matching(pattern, cancel)?, mode, cancel)
    }

    /// The files in which the pattern is found.
    pub(super) fn find_matching(
        &self,
        pattern: &SearchPattern,
        cancel: CancelCheck<'_>,
    ) -> Result<BTreeSet<VaultPath>> {
        if let Some(glob) = pattern.as_glob() {
            // The index may not know the newest changes of other programs, so read the folders.
            return Ok(self
                .find_files_on_disk(glob, &Folder::ROOT, cancel)?
                .0
                .into_iter()
                .collect());
        }
        let found = self.search(pattern, &Folder::ROOT, usize::MAX, cancel)?;
        Ok(found.hits.into_iter().map(|hit| hit.path).collect())
    }

    /// Deletes a note, and the attachments that only this note links to, in one change.
    ///
    /// # Errors
    /// `NotFound`, `Conflict` if `if_match` is stale; otherwise as [`bulk_delete`](Self::bulk_delete).
    pub fn delete_with_attachments(
        &self,
        path: &VaultPath,
        if_match: Option<&Etag>,
        mode: BulkMode<'_>,
        cancel: CancelCheck<'_>,
    ) -> Result<BulkDeletion> {
        let path = check_current(self.root().find_existing(path)?, if_match)?.path;
        // Another program may just have linked to one of them.
        self.wait_for_index(cancel)?;
        let mut matching = self.attachments_only_of(&path, cancel)?;
        matching.insert(path);
        self.delete_all(&matching, mode, cancel)
    }

    /// The attachments that a note links to, and no other file. While a note cannot be read, nobody knows what it links to, and
    /// there are none.
    fn attachments_only_of(
        &self,
        path: &VaultPath,
        cancel: CancelCheck<'_>,
    ) -> Result<BTreeSet<VaultPath>> {
        let index = self.index(cancel)?;
        let Some(note) = index.names.id(path).filter(|_| index.unread_count() == 0) else {
            return Ok(BTreeSet::new());
        };
        let targets = index.facts(note).into_iter().flat_map(|facts| facts.targets.iter());
        let linked = targets.filter_map(|target| index.names.current().resolve(target, note));
        let attachments =
            linked.filter_map(|id| index.names.path(id)).filter(|path| is_embeddable(path));
        let is_only = |attachment: &&VaultPath| {
            index.files_linking(attachment).iter().all(|(source, _)| *source == note)
        };
        Ok(attachments.filter(is_only).cloned().collect())
    }

    /// Deletes files in one change.
    fn delete_all(
        &self,
        matching: &BTreeSet<VaultPath>,
        mode: BulkMode<'_>,
        cancel: CancelCheck<'_>,
    ) -> Result<BulkDeletion> {
        if matches!(mode, BulkMode::DryRun) {
            return Ok(self.dry_run(matching, cancel)?.1);
        }
        if matching.is_empty() {
            let nothing = BulkDeletion { outcomes: Vec::new() };
            let agreed = !matches!(mode, BulkMode::DeleteIf(agrees) if !agrees(&nothing));
            return if agreed { Ok(nothing) } else { Err(VaultError::NotAgreed) };
        }
        let writer = self.lock_writer()?;
        let files = match mode {
            BulkMode::DeleteIf(agrees) => {
                let (files, foreseen) = self.dry_run(matching, cancel)?;
                if !agrees(&foreseen) {
                    return Err(VaultError::NotAgreed);
                }
                files
            }
            _ => self.read_states(matching, cancel)?,
        };
        let settings = self.obsidian();
        let outcomes = match settings.trash {
            TrashOption::System => self.to_system_trash(&writer, files)?,
            option => {
                let deleted = self.move_away(&writer, files, option)?;
                let warn = |deleted| Deleted { warning: settings.warning.clone(), ..deleted };
                deleted.into_iter().map(warn).map(BulkOutcome::Deleted).collect()
            }
        };
        Ok(BulkDeletion { outcomes })
    }

    /// The files at these paths as they are now, without those that no longer exist.
    fn read_states(
        &self,
        matching: &BTreeSet<VaultPath>,
        cancel: CancelCheck<'_>,
    ) -> Result<Vec<Seen>> {
        let mut files = Vec::with_capacity(matching.len());
        for path in matching {
            if cancel() {
                return Err(VaultError::Cancelled);
            }
            let Some(entry) = self.root().find_exact(path)? else { continue };
            let Some(version) = entry.version()? else { continue };
            files.push(Seen { path: entry.path, version });
        }
        Ok(files)
    }

    /// The files at these paths as they are now, with the outcomes that a dry run reports for them.
    fn dry_run(
        &self,
        matching: &BTreeSet<VaultPath>,
        cancel: CancelCheck<'_>,
    ) -> Result<(Vec<Seen>, BulkDeletion)> {
        let is_permanent = self.obsidian().trash == TrashOption::None;
        let (mut files, mut outcomes) = (Vec::new(), Vec::new());
        for path in matching {
            if cancel() {
                return Err(VaultError::Cancelled);
            }
            let Some(entry) = self.root().find_exact(path)? else { continue };
            let (entry, version, state) = match identify(entry) {
                Ok(identified) => identified,
                Err(VaultError::NotFound { .. }) => continue,
                Err(error) => return Err(error),
            };
            let file = Deletable { path: entry.path.clone(), state, is_permanent };
            outcomes.push(BulkOutcome::Would(file));
            files.push(Seen { path: entry.path, version });
        }
        Ok((files, BulkDeletion { outcomes }))
    }

    /// Moves files to the system's trash, one by one, after recording them. A file that has changed
    /// since it was found stays.
    fn to_system_trash(&self, writer: &Writer<'_>, files: Vec<Seen>) -> Result<Vec<BulkOutcome>> {
        let recorded = files.iter().map(|file| (&file.path, file.version));
        record_disposal(writer, self.store(), recorded)?;
        let dispose = |file: &Seen| {
            let entry = self.root().find_existing(&file.path)?;
            match entry.version()? {
                Some(now) if now == file.version => self.dispose(writer, entry),
                _ => Err(self.root().conflict_error(&entry)),
            }
        };
        let outcome = |file: Seen| match dispose(&file) {
            Ok(deleted) => BulkOutcome::Deleted(deleted),
            Err(error) => BulkOutcome::Failed(file.path, error),
        };
        let outcomes = files.into_iter().map(outcome).collect();
        finish_disposal(writer, self.store())?;
        Ok(outcomes)
    }

    /// Moves files to the vault's trash, or to the staging folder, which is then emptied.
    fn move_away(
        &self,
        writer: &Writer<'_>,
        files: Vec<Seen>,
        option: TrashOption,
    ) -> Result<Vec<Deleted>> {
        let mut taken = BTreeSet::new();
        let mut deleted = Vec::with_capacity(files.len());
        let mut changes = Vec::with_capacity(files.len());
        for (number, Seen { path, version }) in files.into_iter().enumerate() {
            let (to, disposal) = self.place_deleted(&path, number, option, &mut taken)?;
            deleted.push(Deleted { path: path.clone(), disposal, warning: None });
            changes.push(Change::Rename { from: path, to, version: Some(version) });
        }
        writer.commit(self.root(), self.store(), &changes)?;
        Ok(deleted)
    }

    /// Where one of several deleted files goes, and what is said of that: to a free path in the vault's trash, or to the
    /// staging folder. `taken` has the paths of the others.
    pub(super) fn place_deleted(
        &self,
        path: &VaultPath,
        number: usize,
        option: TrashOption,
        taken: &mut BTreeSet<String>,
    ) -> Result<(Destination, Disposal)> {
        if option == TrashOption::None {
            let name = StagedName::for_deletion(number);
            return Ok((Destination::Staging(name), Disposal::Permanent));
        }
        let free = self.root().find_free_path(path, &|name| taken.contains(name));
        let (_, to) =
            free.map_err(|error| VaultError::change_error("delete", path.as_str(), error))?;
        taken.insert(to.clone());
        let shown = escape(&to).into_owned();
        Ok((Destination::Trash(path_in_trash(&to)?), Disposal::VaultTrash(shown)))
    }
}
