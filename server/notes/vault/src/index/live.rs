//! The index of an open vault, which follows all changes.
//!
//! A separate thread builds the index and then waits for notifications of changes by other
//! programs. Changes of this program are recorded. They are applied before the index is read again,
//! either by that reader or by the thread, which is notified of them as of any other change.

use std::collections::BTreeSet;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use cap_std::fs::{Dir, OpenOptions};

use super::batch::{NotificationBatch, mark_name};
use super::saved::CacheFolder;
use super::{Index, IndexStatus};
use crate::error::{Result, VaultError};
use crate::path::{Folder, VaultPath};
use crate::storage::file_system::reports_changes;
use crate::storage::own_folder::{OWN_FOLDER, open_or_create};
use crate::storage::root::VaultRoot;
use crate::storage::walk::CancelCheck;
use crate::storage::watcher::{FsChanges, Watcher};

/// How often a waiting caller checks for cancellation.
const CANCEL_CHECK: Duration = Duration::from_millis(20);
/// How long to wait for the notification of a mark. After that the whole vault is rescanned.
const MARK_TIMEOUT: Duration = Duration::from_secs(1);

/// The folder for marks, in the engine's own folder.
const MARKS: &str = "marks";

/// How long the vault must be quiet before the index may be saved.
const SAVE_CHECK: Duration = Duration::from_secs(1);
/// How long the saved index may be older than the one in memory.
const SAVE_EVERY: Duration = Duration::from_mins(10);

/// The index of an open vault. Dropping it ends the thread and waits for it, so that a save in
/// progress completes.
pub(crate) struct LiveIndex {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
    sender: Sender<FsChanges>,
    /// The receiver, until the thread takes it.
    incoming: Mutex<Option<Receiver<FsChanges>>>,
}

pub(super) struct Shared {
    pub(super) root: Arc<VaultRoot>,
    /// Where the index is saved; `None` if it is not.
    cache: Option<CacheFolder>,
    state: Mutex<IndexState>,
    /// Notified when the state changes or a mark is seen.
    changed: Condvar,
    pub(super) index: RwLock<Index>,
    /// Held while a file is read and entered, so that an older reading cannot replace a newer one.
    pub(super) rescanning: Mutex<()>,
    /// Paths that this program has changed and that have not been rescanned since.
    own_changes: Mutex<BTreeSet<VaultPath>>,
    /// Held while those are rescanned, so that no reader sees the index before.
    applying: Mutex<()>,
    /// The watcher, if there is one, and whether it watches the folder for marks.
    watcher: Mutex<Option<(Watcher, bool)>>,
    /// The number of the last mark that was seen.
    seen: AtomicU64,
    pub(super) dropped: AtomicBool,
}

enum IndexState {
    /// The index has not been requested yet.
    Idle,
    Building,
    Watched,
    /// The system does not notify of changes, so the vault is rescanned before each use.
    Unwatched,
    Failed(String),
}

/// Creates a file and removes it. Fails if the name exists, because opening a pipe would block.
fn write_mark(marks: &Dir, name: &str) -> io::Result<()> {
    marks.open_with(name, OpenOptions::new().write(true).create_new(true))?;
    marks.remove_file(name)
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LiveIndex {
    pub(crate) fn new(root: Arc<VaultRoot>, cache: Option<CacheFolder>) -> Self {
        let (sender, incoming) = channel();
        let shared = Shared {
            root,
            cache,
            state: Mutex::new(IndexState::Idle),
            changed: Condvar::new(),
            index: RwLock::default(),
            rescanning: Mutex::default(),
            own_changes: Mutex::default(),
            applying: Mutex::default(),
            watcher: Mutex::default(),
            seen: AtomicU64::new(0),
            dropped: AtomicBool::new(false),
        };
        let (thread, incoming) = (Mutex::default(), Mutex::new(Some(incoming)));
        Self { shared: Arc::new(shared), thread, sender, incoming }
    }

    /// Where the index is saved; `None` if it is not.
    pub(crate) fn cache(&self) -> Option<&CacheFolder> {
        self.shared.cache.as_ref()
    }

    /// Starts to build the index, unless it was started before.
    pub(crate) fn start(&self) {
        let Some(incoming) = lock(&self.incoming).take() else { return };
        *lock(&self.shared.state) = IndexState::Building;
        let (shared, sender) = (Arc::clone(&self.shared), self.sender.clone());
        let run = move || shared.run(sender, &incoming);
        match thread::Builder::new().name("toolwrit-index".to_owned()).spawn(run) {
            Ok(thread) => *lock(&self.thread) = Some(thread),
            Err(error) => self.shared.set_state(IndexState::Failed(error.to_string())),
        }
    }

    /// Waits until the index is built, and returns it with all changes of this program.
    ///
    /// # Errors
    /// `Unopenable` if the vault could not be read, `Cancelled`.
    pub(crate) fn read(&self, cancel: CancelCheck<'_>) -> Result<RwLockReadGuard<'_, Index>> {
        self.start();
        let mut state = lock(&self.shared.state);
        loop {
            match &*state {
                IndexState::Watched => {
                    drop(state);
                    self.shared.apply_own_changes();
                    break;
                }
                IndexState::Unwatched => {
                    drop(state);
                    self.shared.apply_own_changes();
                    self.shared.rescan_all();
                    break;
                }
                IndexState::Failed(reason) => {
                    return Err(VaultError::Unopenable { reason: reason.clone() });
                }
                IndexState::Idle | IndexState::Building if cancel() => {
                    return Err(VaultError::Cancelled);
                }
                IndexState::Idle | IndexState::Building => {
                    let waited = self.shared.changed.wait_timeout(state, CANCEL_CHECK);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
        Ok(self.shared.read_index())
    }

    /// The index, if it is built and is notified of every change, so that the caller need not wait.
    pub(crate) fn read_watched(&self) -> Option<RwLockReadGuard<'_, Index>> {
        let is_watched = matches!(*lock(&self.shared.state), IndexState::Watched);
        is_watched.then(|| {
            self.shared.apply_own_changes();
            self.shared.read_index()
        })
    }

    /// Returns what is known of the index now, without waiting for it.
    pub(crate) fn status(&self) -> IndexStatus {
        let state = lock(&self.shared.state);
        match &*state {
            IndexState::Idle => return IndexStatus::NotStarted,
            IndexState::Building => return IndexStatus::Building,
            IndexState::Failed(_) => return IndexStatus::Failed,
            IndexState::Watched | IndexState::Unwatched => {}
        }
        drop(state);
        IndexStatus::Ready { notes: self.shared.read_index().notes().count() }
    }

    /// Records what this program has changed, and enters the files that it moved.
    pub(crate) fn refresh(&self, paths: Vec<VaultPath>, moves: &[(VaultPath, VaultPath)]) {
        let state = lock(&self.shared.state);
        if matches!(*state, IndexState::Idle | IndexState::Failed(_)) {
            return;
        }
        lock(&self.shared.own_changes).extend(paths);
        let known = matches!(*state, IndexState::Watched | IndexState::Unwatched);
        drop(state);
        if known {
            self.shared.follow_moves(moves);
        }
    }

    /// Waits until the index includes everything that other programs did before this call. `state`
    /// is the engine's own folder.
    ///
    /// To do so, it creates a mark there, in a hidden folder that is watched. The notification of
    /// the mark comes after all earlier ones.
    pub(crate) fn catch_up(&self, state: &Dir) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        if !matches!(*lock(&self.shared.state), IndexState::Watched) {
            return;
        }
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = mark_name(number);
        let marked = open_or_create(state, MARKS).is_ok_and(|marks| {
            self.shared.ensure_marks_watched() && write_mark(&marks, &name).is_ok()
        });
        if !marked || !self.shared.wait_for_mark(number) {
            self.shared.unwatch_marks();
            self.rescan_all();
        }
    }

    /// Compares the whole vault with the index.
    pub(crate) fn rescan_all(&self) {
        self.shared.rescan_all();
    }

    pub(crate) fn rescan_folder(&self, folder: &Folder) {
        self.shared.rescan_folder(folder);
    }
}

impl Drop for LiveIndex {
    fn drop(&mut self) {
        self.shared.dropped.store(true, Ordering::Relaxed);
        // Sending fails if the thread has ended already.
        let _ = self.sender.send(FsChanges::Stop);
        if let Some(thread) = lock(&self.thread).take() {
            // A panic of the thread has been reported already.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// Runs on the thread.
    fn run(&self, sender: Sender<FsChanges>, incoming: &Receiver<FsChanges>) {
        let reports = self.root.file_system.reports_changes;
        let watcher = if reports { Watcher::start(&self.root.location, sender) } else { None };
        *lock(&self.watcher) = watcher.map(|watcher| (watcher, false));
        self.report_failure(|| {
            self.load_or_build()?;
            self.set_state(if self.is_watched() {
                IndexState::Watched
            } else {
                IndexState::Unwatched
            });
            self.apply_changes(incoming);
            Ok(())
        });
        *lock(&self.watcher) = None;
    }

    /// Runs the thread's work. If it fails or panics, callers waiting for the index get the error.
    fn report_failure(&self, work: impl FnOnce() -> Result<()>) {
        let reason = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the server failed while reading it; see standard error".to_owned(),
        };
        self.set_state(IndexState::Failed(reason));
    }

    /// Loads or builds the index. Changes meanwhile are notified.
    fn load_or_build(&self) -> Result<()> {
        let put = |index| *self.index.write().unwrap_or_else(PoisonError::into_inner) = index;
        if let Some(index) = self.cache.as_ref().and_then(|cache| Index::load(&self.root, cache)) {
            put(index);
            // Find what has changed since it was saved.
            self.rescan_all();
        } else {
            let dropped = || self.dropped.load(Ordering::Relaxed);
            put(Index::build(&self.root, &|folder| self.watch(folder), &dropped)?);
        }
        Ok(())
    }

    /// Saves the index, and returns when. Without a saved index the next start reads all notes.
    fn save(&self) -> Option<Instant> {
        let cache = self.cache.as_ref()?;
        let saved = self.read_index().save(&self.root, cache)?;
        self.index.write().unwrap_or_else(PoisonError::into_inner).saved = saved;
        Some(Instant::now())
    }

    /// Watches a folder, unless watching was given up. Gives up watching if the system refuses, or
    /// does not report all changes there.
    pub(super) fn watch(&self, folder: &Folder) {
        let mut watcher = lock(&self.watcher);
        let location = self.root.location.join(folder.as_str());
        if let Some((watching, _)) = &mut *watcher
            && !(reports_changes(&location) && watching.add(&location))
        {
            *watcher = None;
        }
    }

    fn is_watched(&self) -> bool {
        lock(&self.watcher).is_some()
    }

    /// Whether the folder for marks is watched. Tries to watch it if it is not.
    fn ensure_marks_watched(&self) -> bool {
        match &mut *lock(&self.watcher) {
            Some((watcher, for_marks)) => {
                let folder = self.root.location.join(OWN_FOLDER).join(MARKS);
                *for_marks = *for_marks || watcher.add(&folder);
                *for_marks
            }
            None => false,
        }
    }

    /// Forgets that the folder for marks is watched. It may have been replaced, since a mark was
    /// not noticed.
    fn unwatch_marks(&self) {
        if let Some((_, for_marks)) = &mut *lock(&self.watcher) {
            *for_marks = false;
        }
    }

    fn set_state(&self, state: IndexState) {
        *lock(&self.state) = state;
        self.changed.notify_all();
    }

    /// Applies the changes of other programs, until told to stop.
    fn apply_changes(&self, incoming: &Receiver<FsChanges>) {
        let mut saved = self.save();
        loop {
            match incoming.recv_timeout(SAVE_CHECK) {
                Ok(first) => {
                    let Some(batch) =
                        NotificationBatch::gather(first, incoming, &self.root.location)
                    else {
                        return;
                    };
                    self.apply_batch(&batch);
                    if !self.is_watched() {
                        self.set_state(IndexState::Unwatched);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    if saved.is_none_or(|at| at.elapsed() > SAVE_EVERY) {
                        saved = self.save().or(saved);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    pub(super) fn read_index(&self) -> RwLockReadGuard<'_, Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Rescans the paths that this program has changed, and returns them.
    fn apply_own_changes(&self) -> BTreeSet<VaultPath> {
        let _guard = lock(&self.applying);
        let changes = std::mem::take(&mut *lock(&self.own_changes));
        self.rescan_paths(&changes);
        changes
    }

    /// Rescans what has changed.
    fn apply_batch(&self, batch: &NotificationBatch) {
        let seen = self.apply_own_changes();
        if batch.lost {
            self.rescan_all();
        } else {
            self.rescan_paths(batch.paths.difference(&seen));
        }
        if batch.mark > 0 {
            let _state = lock(&self.state);
            self.seen.fetch_max(batch.mark, Ordering::Relaxed);
            self.changed.notify_all();
        }
    }

    /// Whether the mark was seen in time.
    fn wait_for_mark(&self, number: u64) -> bool {
        if let Some((watcher, _)) = &*lock(&self.watcher) {
            watcher.flush();
        }
        let start = Instant::now();
        let mut state = lock(&self.state);
        while self.seen.load(Ordering::Relaxed) < number {
            if start.elapsed() > MARK_TIMEOUT {
                return false;
            }
            let waited = self.changed.wait_timeout(state, CANCEL_CHECK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn waiting_callers_get_an_error_when_the_index_panics() {
        let folder = TempDir::new().unwrap();
        let live = LiveIndex::new(Arc::new(VaultRoot::open(folder.path(), None).unwrap()), None);
        drop(lock(&live.incoming).take());
        live.shared.set_state(IndexState::Building);
        thread::scope(|scope| {
            let reader = scope.spawn(|| live.read(&|| false).map(drop));
            live.shared.report_failure(|| panic!("on purpose"));
            let told = reader.join().unwrap().unwrap_err();
            assert!(matches!(told, VaultError::Unopenable { .. }), "{told}");
        });
    }
}
