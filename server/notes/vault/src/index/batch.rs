//! Batches of notifications, and the marks in them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use crate::path::VaultPath;
use crate::storage::watcher::{FsChanges, vault_path_of};

/// How long notifications are gathered before they are handled: programs write files in several
/// steps.
const GATHER: Duration = Duration::from_millis(20);
/// The start of the names of mark files. A mark is created only for its notification.
const MARK: &str = ".toolwrit-mark-";

/// The name of a mark of this process.
pub(super) fn mark_name(number: u64) -> String {
    format!("{MARK}{}-{number}", std::process::id())
}

/// The notifications of a short time.
#[derive(Default)]
pub(super) struct NotificationBatch {
    pub(super) paths: BTreeSet<VaultPath>,
    /// Whether anything may have changed.
    pub(super) lost: bool,
    /// The number of the last mark in it, or zero.
    pub(super) mark: u64,
}

impl NotificationBatch {
    /// Gathers notifications until a mark arrives or the time is over. `None` if the receiver must
    /// stop.
    pub(super) fn gather(
        first: FsChanges,
        incoming: &Receiver<FsChanges>,
        folder: &Path,
    ) -> Option<Self> {
        let mut batch = Self::default();
        let end = Instant::now() + GATHER;
        let mut next = Some(first);
        while let Some(changes) = next {
            batch.add(changes, folder)?;
            let left = end.saturating_duration_since(Instant::now());
            next = match batch.mark {
                0 => incoming.recv_timeout(left).ok(),
                _ => incoming.try_recv().ok(),
            };
        }
        Some(batch)
    }

    fn add(&mut self, changes: FsChanges, folder: &Path) -> Option<()> {
        match changes {
            FsChanges::Stop => return None,
            FsChanges::Lost => self.lost = true,
            FsChanges::Changed(paths) => {
                for changed in paths {
                    if let Some(path) = vault_path_of(folder, &changed) {
                        match VaultPath::from_disk(&path) {
                            Ok(path) => drop(self.paths.insert(path)),
                            // A name that no path can spell is only counted.
                            Err(_) => self.lost = true,
                        }
                    } else if let Some(mark) = parse_mark(&changed) {
                        self.mark = self.mark.max(mark);
                    }
                }
            }
        }
        Some(())
    }
}

/// The number of a mark, if this process created it.
fn parse_mark(path: &Path) -> Option<u64> {
    let (process, number) = path.file_name()?.to_str()?.strip_prefix(MARK)?.split_once('-')?;
    (process.parse() == Ok(std::process::id())).then(|| number.parse().ok()).flatten()
}
