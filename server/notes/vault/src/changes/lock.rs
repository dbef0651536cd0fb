//! One writer at a time.
//!
//! The vault's own folder `.toolwrit/` contains `lock`, which a writer of any process locks, and
//! `tmp/`, where the holder stages new bytes (see [`atomic`](crate::storage::atomic)). Nobody else has files
//! in `tmp/`, so the holder of the lock may remove what a killed writer left there. Changes of
//! several files are staged in a folder of their own (see [`journal`](crate::changes::journal)).
//!
//! Any other content of that folder is untrusted, like all content of a vault.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::TryLockError;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, OpenOptions};

use crate::error::{Result, VaultError};
use crate::path::VaultPath;
use crate::storage::own_folder::{OWN_FOLDER, open_or_create};
use crate::storage::root::VaultRoot;

const STAGING: &str = "tmp";
const LOCK: &str = "lock";
/// How long a writer waits for other processes, including its wait in the queue of this one. It is much less
/// than the time limit of an operation, so that the caller receives `Busy` and not a timeout.
const LOCK_TIMEOUT: Duration = Duration::from_secs(3);

/// If another process holds the lock for longer than this, only some writers of this process keep
/// waiting.
const GRACE: Duration = Duration::from_millis(250);
/// The number of writers that keep waiting then. Each waiting writer occupies a thread that other calls, above all reads, could
/// use.
const MOST_WAITING: usize = 4;

/// Serialises the writers of this process; the lock file serialises those of all processes.
#[derive(Default)]
pub(crate) struct WriteLock {
    queue: Mutex<Queue>,
    /// Notified with each change of the queue that a writer may wait for.
    changed: Condvar,
    /// How many leases of each file there are, by its composed path.
    leases: Mutex<HashMap<String, usize>>,
}

#[derive(Default)]
struct Queue {
    /// Whether a writer has the ticket.
    taken: bool,
    waiting: usize,
    /// Whether the writer with the ticket has been waiting for another process for a while.
    held_elsewhere: bool,
}

/// The ticket of the writer of this process that may write, until dropped.
struct QueueTicket<'a>(&'a WriteLock);

impl Drop for QueueTicket<'_> {
    fn drop(&mut self) {
        self.0.lock_queue().taken = false;
        self.0.changed.notify_all();
    }
}

/// The right to change files of the vault, held until dropped.
pub(crate) struct Writer<'a> {
    /// On the vault's file system, for files about to be renamed into place.
    pub(crate) staging: Dir,
    /// The engine's own folder.
    pub(crate) state: Dir,
    changed: RefCell<ChangedFiles>,
    /// The leased file that this writer may change, by its composed path.
    may_change: Option<String>,
    /// Holds the lock while open. `None` where the file system has no locks.
    _lock: Option<std::fs::File>,
    ticket: QueueTicket<'a>,
}

/// What a writer has changed.
#[derive(Debug, Default)]
pub(crate) struct ChangedFiles {
    /// The files that are new, changed or gone.
    pub(crate) paths: Vec<VaultPath>,
    /// The old and the new paths of files.
    pub(crate) moves: Vec<(VaultPath, VaultPath)>,
}

impl WriteLock {
    /// Waits for the right to write.
    ///
    /// # Errors
    /// [`VaultError::Busy`] if another process holds the lock for too long.
    pub(crate) fn acquire(&self, root: &VaultRoot) -> Result<Writer<'_>> {
        // Measured from here, so that writers queued behind one that times out fail together with
        // it.
        let end = Instant::now() + LOCK_TIMEOUT;
        let ticket = self.take_ticket()?;
        let state = open_state(&root.dir);
        let state = state.map_err(|error| open_error(&root.dir, EngineEntry::State, error))?;
        let file =
            open_lock(&state).map_err(|error| open_error(&state, EngineEntry::Lock, error))?;
        let lock = self.wait_for_lock(&file, end)?.then_some(file);
        let staging = open_or_create(&state, STAGING);
        let staging = staging.map_err(|error| open_error(&state, EngineEntry::Staging, error))?;
        let changed = RefCell::default();
        Ok(Writer { staging, state, changed, may_change: None, _lock: lock, ticket })
    }

    /// Keeps the writers of this process from changing a file, except those that have the lease.
    pub(crate) fn lease(&self, path: &VaultPath) {
        *self.lock_leases().entry(path.to_nfc()).or_default() += 1;
    }

    pub(crate) fn end_lease(&self, path: &VaultPath) {
        let mut leases = self.lock_leases();
        let name = path.to_nfc();
        if let Some(count) = leases.get_mut(&name) {
            *count -= 1;
            if *count == 0 {
                leases.remove(&name);
            }
        }
    }

    fn lock_leases(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the other writers of this process.
    fn take_ticket(&self) -> Result<QueueTicket<'_>> {
        let mut queue = self.lock_queue();
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
        Ok(QueueTicket(self))
    }

    /// Returns `true` once the lock is taken, and `false` if the file system has no locks.
    fn wait_for_lock(&self, file: &std::fs::File, end: Instant) -> Result<bool> {
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            match file.try_lock() {
                Ok(()) => {
                    self.lock_queue().held_elsewhere = false;
                    return Ok(true);
                }
                Err(TryLockError::Error(_)) => return Ok(false),
                Err(TryLockError::WouldBlock) if Instant::now() > end => {
                    return Err(VaultError::Busy);
                }
                Err(TryLockError::WouldBlock) => {
                    if start.elapsed() > GRACE && !self.lock_queue().held_elsewhere {
                        self.lock_queue().held_elsewhere = true;
                        self.changed.notify_all();
                    }
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(20));
                }
            }
        }
    }

    fn lock_queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes all temporary files. The caller holds the write lock.
pub(crate) fn sweep(staging: &Dir) {
    for entry in staging.entries().into_iter().flatten().flatten() {
        // The next start removes a file that stays.
        let _ = staging.remove_file(entry.file_name());
    }
}

impl Writer<'_> {
    /// Lets this writer change a file that is leased.
    pub(crate) fn allow_leased(&mut self, path: &VaultPath) {
        self.may_change = Some(path.to_nfc());
    }

    /// Reports that a file is about to be new, changed or gone.
    ///
    /// # Errors
    /// [`VaultError::Leased`] if the file is leased to others.
    pub(crate) fn report_change(&self, path: &VaultPath) -> Result<()> {
        let name = path.to_nfc();
        if self.may_change.as_ref() != Some(&name)
            && self.ticket.0.lock_leases().contains_key(&name)
        {
            return Err(VaultError::Leased { path: path.clone() });
        }
        self.changed.borrow_mut().paths.push(path.clone());
        Ok(())
    }

    /// Reports that a file has another path now.
    pub(crate) fn report_move(&self, from: &VaultPath, to: &VaultPath) {
        self.changed.borrow_mut().moves.push((from.clone(), to.clone()));
    }

    /// Takes the changes that were reported since the last call.
    pub(crate) fn take_changes(&mut self) -> ChangedFiles {
        self.changed.take()
    }
}

/// The engine's own folders under the lock, which no writer held.
pub(crate) struct Unattended {
    pub(crate) staging: Dir,
    pub(crate) state: Dir,
    _lock: std::fs::File,
}

/// Takes the lock without waiting and without creating anything, to clean up after a killed writer.
/// `None` if a writer holds it, or none was ever here.
pub(crate) fn lock_if_free(root: &VaultRoot) -> Option<Unattended> {
    let state = root.dir.open_dir_nofollow(OWN_FOLDER).ok()?;
    let staging = state.open_dir_nofollow(STAGING).ok()?;
    let lock = open_lock(&state).ok()?;
    lock.try_lock().ok()?;
    Some(Unattended { staging, state, _lock: lock })
}

/// A file or folder in `.toolwrit/` that every writer needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EngineEntry {
    State,
    Lock,
    Staging,
}

/// The error for an entry of `.toolwrit/` that could not be opened in `dir`.
fn open_error(dir: &Dir, entry: EngineEntry, error: io::Error) -> VaultError {
    let (name, path) = match entry {
        EngineEntry::State => (OWN_FOLDER, OWN_FOLDER),
        EngineEntry::Lock => (LOCK, ".toolwrit/lock"),
        EngineEntry::Staging => (STAGING, ".toolwrit/tmp"),
    };
    let found = match dir.symlink_metadata(name) {
        Ok(found) if found.is_symlink() => "a symbolic link",
        Ok(found) if found.is_dir() => "a folder",
        Ok(found) if found.is_file() => "a file",
        Ok(_) => "neither a file nor a folder",
        Err(_) => return VaultError::change_error("open", path, error),
    };
    let needed = if entry == EngineEntry::Lock { "a file" } else { "a folder" };
    if found == needed {
        return VaultError::change_error("open", path, error);
    }
    VaultError::Obstructed { path, found, needed }
}

fn open_state(root: &Dir) -> io::Result<Dir> {
    if let Ok(state) = root.open_dir_nofollow(OWN_FOLDER) {
        return Ok(state);
    }
    let state = open_or_create(root, OWN_FOLDER)?;
    // Version control should ignore locks and temporary files.
    state.write(".gitignore", "*\n")?;
    Ok(state)
}

/// Opens the lock file. Refuses anything else in its place, because opening a pipe would block.
fn open_lock(state: &Dir) -> io::Result<std::fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).follow(FollowSymlinks::No).nonblock(true);
    let opened = state.open_with(LOCK, &options);
    if state.symlink_metadata(LOCK).is_ok_and(|found| !found.is_file()) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let file = opened?;
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok(file.into_std())
}
