//! Reports that the files of a manifest may have changed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;
use tokio::time::sleep;

/// The time for which changes are collected. Editors write a file in several steps.
const CHANGES_TIME: Duration = Duration::from_millis(100);

/// Watches the folders of some files. Files themselves cannot be watched, because many editors replace them.
pub struct FileWatch {
    watcher: RecommendedWatcher,
    folders: BTreeSet<PathBuf>,
    changed: Arc<Notify>,
}

impl FileWatch {
    /// Watches nothing yet.
    ///
    /// # Errors
    /// If the system does not let the process watch files.
    pub fn new() -> notify::Result<Self> {
        let changed = Arc::new(Notify::new());
        let notified = changed.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // Reading a file is an event, too. After an error, events may have been lost.
            if event.map_or(true, |event| !matches!(event.kind, EventKind::Access(_))) {
                notified.notify_one();
            }
        })?;
        Ok(Self { watcher, folders: BTreeSet::new(), changed })
    }

    /// Watches the folders of these files, and no others. A folder that does not exist may still be created, so the one
    /// above it is watched.
    ///
    /// # Errors
    /// If a folder cannot be watched. The others are watched.
    pub fn watch<'a>(&mut self, files: impl IntoIterator<Item = &'a Path>) -> notify::Result<()> {
        let folders: BTreeSet<PathBuf> = files.into_iter().map(existing_folder).collect();
        for gone in self.folders.difference(&folders) {
            // The watch of a folder that was removed has ended.
            let _ = self.watcher.unwatch(gone);
        }
        // A folder that was replaced has the same name, so all are watched again.
        let watched = folders
            .iter()
            .map(|folder| self.watcher.watch(folder, RecursiveMode::NonRecursive))
            .collect::<Vec<_>>();
        self.folders = folders;
        watched.into_iter().collect()
    }

    /// Completes when something in these folders has changed since the last call, and then been quiet for a moment.
    pub async fn changed(&self) {
        self.changed.notified().await;
        sleep(CHANGES_TIME).await;
    }
}

/// The folder of a file, or the nearest one above it that exists.
fn existing_folder(file: &Path) -> PathBuf {
    let here = Path::new(".");
    let folders = file.ancestors().skip(1);
    let mut folders =
        folders.map(|folder| if folder.as_os_str().is_empty() { here } else { folder });
    folders.find(|folder| folder.is_dir()).unwrap_or(here).to_owned()
}
