//! One writer at a time.
//!
//! The vault's own folder `.toolwrit/` holds `lock`, which a writer of any process locks, and
//! `tmp/`, where the holder stages new bytes (see [`atomic`](crate::atomic)). Since nobody else has
//! files there, whoever takes the lock may sweep what a killed writer left. What is staged for a
//! change of several files has a folder of its own (see [`journal`](crate::journal)).
//!
//! Whatever else is in that folder may come from anybody, as all that is in a vault.

use std::cell::RefCell;
use std::fs::TryLockError;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, OpenOptions};

use crate::error::{Result, VaultError};
use crate::index::Live;
use crate::journal::{Store, recover, sweep_changes};
use crate::path::VaultPath;
use crate::root::Root;

pub(crate) const STATE: &str = ".toolwrit";
pub(crate) const STAGING: &str = "tmp";
const LOCK: &str = "lock";
/// How long a writer waits for other processes, its turn in this one included: much less than an operation
/// may take, so that its caller is told what it waited for.
const LOCK_TIMEOUT: Duration = Duration::from_secs(3);

/// How long another process may keep the lock before the writers here no longer all wait for it.
const GRACE: Duration = Duration::from_millis(250);
/// Writers that wait then. Each keeps a place that others could use, readers above all.
const MOST_WAITING: usize = 4;

/// Serialises the writers of this process; the lock file serialises those of all processes.
#[derive(Default)]
pub(crate) struct WriteLock {
    queue: Mutex<Queue>,
    /// Notified with each change of the queue that somebody may wait for.
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    /// Whether somebody has the turn.
    taken: bool,
    waiting: usize,
    /// Whether whoever has the turn waits for another process, and has done so for a while.
    held_elsewhere: bool,
}

/// The turn among the writers of this process, until dropped.
struct Turn<'a>(&'a WriteLock);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.queue().taken = false;
        self.0.changed.notify_all();
    }
}

/// The right to change files of the vault, until dropped.
pub(crate) struct Writer<'a> {
    /// On the vault's file system, for files about to be renamed into place.
    pub(crate) staging: Dir,
    /// The engine's own folder.
    pub(crate) state: Dir,
    /// Where a change of several files is put on record.
    pub(crate) store: &'a Store,
    /// Follows the changes.
    live: &'a Live,
    changed: RefCell<Vec<VaultPath>>,
    moved: RefCell<Vec<(VaultPath, VaultPath)>>,
    /// Held open for its lock. `None` where the file system has no locks.
    _lock: Option<std::fs::File>,
    _turn: Turn<'a>,
}

impl WriteLock {
    /// Waits for the turn to write.
    ///
    /// # Errors
    /// [`VaultError::Busy`] if another process holds the lock for too long.
    pub(crate) fn acquire<'a>(
        &'a self,
        root: &Root,
        store: &'a Store,
        live: &'a Live,
    ) -> Result<Writer<'a>> {
        // From here on, so that those who wait behind one that waits in vain are told with it.
        let end = Instant::now() + LOCK_TIMEOUT;
        let turn = self.turn()?;
        let state_error = |error| VaultError::change("prepare", STATE, error);
        let state = open_state(&root.dir).map_err(state_error)?;
        let lock_error = |error| VaultError::change("lock", ".toolwrit/lock", error);
        let file = open_lock(&state).map_err(lock_error)?;
        let lock = self.wait_for(&file, end)?.then_some(file);
        let staging = open_or_create(&state, STAGING).map_err(state_error)?;
        let (changed, moved) = (RefCell::default(), RefCell::default());
        let writer =
            Writer { staging, state, store, live, changed, moved, _lock: lock, _turn: turn };
        writer.recover(root)?;
        Ok(writer)
    }

    /// Waits for the other writers of this process.
    fn turn(&self) -> Result<Turn<'_>> {
        let mut queue = self.queue();
        queue.waiting += 1;
        while queue.taken {
            if queue.held_elsewhere && queue.waiting > MOST_WAITING {
                queue.waiting -= 1;
                return Err(VaultError::Busy);
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        queue.waiting -= 1;
        queue.taken = true;
        Ok(Turn(self))
    }

    /// Whether the lock was taken until `end`; `false` if the file system does not know locks.
    fn wait_for(&self, file: &std::fs::File, end: Instant) -> Result<bool> {
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            match file.try_lock() {
                Ok(()) => {
                    self.queue().held_elsewhere = false;
                    return Ok(true);
                }
                Err(TryLockError::Error(_)) => return Ok(false),
                Err(TryLockError::WouldBlock) if Instant::now() > end => {
                    return Err(VaultError::Busy);
                }
                Err(TryLockError::WouldBlock) => {
                    if start.elapsed() > GRACE && !self.queue().held_elsewhere {
                        self.queue().held_elsewhere = true;
                        self.changed.notify_all();
                    }
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(20));
                }
            }
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finishes the change that a killed writer left, and removes its temporary files, unless a
    /// writer is alive. What fails here is tried again by the next writer.
    pub(crate) fn sweep(root: &Root, store: &Store) {
        let Ok(state) = root.dir.open_dir_nofollow(STATE) else { return };
        let Ok(staging) = state.open_dir_nofollow(STAGING) else { return };
        let Ok(lock) = open_lock(&state) else { return };
        if lock.try_lock().is_err() {
            return;
        }
        if let Err(error) = recover(root, store, &state) {
            tracing::warn!(%error, "an interrupted change cannot be finished");
            return;
        }
        sweep(&staging);
        sweep_changes(store, &state);
    }
}

/// Removes all temporary files. The caller holds the write lock.
pub(crate) fn sweep(staging: &Dir) {
    for entry in staging.entries().into_iter().flatten().flatten() {
        // A file that stays is swept by the next start.
        let _ = staging.remove_file(entry.file_name());
    }
}

impl Writer<'_> {
    /// Says that a file is new, different or gone. Whoever reads the index once the writer is dropped
    /// finds it so.
    pub(crate) fn changes(&self, path: &VaultPath) {
        self.changed.borrow_mut().push(path.clone());
    }

    /// Says that a file is now at another path.
    pub(crate) fn moves(&self, from: &VaultPath, to: &VaultPath) {
        self.moved.borrow_mut().push((from.clone(), to.clone()));
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        self.live.refresh(self.changed.get_mut(), self.moved.get_mut());
    }
}

fn open_state(root: &Dir) -> io::Result<Dir> {
    if let Ok(state) = root.open_dir_nofollow(STATE) {
        return Ok(state);
    }
    let state = open_or_create(root, STATE)?;
    // Version control has no use for locks and temporary files.
    state.write(".gitignore", "*\n")?;
    Ok(state)
}

pub(crate) fn open_or_create(dir: &Dir, name: &str) -> io::Result<Dir> {
    match dir.open_dir_nofollow(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    match dir.create_dir(name) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => dir.open_dir_nofollow(name),
    }
}

/// Opens the lock file, and nothing else that somebody put in its place: a pipe would never open.
fn open_lock(state: &Dir) -> io::Result<std::fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).follow(FollowSymlinks::No).nonblock(true);
    let opened = state.open_with(LOCK, &options);
    if state.symlink_metadata(LOCK).is_ok_and(|found| !found.is_file()) {
        let reason = "it is not a regular file; delete it";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    let file = opened?;
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok(file.into_std())
}
