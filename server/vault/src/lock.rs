//! One writer at a time.
//!
//! The vault's own folder `.toolwrit/` holds `lock`, which a writer of any process locks, and
//! `tmp/`, where the holder stages new bytes (see [`atomic`](crate::atomic)), and the record of a
//! change of several files (see [`journal`](crate::journal)). Since nobody else has
//! files there, whoever takes the lock may sweep what a killed writer left.

use std::cell::RefCell;
use std::fs::TryLockError;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, OpenOptions};

use crate::error::{Result, VaultError};
use crate::index::Live;
use crate::journal::recover;
use crate::path::VaultPath;
use crate::root::Root;

pub(crate) const STATE: &str = ".toolwrit";
pub(crate) const STAGING: &str = "tmp";
const LOCK: &str = "lock";
/// How long a writer waits for another process.
const PATIENCE: Duration = Duration::from_secs(10);

/// Serialises the writers of this process; the lock file serialises those of all processes.
#[derive(Default)]
pub(crate) struct WriteLock(Mutex<()>);

/// The right to change files of the vault, until dropped.
pub(crate) struct Writer<'a> {
    /// On the vault's file system, for files about to be renamed into place.
    pub(crate) staging: Dir,
    /// The engine's own folder.
    pub(crate) state: Dir,
    /// Follows the changes.
    live: &'a Live,
    changed: RefCell<Vec<VaultPath>>,
    moved: RefCell<Vec<(VaultPath, VaultPath)>>,
    /// Held open for its lock. `None` where the file system has no locks.
    _lock: Option<std::fs::File>,
    _turn: MutexGuard<'a, ()>,
}

impl WriteLock {
    /// Waits for the turn to write.
    ///
    /// # Errors
    /// [`VaultError::Busy`] if another process holds the lock for too long.
    pub(crate) fn acquire<'a>(&'a self, root: &Root, live: &'a Live) -> Result<Writer<'a>> {
        let turn = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let state_error = |error| VaultError::change("prepare", STATE, error);
        let state = open_state(&root.dir).map_err(state_error)?;
        let file = open_lock(&state).map_err(state_error)?;
        let lock = wait_for(&file)?.then_some(file);
        let staging = open_or_create(&state, STAGING).map_err(state_error)?;
        let (changed, moved) = (RefCell::default(), RefCell::default());
        let writer = Writer { staging, state, live, changed, moved, _lock: lock, _turn: turn };
        writer.recover(root)?;
        Ok(writer)
    }

    /// Finishes the change that a killed writer left, and removes its temporary files, unless a
    /// writer is alive. What fails here is tried again by the next writer.
    pub(crate) fn sweep(root: &Root) {
        let Ok(state) = root.dir.open_dir_nofollow(STATE) else { return };
        let Ok(staging) = state.open_dir_nofollow(STAGING) else { return };
        let Ok(lock) = open_lock(&state) else { return };
        if lock.try_lock().is_err() {
            return;
        }
        if recover(root, &state, &staging).is_err() {
            return;
        }
        sweep(&staging);
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

fn open_lock(state: &Dir) -> io::Result<std::fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).follow(FollowSymlinks::No);
    Ok(state.open_with(LOCK, &options)?.into_std())
}

/// Whether the lock was taken; `false` if the file system does not know locks.
fn wait_for(file: &std::fs::File) -> Result<bool> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::Error(_)) => return Ok(false),
            Err(TryLockError::WouldBlock) if start.elapsed() > PATIENCE => {
                return Err(VaultError::Busy);
            }
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(20));
            }
        }
    }
}
