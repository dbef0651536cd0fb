//! FsChanges by Linux's inotify, asked for changes alone: whoever also asks for the opening of files is
//! woken by each note that is read.
//!
//! Each folder is watched by itself, and hidden ones, where this program works, not at all.

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

/// What is news: of the names in a folder, and of the files and folders that bear them.
const CHANGES: WatchFlags = WatchFlags::ATTRIB
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::DONT_FOLLOW);

/// Bytes of news that are read at once.
const BUFFER: usize = 1 << 14;

/// How long news is left to gather after some was read, so that many changes do not wake anybody as
/// many times.
const PAUSE: Duration = Duration::from_millis(10);

/// Watches until dropped.
pub(crate) struct Watcher(Arc<Watched>);

struct Watched {
    inotify: OwnedFd,
    /// The vault's folder. The thread that reads ends with this watch.
    root: i32,
    /// Every watched folder by its watch. Held while one is added, so that no news of it comes before.
    folders: Mutex<HashMap<i32, PathBuf>>,
    /// Whether somebody waits for news, who ends the pause.
    flush_pending: Mutex<bool>,
    flush_requested: Condvar,
}

impl Watcher {
    /// Sends news of a folder; of those below it once they are added. `None` if the system does not
    /// give any.
    pub(crate) fn start(folder: &Path, news: Sender<FsChanges>) -> Option<Self> {
        let inotify = init(CreateFlags::CLOEXEC).ok()?;
        let root = add_watch(&inotify, folder, CHANGES).ok()?;
        let folders = Mutex::new(HashMap::from([(root, folder.to_owned())]));
        let (flush_pending, flush_requested) = (Mutex::default(), Condvar::new());
        let watched = Arc::new(Watched { inotify, root, folders, flush_pending, flush_requested });
        let reading = Arc::clone(&watched);
        let read = move || reading.read(&news);
        thread::Builder::new().name("toolwrit-watch".to_owned()).spawn(read).ok()?;
        Some(Self(watched))
    }

    /// Watches a folder below from now on. Returns whether there will be news of it: there is none of
    /// what is gone, or may not be read, and that is as it should be.
    pub(crate) fn add(&mut self, folder: &Path) -> bool {
        let mut folders = self.0.folders();
        match add_watch(&self.0.inotify, folder, CHANGES) {
            Ok(watch) => {
                folders.insert(watch, folder.to_owned());
                true
            }
            // The system lets nobody watch any number of folders.
            Err(error) => error != Errno::NOSPC,
        }
    }

    /// Sends all news that there is up to now without delay.
    pub(crate) fn flush(&self) {
        *self.0.flush_pending() = true;
        self.0.flush_requested.notify_all();
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // If it is gone already, the thread has ended.
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

    /// The work of the thread. It ends when the vault's folder is not watched any more, or when
    /// nobody listens.
    fn read(&self, news: &Sender<FsChanges>) {
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut reader = Reader::new(&self.inotify, &mut buffer);
        let mut changed = Vec::new();
        loop {
            let told = match reader.next() {
                Ok(event) if self.is_end(&event) => return,
                Ok(event) if event.events().contains(ReadFlags::QUEUE_OVERFLOW) => {
                    news.send(FsChanges::Lost)
                }
                Ok(event) => {
                    changed.extend(self.place(&event));
                    Ok(())
                }
                Err(Errno::INTR) => Ok(()),
                Err(_) => return drop(news.send(FsChanges::Lost)),
            };
            if told.is_err() {
                return;
            }
            if reader.is_buffer_empty() && !changed.is_empty() {
                if news.send(FsChanges::Changed(std::mem::take(&mut changed))).is_err() {
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

    /// Where something is new, different or gone.
    fn place(&self, event: &Event<'_>) -> Option<PathBuf> {
        let mut folders = self.folders();
        if event.events().contains(ReadFlags::IGNORED) {
            folders.remove(&event.wd());
            return None;
        }
        let name = OsStr::from_bytes(event.file_name()?.to_bytes());
        let place = folders.get(&event.wd())?.join(name);
        if event.events().contains(ReadFlags::ISDIR | ReadFlags::MOVED_FROM) {
            // Its watches go with it, and would tell of its old place.
            let gone = folders.extract_if(|_, folder| folder.starts_with(&place));
            for (watch, _) in gone {
                let _ = remove_watch(&self.inotify, watch);
            }
        }
        Some(place)
    }
}
