//! Notifications through the crate `notify`, which supports most systems.

use std::path::Path;
use std::sync::mpsc::Sender;

use notify::event::{AccessKind, AccessMode};
use notify::{
    Config, ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _,
};

use super::FsChanges;

/// Whether the system watches a folder with everything below it. Elsewhere each folder is watched
/// separately, and hidden folders, in which this program works, are not watched.
const WHOLE_TREES: bool = cfg!(any(windows, target_vendor = "apple"));

/// Watches until dropped.
pub(crate) struct Watcher(RecommendedWatcher);

impl Watcher {
    /// Starts to watch a folder. Folders below it are watched once they are added. `None` if the
    /// system does not support it.
    pub(crate) fn start(folder: &Path, sender: Sender<FsChanges>) -> Option<Self> {
        let send = move |event: notify::Result<Event>| {
            let changes = match event {
                Ok(event) if event.need_rescan() => FsChanges::Lost,
                Ok(event) if is_change(event.kind) => FsChanges::Changed(event.paths),
                Ok(_) => return,
                Err(_) => FsChanges::Lost,
            };
            // Sending fails only if the receiver is about to drop the watcher.
            let _ = sender.send(changes);
        };
        let config = Config::default().with_follow_symlinks(false);
        let mut watcher = RecommendedWatcher::new(send, config).ok()?;
        let mode = if WHOLE_TREES { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
        watcher.watch(folder, mode).ok()?;
        Some(Self(watcher))
    }

    /// Watches a folder from now on. Returns `false` if its changes would be missed. Folders that
    /// do not exist or may not be read have none to report.
    pub(crate) fn add(&mut self, folder: &Path) -> bool {
        if WHOLE_TREES {
            return true;
        }
        match self.0.watch(folder, RecursiveMode::NonRecursive) {
            Err(error) => !matches!(error.kind, ErrorKind::MaxFilesWatch),
            Ok(()) => true,
        }
    }

    /// Sends all events up to now without delay, as always.
    #[expect(clippy::unused_self, reason = "the other implementation needs it")]
    pub(crate) fn flush(&self) {}
}

/// Reading is no change. Closing a file that was open for writing ends one.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}
