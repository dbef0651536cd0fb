//! FsChanges by way of `notify`, which knows most systems.

use std::path::Path;
use std::sync::mpsc::Sender;

use notify::event::{AccessKind, AccessMode};
use notify::{
    Config, ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _,
};

use super::FsChanges;

/// Whether the system gives news of a folder with all that is below it. Elsewhere each folder is watched
/// by itself, and hidden ones, where this program works, not at all.
const WHOLE_TREES: bool = cfg!(any(windows, target_vendor = "apple"));

/// Watches until dropped.
pub(crate) struct Watcher(RecommendedWatcher);

impl Watcher {
    /// Sends news of a folder; of those below it once they are added. `None` if the system does not
    /// give any.
    pub(crate) fn start(folder: &Path, news: Sender<FsChanges>) -> Option<Self> {
        let send = move |event: notify::Result<Event>| {
            let news_of = match event {
                Ok(event) if event.need_rescan() => FsChanges::Lost,
                Ok(event) if is_change(event.kind) => FsChanges::Changed(event.paths),
                Ok(_) => return,
                Err(_) => FsChanges::Lost,
            };
            // Whoever does not listen any more is about to drop the watcher.
            let _ = news.send(news_of);
        };
        let config = Config::default().with_follow_symlinks(false);
        let mut watcher = RecommendedWatcher::new(send, config).ok()?;
        let mode = if WHOLE_TREES { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
        watcher.watch(folder, mode).ok()?;
        Some(Self(watcher))
    }

    /// Watches a folder below from now on. Returns whether there will be news of it: there is none of
    /// what is gone, or may not be read, and that is as it should be.
    pub(crate) fn add(&mut self, folder: &Path) -> bool {
        if WHOLE_TREES {
            return true;
        }
        match self.0.watch(folder, RecursiveMode::NonRecursive) {
            Err(error) => !matches!(error.kind, ErrorKind::MaxFilesWatch),
            Ok(()) => true,
        }
    }

    /// Sends all news that there is up to now without delay, as always.
    #[expect(clippy::unused_self, reason = "where news is left to gather, it is needed")]
    pub(crate) fn flush(&self) {}
}

/// Looking is no change; closing a file that was open for writing ends one.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}
