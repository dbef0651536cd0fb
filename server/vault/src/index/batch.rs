//! FsChanges gathered for a moment, and the marks in it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use crate::path::VaultPath;
use crate::watcher::{FsChanges, below};

/// How long news is gathered before it is looked at: programs write files in several steps.
const GATHER: Duration = Duration::from_millis(20);
/// The start of the names of files whose only purpose is to be noticed.
const MARK: &str = ".toolwrit-mark-";

/// The name of a mark of this process.
pub(super) fn mark_name(number: u64) -> String {
    format!("{MARK}{}-{number}", std::process::id())
}

/// FsChanges of a moment.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) paths: BTreeSet<VaultPath>,
    /// Whether anything may have changed.
    pub(super) lost: bool,
    /// The last mark in it, or zero.
    pub(super) mark: u64,
}

impl Batch {
    /// Gathers news until a mark, or for a moment. `None` if it is to stop.
    pub(super) fn gather(
        first: FsChanges,
        incoming: &Receiver<FsChanges>,
        folder: &Path,
    ) -> Option<Self> {
        let mut batch = Self::default();
        let end = Instant::now() + GATHER;
        let mut next = Some(first);
        while let Some(news) = next {
            batch.add(news, folder)?;
            let left = end.saturating_duration_since(Instant::now());
            next = match batch.mark {
                0 => incoming.recv_timeout(left).ok(),
                _ => incoming.try_recv().ok(),
            };
        }
        Some(batch)
    }

    fn add(&mut self, news: FsChanges, folder: &Path) -> Option<()> {
        match news {
            FsChanges::Stop => return None,
            FsChanges::Lost => self.lost = true,
            FsChanges::Changed(places) => {
                for place in places {
                    if let Some(path) = below(folder, &place) {
                        // What no path can spell is not part of the vault.
                        self.paths.extend(VaultPath::parse(&path));
                    } else if let Some(mark) = mark(&place) {
                        self.mark = self.mark.max(mark);
                    }
                }
            }
        }
        Some(())
    }
}

/// The number of a mark of this process.
fn mark(place: &Path) -> Option<u64> {
    let (process, number) = place.file_name()?.to_str()?.strip_prefix(MARK)?.split_once('-')?;
    (process.parse() == Ok(std::process::id())).then(|| number.parse().ok()).flatten()
}
