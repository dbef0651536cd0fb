//! The notes of the vault, read once and kept current.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher as _;
use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use jiff::Zoned;
use toolwrit_vault::{CancelCheck, Revision, Snapshot, VaultPath};

use super::collection::Notes;
use super::draft::Draft;
use super::page::Page;
use crate::value::Name;

/// Most worker threads.
const WORKERS: usize = 8;
/// Fewest notes that are worth another worker.
const SHARE: usize = 256;

/// Keeps the notes of a vault.
#[derive(Debug, Default)]
pub(crate) struct Store(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// The changes of the vault that are included; `None` before the first time.
    changes: Option<u64>,
    /// Changes with the names of the files.
    names: u64,
    drafts: HashMap<VaultPath, (Revision, Arc<Draft>)>,
    notes: Arc<Notes>,
}

impl Store {
    /// The notes as they are in the snapshot. Reads the notes that have changed.
    ///
    /// Returns `None` if cancelled. `now` gives the zone of dates.
    pub(crate) fn notes(
        &self,
        snapshot: &Snapshot<'_>,
        now: &Zoned,
        cancel: CancelCheck<'_>,
    ) -> Option<Arc<Notes>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.changes != Some(snapshot.changes()) {
            kept.update(snapshot, now, cancel)?;
        }
        Some(Arc::clone(&kept.notes))
    }
}

impl Kept {
    fn update(
        &mut self,
        snapshot: &Snapshot<'_>,
        now: &Zoned,
        cancel: CancelCheck<'_>,
    ) -> Option<()> {
        let current: HashMap<&VaultPath, Revision> = snapshot.notes().collect();
        self.drafts.retain(|path, _| current.contains_key(path));
        let is_new = |path: &VaultPath, revision: &Revision| {
            self.drafts.get(path).is_none_or(|(known, _)| known != revision)
        };
        let mut changed: Vec<&VaultPath> = current
            .iter()
            .filter(|(path, revision)| is_new(path, revision))
            .map(|(path, _)| *path)
            .collect();
        changed.sort_unstable();
        for (path, draft) in read(snapshot, &changed, now, cancel) {
            match draft {
                Some(draft) => {
                    let revision = current[path];
                    self.drafts.insert(path.clone(), (revision, Arc::new(draft)));
                }
                None => drop(self.drafts.remove(path)),
            }
        }
        if cancel() {
            return None;
        }
        let hasher = std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default();
        let names = snapshot.files().map(|path| hasher.hash_one(path)).fold(0, u64::wrapping_add);
        let has_new_names = std::mem::replace(&mut self.names, names) != names;
        let changed: HashSet<&VaultPath> = changed.into_iter().collect();
        let page = |(path, (_, draft)): (&VaultPath, &(Revision, Arc<Draft>))| {
            let known = self.notes.get(path.as_str());
            let known = known.filter(|_| !has_new_names && !changed.contains(path));
            let page = known.cloned().unwrap_or_else(|| {
                let resolve = |target: &str| {
                    let file = snapshot.resolve(target, Some(path))?;
                    Some(Name::from(file.as_str()))
                };
                Arc::new(Page::new(path, Arc::clone(draft), &resolve))
            });
            (Arc::clone(&page.path), page)
        };
        self.notes = Arc::new(self.drafts.iter().map(page).collect());
        self.changes = Some(snapshot.changes());
        Some(())
    }
}

/// Reads notes on all processors. Stops early if cancelled.
fn read<'s>(
    snapshot: &'s Snapshot<'_>,
    paths: &[&'s VaultPath],
    now: &Zoned,
    cancel: CancelCheck<'_>,
) -> Vec<(&'s VaultPath, Option<Draft>)> {
    let workers = thread::available_parallelism().map_or(1, NonZero::get).min(WORKERS);
    let size = paths.len().div_ceil(workers).max(SHARE);
    let share = |paths: &[&'s VaultPath]| {
        let sources = snapshot.read(paths.iter().copied()).take_while(|_| !cancel());
        let draft = |(path, source): (&'s VaultPath, Option<toolwrit_vault::NoteSource>)| {
            (path, source.map(|source| Draft::read(path.as_str(), &source, now)))
        };
        sources.map(draft).collect::<Vec<_>>()
    };
    if paths.len() <= size {
        return share(paths);
    }
    thread::scope(|scope| {
        let spawned: Vec<_> =
            paths.chunks(size).map(|paths| scope.spawn(|| share(paths))).collect();
        let join = |worker: thread::ScopedJoinHandle<'_, Vec<_>>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        spawned.into_iter().flat_map(join).collect()
    })
}
