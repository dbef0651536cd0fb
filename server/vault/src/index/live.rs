//! The index as it follows the vault.
//!
//! It is built on a thread of its own, which then waits for news of other programs' changes. What this
//! program changes is noted, and looked at before anybody reads the index again: by that reader, or by
//! the thread, which has news of it like of any other change.

use std::collections::BTreeSet;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use cap_std::fs::{Dir, OpenOptions};

use super::Index;
use super::batch::{Batch, mark_name};
use super::saved::Cache;
use crate::error::{Result, VaultError};
use crate::file_system::tells_changes;
use crate::lock::{STATE, open_or_create};
use crate::path::{Folder, VaultPath};
use crate::root::Root;
use crate::walk::CancelCheck;
use crate::watcher::{FsChanges, Watcher};

/// How often somebody who waits asks whether to go on waiting.
const ASK: Duration = Duration::from_millis(20);
/// How long news of our own mark may take before all is looked at instead.
const MARK_TIMEOUT: Duration = Duration::from_secs(1);

/// In the engine's own folder: where marks are made.
const MARKS: &str = "marks";

/// How long the vault must be quiet before the index may be saved.
const SAVE_CHECK: Duration = Duration::from_secs(1);
/// How long a saved index may stay behind the one in memory.
const SAVE_EVERY: Duration = Duration::from_mins(10);

/// The index of an open vault. Its thread ends when this is dropped, which waits for it: what is being
/// saved is saved, however short the program's life.
pub(crate) struct Live {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
    news: Sender<FsChanges>,
    /// Until the thread takes it.
    incoming: Mutex<Option<Receiver<FsChanges>>>,
}

pub(super) struct Shared {
    pub(super) root: Arc<Root>,
    /// Where the index is kept, if it is.
    cache: Option<Cache>,
    state: Mutex<State>,
    /// Notified with each change of the state and each mark that is seen.
    changed: Condvar,
    pub(super) index: RwLock<Index>,
    /// Held while a file is looked at and entered, so that no older look is entered later.
    pub(super) rescanning: Mutex<()>,
    /// What this program has changed and nobody has looked at since.
    own_changes: Mutex<BTreeSet<VaultPath>>,
    /// Held while those are looked at, so that nobody reads the index before.
    applying: Mutex<()>,
    /// Once there is one, and whether it watches the folder for marks.
    watcher: Mutex<Option<(Watcher, bool)>>,
    /// The last mark that was seen.
    seen: AtomicU64,
    pub(super) dropped: AtomicBool,
}

enum State {
    /// Nobody has asked for the index.
    Idle,
    Building,
    Watched,
    /// The system gives no news, so the vault is looked through before each use.
    Unwatched,
    Failed(String),
}

/// Makes a file and removes it. What somebody put in its place is left alone: a pipe would never open.
fn mark(marks: &Dir, name: &str) -> io::Result<()> {
    marks.open_with(name, OpenOptions::new().write(true).create_new(true))?;
    marks.remove_file(name)
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Live {
    pub(crate) fn new(root: Arc<Root>, cache: Option<Cache>) -> Self {
        let (news, incoming) = channel();
        let shared = Shared {
            root,
            cache,
            state: Mutex::new(State::Idle),
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
        Self { shared: Arc::new(shared), thread, news, incoming }
    }

    /// Starts to build the index, unless that has been done.
    pub(crate) fn start(&self) {
        let Some(incoming) = lock(&self.incoming).take() else { return };
        *lock(&self.shared.state) = State::Building;
        let (shared, news) = (Arc::clone(&self.shared), self.news.clone());
        let run = move || shared.run(news, &incoming);
        match thread::Builder::new().name("toolwrit-index".to_owned()).spawn(run) {
            Ok(thread) => *lock(&self.thread) = Some(thread),
            Err(error) => self.shared.enter(State::Failed(error.to_string())),
        }
    }

    /// The index, once it is built.
    ///
    /// # Errors
    /// `Unopenable` if the vault could not be read, `Cancelled`.
    pub(crate) fn read(&self, cancel: CancelCheck<'_>) -> Result<RwLockReadGuard<'_, Index>> {
        self.start();
        let mut state = lock(&self.shared.state);
        loop {
            match &*state {
                State::Watched => {
                    drop(state);
                    self.shared.apply_own_changes();
                    break;
                }
                State::Unwatched => {
                    drop(state);
                    self.shared.apply_own_changes();
                    self.shared.rescan_all();
                    break;
                }
                State::Failed(reason) => {
                    return Err(VaultError::Unopenable { reason: reason.clone() });
                }
                State::Idle | State::Building if cancel() => return Err(VaultError::Cancelled),
                State::Idle | State::Building => {
                    let waited = self.shared.changed.wait_timeout(state, ASK);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
        Ok(self.shared.read_index())
    }

    /// The index, if it is built and there is news of every change: then nobody waits for it.
    pub(crate) fn read_watched(&self) -> Option<RwLockReadGuard<'_, Index>> {
        let is_watched = matches!(*lock(&self.shared.state), State::Watched);
        is_watched.then(|| {
            self.shared.apply_own_changes();
            self.shared.read_index()
        })
    }

    /// Notes what this program has changed, and enters which of it are files at other paths.
    pub(crate) fn refresh(&self, paths: &mut Vec<VaultPath>, moves: &[(VaultPath, VaultPath)]) {
        let state = lock(&self.shared.state);
        if matches!(*state, State::Idle | State::Failed(_)) {
            return;
        }
        lock(&self.shared.own_changes).extend(paths.drain(..));
        let known = matches!(*state, State::Watched | State::Unwatched);
        drop(state);
        if known {
            self.shared.follow_moves(moves);
        }
    }

    /// Waits until the index is_current all that other programs did before this call. `state` is the
    /// engine's own folder.
    ///
    /// A file put there, where it is noticed and not shown, is news that comes after all earlier news.
    pub(crate) fn catch_up(&self, state: &Dir) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        if !matches!(*lock(&self.shared.state), State::Watched) {
            return;
        }
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = mark_name(number);
        let marked = open_or_create(state, MARKS)
            .is_ok_and(|marks| self.shared.watches_marks() && mark(&marks, &name).is_ok());
        if !marked || !self.shared.wait_for_mark(number) {
            self.shared.unwatch_marks();
            self.rescan_all();
        }
    }

    /// Compares the whole vault with the index.
    pub(crate) fn rescan_all(&self) {
        self.shared.rescan_all();
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.shared.dropped.store(true, Ordering::Relaxed);
        // Without a thread nobody listens.
        let _ = self.news.send(FsChanges::Stop);
        if let Some(thread) = lock(&self.thread).take() {
            // A panic in it has been reported.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// The work of the thread.
    fn run(&self, news: Sender<FsChanges>, incoming: &Receiver<FsChanges>) {
        let tells = self.root.file_system.tells_changes;
        let watcher = if tells { Watcher::start(&self.root.location, news) } else { None };
        *lock(&self.watcher) = watcher.map(|watcher| (watcher, false));
        self.report_failure(|| {
            self.fill()?;
            self.enter(if self.is_watched() { State::Watched } else { State::Unwatched });
            self.follow(incoming);
            Ok(())
        });
        *lock(&self.watcher) = None;
    }

    /// Does the thread's work. If that fails or panics, nobody waits for it any more.
    fn report_failure(&self, work: impl FnOnce() -> Result<()>) {
        let reason = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(_) => "a defect of the server in reading it, which standard error shows".to_owned(),
        };
        self.enter(State::Failed(reason));
    }

    /// Loads the index or builds it. What changes meanwhile is news.
    fn fill(&self) -> Result<()> {
        let put = |index| *self.index.write().unwrap_or_else(PoisonError::into_inner) = index;
        if let Some(index) = self.cache.as_ref().and_then(|cache| Index::load(&self.root, cache)) {
            put(index);
            // What changed since it was saved is found by comparison.
            self.rescan_all();
        } else {
            let dropped = || self.dropped.load(Ordering::Relaxed);
            put(Index::build(&self.root, &|folder| self.watch(folder), &dropped)?);
        }
        Ok(())
    }

    /// Saves the index, and returns when. Without it the next start reads more notes.
    fn save(&self) -> Option<Instant> {
        let cache = self.cache.as_ref()?;
        self.read_index().save(&self.root, cache)?;
        self.index.write().unwrap_or_else(PoisonError::into_inner).unsaved = false;
        Some(Instant::now())
    }

    /// Watches a folder, unless nothing is watched. Where the system refuses, or tells not everything,
    /// nothing is from now on.
    pub(super) fn watch(&self, folder: &Folder) {
        let mut watcher = lock(&self.watcher);
        let place = self.root.location.join(folder.as_str());
        if let Some((watching, _)) = &mut *watcher
            && !(tells_changes(&place) && watching.add(&place))
        {
            *watcher = None;
        }
    }

    fn is_watched(&self) -> bool {
        lock(&self.watcher).is_some()
    }

    /// Whether marks are noticed.
    fn watches_marks(&self) -> bool {
        match &mut *lock(&self.watcher) {
            Some((watcher, for_marks)) => {
                let folder = self.root.location.join(STATE).join(MARKS);
                *for_marks = *for_marks || watcher.add(&folder);
                *for_marks
            }
            None => false,
        }
    }

    /// A mark was not noticed: their folder may be another one now.
    fn unwatch_marks(&self) {
        if let Some((_, for_marks)) = &mut *lock(&self.watcher) {
            *for_marks = false;
        }
    }

    fn enter(&self, state: State) {
        *lock(&self.state) = state;
        self.changed.notify_all();
    }

    /// Enters what other programs change, until told to stop.
    fn follow(&self, incoming: &Receiver<FsChanges>) {
        let mut saved = self.save();
        loop {
            match incoming.recv_timeout(SAVE_CHECK) {
                Ok(first) => {
                    let Some(batch) = Batch::gather(first, incoming, &self.root.location) else {
                        return;
                    };
                    self.enter_batch(&batch);
                    if !self.is_watched() {
                        self.enter(State::Unwatched);
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

    fn read_index(&self) -> RwLockReadGuard<'_, Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at what this program has changed, and returns it.
    fn apply_own_changes(&self) -> BTreeSet<VaultPath> {
        let _turn = lock(&self.applying);
        let changes = std::mem::take(&mut *lock(&self.own_changes));
        self.rescan_paths(&changes);
        changes
    }

    /// Looks at what has changed.
    fn enter_batch(&self, batch: &Batch) {
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
            let waited = self.changed.wait_timeout(state, ASK);
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
    fn whoever_waits_for_an_index_that_panics_is_told() {
        let folder = TempDir::new().unwrap();
        let live = Live::new(Arc::new(Root::open(folder.path(), None).unwrap()), None);
        drop(lock(&live.incoming).take());
        live.shared.enter(State::Building);
        thread::scope(|scope| {
            let reader = scope.spawn(|| live.read(&|| false).map(drop));
            live.shared.report_failure(|| panic!("on purpose"));
            let told = reader.join().unwrap().unwrap_err();
            assert!(matches!(told, VaultError::Unopenable { .. }), "{told}");
        });
    }
}
