//! Notifications by Linux's inotify. Only changes are requested: a program that also requests the
//! opening of files is woken for each note that is read.
//!
//! Each folder is watched separately. Hidden folders, in which this program works, are not watched.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::fs::inotify::{
    CreateFlags, Event, ReadFlags, Reader, WatchFlags, add_watch, init, remove_watch,
};
use rustix::io::Errno;

use super::FsChanges;

/// The events to watch: changes of the names in a folder, and of its files and folders.
const CHANGES: WatchFlags = WatchFlags::ATTRIB
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::DONT_FOLLOW);

/// Bytes of events that are read at once.
const BUFFER: usize = 1 << 14;

/// How long to wait after reading events, so that many changes do not wake the receiver as often.
const PAUSE: Duration = Duration::from_millis(10);

/// Watches until dropped.
pub(crate) struct Watcher(Arc<Watched>);

struct Watched {
    inotify: OwnedFd,
    /// The watch of the vault's folder. The reading thread ends when it is removed.
    root: i32,
    /// Every watched folder by its watch. Held while a watch is added, so that its events are not
    /// handled before.
    folders: Mutex<HashMap<i32, PathBuf>>,
    /// Whether a caller waits for the events, which ends the pause.
    flush_pending: Mutex<bool>,
    flush_requested: Condvar,
}

impl Watcher {
    /// Starts to watch a folder. Folders below it are watched once they are added. `None` if the
    /// system does not support it.
    pub(crate) fn start(folder: &Path, sender: Sender<FsChanges>) -> Option<Self> {
        let inotify = init(CreateFlags::CLOEXEC).ok()?;
        let root = add_watch(&inotify, folder, CHANGES).ok()?;
        let folders = Mutex::new(HashMap::from([(root, folder.to_owned())]));
        let (flush_pending, flush_requested) = (Mutex::default(), Condvar::new());
        let watched = Arc::new(Watched { inotify, root, folders, flush_pending, flush_requested });
        let reading = Arc::clone(&watched);
        let read = move || reading.read(&sender);
        thread::Builder::new().name("toolwrit-watch".to_owned()).spawn(read).ok()?;
        Some(Self(watched))
    }

    /// Watches a folder from now on. Returns `false` if its changes would be missed. Folders that
    /// do not exist or may not be read have none to report.
    pub(crate) fn add(&mut self, folder: &Path) -> bool {
        let mut folders = self.0.folders();
        match add_watch(&self.0.inotify, folder, CHANGES) {
            Ok(watch) => {
                folders.insert(watch, folder.to_owned());
                true
            }
            // The system limits the number of watches.
            Err(error) => error != Errno::NOSPC,
        }
    }

    /// Sends all events up to now without delay.
    pub(crate) fn flush(&self) {
        *self.0.flush_pending() = true;
        self.0.flush_requested.notify_all();
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // If it was removed already, the thread has ended.
        let _ = remove_watch(&self.0.inotify, self.0.root);
    }
}

impl Watched {
    fn folders(&self) -> MutexGuard<'_, HashMap<i32, PathBuf>> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn flush_pending(&self) -> MutexGuard<'_, bool> {
        self.flush_pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs on the thread. It ends when the vault's folder is no longer watched or the receiver is
    /// gone.
    fn read(&self, sender: &Sender<FsChanges>) {
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut reader = Reader::new(&self.inotify, &mut buffer);
        let mut changed = Vec::new();
        loop {
            let told = match reader.next() {
                Ok(event) if self.is_end(&event) => return,
                Ok(event) if event.events().contains(ReadFlags::QUEUE_OVERFLOW) => {
                    sender.send(FsChanges::Lost)
                }
                Ok(event) => {
                    changed.extend(self.event_path(&event));
                    Ok(())
                }
                Err(Errno::INTR) => Ok(()),
                Err(_) => return drop(sender.send(FsChanges::Lost)),
            };
            if told.is_err() {
                return;
            }
            if reader.is_buffer_empty() && !changed.is_empty() {
                if sender.send(FsChanges::Changed(std::mem::take(&mut changed))).is_err() {
                    return;
                }
                self.pause();
            }
        }
    }

    fn pause(&self) {
        let go_on =
            self.flush_requested
                .wait_timeout_while(self.flush_pending(), PAUSE, |flush_pending| !*flush_pending);
        *go_on.unwrap_or_else(PoisonError::into_inner).0 = false;
    }

    fn is_end(&self, event: &Event<'_>) -> bool {
        event.wd() == self.root && event.events().contains(ReadFlags::IGNORED)
    }

    /// The path that an event is about.
    fn event_path(&self, event: &Event<'_>) -> Option<PathBuf> {
        let mut folders = self.folders();
        if event.events().contains(ReadFlags::IGNORED) {
            folders.remove(&event.wd());
            return None;
        }
        let name = OsStr::from_bytes(event.file_name()?.to_bytes());
        let path = folders.get(&event.wd())?.join(name);
        if event.events().contains(ReadFlags::ISDIR | ReadFlags::MOVED_FROM) {
            // Its watches move with it, and would report its old path.
            let gone = folders.extract_if(|_, folder| folder.starts_with(&path));
            for (watch, _) in gone {
                let _ = remove_watch(&self.inotify, watch);
            }
        }
        Some(path)
    }
}
