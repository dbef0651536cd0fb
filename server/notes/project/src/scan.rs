//! The notes of a workspace, read once and kept current with the vault's index.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use toolwrit_vault::{CancelCheck, Folder, Revision, Snapshot, VaultError, VaultPath};

use crate::model::{Reading, read};
use crate::project::Project;

/// Keeps what was read of the notes below a folder.
#[derive(Debug, Default)]
pub(crate) struct Scan(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// The changes of the vault that are included; `None` before the first time.
    changes: Option<u64>,
    notes: BTreeMap<VaultPath, (Revision, Reading)>,
    project: Arc<Project>,
}

impl Scan {
    /// The project as it is in the snapshot. Reads only the notes that have changed.
    ///
    /// # Errors
    /// `Cancelled`
    pub(crate) fn project(
        &self,
        snapshot: &Snapshot<'_>,
        folder: &Folder,
        cancel: CancelCheck<'_>,
    ) -> Result<Arc<Project>, VaultError> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.changes != Some(snapshot.changes()) {
            kept.update(snapshot, folder, cancel)?;
        }
        Ok(Arc::clone(&kept.project))
    }
}

impl Kept {
    fn update(
        &mut self,
        snapshot: &Snapshot<'_>,
        folder: &Folder,
        cancel: CancelCheck<'_>,
    ) -> Result<(), VaultError> {
        let below = snapshot.notes().filter(|(path, _)| path.is_note() && path.is_below(folder));
        let current: HashMap<&VaultPath, Revision> = below.collect();
        let before = self.notes.len();
        self.notes.retain(|path, _| current.contains_key(path));
        let is_known = |path: &VaultPath, revision: Revision| {
            self.notes.get(path).is_some_and(|(known, _)| *known == revision)
        };
        let changed = current.iter().filter(|(path, revision)| !is_known(path, **revision));
        let mut changed: Vec<&VaultPath> = changed.map(|(path, _)| *path).collect();
        changed.sort_unstable();
        let is_same = changed.is_empty() && before == self.notes.len();
        for (path, source) in snapshot.read(changed) {
            if cancel() {
                return Err(VaultError::Cancelled);
            }
            match source {
                Some(source) => {
                    let reading = read(path, &source.text, source.modified);
                    self.notes.insert(path.clone(), (current[path], reading));
                }
                None => drop(self.notes.remove(path)),
            }
        }
        if !is_same {
            let notes = self.notes.iter().map(|(path, (_, reading))| (path, reading));
            self.project = Arc::new(Project::new(notes));
        }
        self.changes = Some(snapshot.changes());
        Ok(())
    }
}
