//! Searching the text of many notes on all processors, in batches, in a fixed order.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use cap_std::fs::Dir;
use regex::Regex;

use super::excerpt::{Excerpt, excerpts};
use super::{Hit, SearchOptions, SearchResults};
use crate::error::{Result, VaultError};
use crate::large;
use crate::note::{Decoded, NOTE_LIMIT};
use crate::path::VaultPath;
use crate::storage::root::{VaultRoot, open_file, read_up_to};
use crate::storage::walk::{CancelCheck, LastFolder};

/// Notes searched between two merges. It bounds the hits that are kept beyond the limit.
const BATCH: usize = 1024;
/// Notes that one worker takes at a time. They mostly share a folder, which is opened once.
const SHARE: usize = 32;
/// Most workers.
const WORKERS: usize = 8;

/// Larger notes, in bytes, are searched one at a time.
const ALONE: u64 = 1024 * 1024;

/// The result for one note.
enum Scanned {
    NotSearched,
    Searched { shown: Vec<Excerpt>, count: usize },
}

/// Searches notes and keeps their order.
pub(crate) fn scan(
    root: &VaultRoot,
    notes: &[VaultPath],
    expression: &Regex,
    SearchOptions { limit, per_note }: SearchOptions,
    cancel: CancelCheck<'_>,
) -> Result<SearchResults> {
    let mut results = SearchResults::default();
    for batch in notes.chunks(BATCH) {
        let wanted = (limit - results.hits.len()).min(per_note.unwrap_or(usize::MAX));
        let scanned = scan_batch(root, batch, expression, wanted, cancel);
        if cancel() {
            return Err(VaultError::Cancelled);
        }
        for (path, scanned) in batch.iter().zip(scanned) {
            results.add(path, scanned, limit);
        }
    }
    Ok(results)
}

impl SearchResults {
    fn add(&mut self, path: &VaultPath, scanned: Scanned, limit: usize) {
        match scanned {
            Scanned::NotSearched => self.not_searched += 1,
            Scanned::Searched { shown, count } => {
                self.total_hits += count;
                self.matching_files += usize::from(count > 0);
                let free = limit - self.hits.len();
                self.hits.extend(
                    shown
                        .into_iter()
                        .take(free)
                        .map(|excerpt| Hit { path: path.clone(), excerpt: Some(excerpt) }),
                );
            }
        }
    }
}

/// Searches a batch and returns one result for each note, in order. After a cancellation the
/// results are incomplete.
fn scan_batch(
    root: &VaultRoot,
    batch: &[VaultPath],
    expression: &Regex,
    wanted: usize,
    cancel: CancelCheck<'_>,
) -> Vec<Scanned> {
    let shares: Vec<&[VaultPath]> = batch.chunks(SHARE).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        let mut folder = LastFolder::new(root);
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(share) = shares.get(index) else { return done };
            done.push((index, scan_share(&mut folder, share, expression, wanted, cancel)));
        }
    };
    let workers = thread::available_parallelism().map_or(1, NonZero::get).min(WORKERS);
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..workers.min(shares.len())).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().flat_map(|(_, scanned)| scanned).collect()
}

fn scan_share(
    folder: &mut LastFolder<'_>,
    share: &[VaultPath],
    expression: &Regex,
    wanted: usize,
    cancel: CancelCheck<'_>,
) -> Vec<Scanned> {
    share
        .iter()
        .map(|path| {
            if cancel() {
                return Scanned::NotSearched;
            }
            let searched = folder.open(path).and_then(|dir| {
                with_text(dir, path.name(), |text| excerpts(text, expression, wanted))
            });
            searched
                .map_or(Scanned::NotSearched, |(shown, count)| Scanned::Searched { shown, count })
        })
        .collect()
}

/// Reads the text of a note within the size limit and passes it to `look`. Only one of the largest
/// notes is in memory at a time.
pub(crate) fn with_text<T>(dir: &Dir, name: &str, look: impl FnOnce(&str) -> T) -> Option<T> {
    let size = dir.symlink_metadata(name).ok()?.len();
    let work = || read_text(dir, name).map(|text| look(&text));
    if size > ALONE { large::run_alone(size, work) } else { work() }
}

/// The text of a note within the size limit, with its own line endings.
pub(crate) fn read_text(dir: &Dir, name: &str) -> Option<String> {
    let (mut file, metadata) = open_file(dir, name).ok()?;
    let bytes = read_up_to(&mut file, NOTE_LIMIT, metadata.len().min(NOTE_LIMIT)).ok()??;
    Decoded::decode_text(bytes).ok()
}
