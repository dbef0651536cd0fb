//! The notes of a workspace, read once and kept current with the vault's index.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use toolwrit_vault::{CancelCheck, Folder, Revision, Snapshot, Vault, VaultError, VaultPath};

use crate::error::{ProjectError, Result};
use crate::model::{FILE, FOLDER, LIMIT, Reading, Words, read, unreadable};
use crate::project::Project;

/// Keeps what was read of the notes below a folder.
#[derive(Debug, Default)]
pub(crate) struct Scan(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// The changes of the vault that are included; `None` before the first time.
    changes: Option<u64>,
    /// The text with the team's words.
    file: Option<Vec<u8>>,
    words: Arc<Words>,
    notes: BTreeMap<VaultPath, (Option<Revision>, Reading)>,
    project: Arc<Project>,
}

impl Scan {
    /// The project as it is in the snapshot. Reads only the notes that have changed.
    ///
    /// # Errors
    /// `Cancelled`, `InvalidWords`
    pub(crate) fn project(
        &self,
        vault: &Vault,
        snapshot: &Snapshot<'_>,
        folder: &Folder,
        cancel: CancelCheck<'_>,
    ) -> Result<Arc<Project>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.read_words(vault, folder)?;
        if kept.changes != Some(snapshot.changes()) {
            kept.update(snapshot, folder, cancel)?;
        }
        Ok(Arc::clone(&kept.project))
    }
}

impl Kept {
    /// Reads the team's words. If they are others than before, all notes are read again.
    fn read_words(&mut self, vault: &Vault, folder: &Folder) -> Result<()> {
        let hidden = match folder.as_str() {
            "" => FOLDER.to_owned(),
            folder => format!("{folder}/{FOLDER}"),
        };
        let file = vault.hidden_file(&hidden, FILE, LIMIT);
        if file == self.file && (file.is_some() || self.changes.is_some()) {
            return Ok(());
        }
        let invalid = |reason: String| ProjectError::InvalidWords {
            file: format!("{hidden}/{FILE}"),
            reason,
        };
        let words = match &file {
            Some(bytes) => {
                let text = std::str::from_utf8(bytes);
                let text = text.map_err(|_| invalid("it is not UTF-8".to_owned()))?;
                Words::parse(text.trim_start_matches('\u{FEFF}')).map_err(invalid)?
            }
            None if vault.hidden_files(&hidden, 100).iter().any(|name| name == FILE) => {
                return Err(invalid(format!("expected at most {LIMIT} bytes")));
            }
            None => Words::default(),
        };
        *self = Self { file, words: Arc::new(words), ..Self::default() };
        Ok(())
    }

    fn update(
        &mut self,
        snapshot: &Snapshot<'_>,
        folder: &Folder,
        cancel: CancelCheck<'_>,
    ) -> Result<()> {
        let is_ours = |path: &VaultPath| path.is_note() && path.is_below(folder);
        // Notes that cannot be read as text have no revision.
        let mut current: HashMap<&VaultPath, Option<Revision>> =
            snapshot.files().filter(|path| is_ours(path)).map(|path| (path, None)).collect();
        let readable = snapshot.notes().filter(|(path, _)| is_ours(path));
        current.extend(readable.map(|(path, revision)| (path, Some(revision))));
        self.notes.retain(|path, _| current.contains_key(path));
        let is_known = |path: &VaultPath, revision: Option<Revision>| {
            self.notes.get(path).is_some_and(|(known, _)| *known == revision)
        };
        let changed = current.iter().filter(|(path, revision)| !is_known(path, **revision));
        let mut changed: Vec<&VaultPath> = changed.map(|(path, _)| *path).collect();
        changed.sort_unstable();
        for (path, source) in snapshot.read(changed) {
            if cancel() {
                return Err(VaultError::Cancelled.into());
            }
            match (source, current[path]) {
                (Some(source), revision) => {
                    let reading = read(path, &source, folder, &self.words);
                    self.notes.insert(path.clone(), (revision, reading));
                }
                (None, None) => {
                    let reading = unreadable(path, &self.words);
                    self.notes.insert(path.clone(), (None, reading));
                }
                (None, Some(_)) => drop(self.notes.remove(path)),
            }
        }
        // Where links lead depends on the names of all files.
        let notes = self.notes.iter().map(|(path, (_, reading))| (path, reading));
        let follow =
            |target: &str, source: &VaultPath| snapshot.resolve(target, Some(source)).cloned();
        self.project = Arc::new(Project::new(notes, Arc::clone(&self.words), &follow));
        self.changes = Some(snapshot.changes());
        Ok(())
    }
}
