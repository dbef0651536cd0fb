//! Searching the text of many notes on all processors, in batches, in a fixed order.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use cap_std::fs::Dir;

use super::excerpt::{Excerpt, excerpts};
use super::expression::Expression;
use super::{Hit, SearchResults};
use crate::error::{Result, VaultError};
use crate::index::Candidate;
use crate::large;
use crate::note::{Decoded, NOTE_LIMIT};
use crate::path::VaultPath;
use crate::root::{Root, open_file, read_up_to};
use crate::walk::{CancelCheck, LastFolder};

/// Notes searched between two merges; bounds what is held beyond the limit.
const BATCH: usize = 1024;
/// Notes that one worker takes at a time. They mostly share a folder, which is opened once.
const SHARE: usize = 32;
/// Most workers.
const WORKERS: usize = 8;

/// Size in bytes of a note that is not held together with others.
const ALONE: u64 = 1024 * 1024;

/// What became of one note.
enum Scanned {
    NotSearched,
    Searched { shown: Vec<Excerpt>, count: usize },
}

/// Searches notes in their order.
pub(super) fn scan(
    root: &Root,
    notes: Vec<(VaultPath, Candidate)>,
    expression: &Expression,
    limit: usize,
    cancel: CancelCheck<'_>,
) -> Result<SearchResults> {
    let mut results = SearchResults::default();
    let notes = results.count_unseen(notes, limit);
    for batch in notes.chunks(BATCH) {
        let wanted = limit - results.hits.len();
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
    /// Counts the notes that need not be read, as it is known in how many lines they match and enough stand
    /// before them to be shown. Returns the others.
    fn count_unseen(&mut self, notes: Vec<(VaultPath, Candidate)>, limit: usize) -> Vec<VaultPath> {
        let mut before = 0;
        let read = notes.into_iter().filter_map(|(path, candidate)| {
            if let Candidate::InLines(lines) = candidate {
                if before >= limit {
                    self.total_hits += lines;
                    self.matching_files += 1;
                    return None;
                }
                before += lines;
            }
            Some(path)
        });
        read.collect()
    }

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

/// Searches a batch and returns one outcome for each note, in order. After a cancellation the
/// outcomes are of no use.
fn scan_batch(
    root: &Root,
    batch: &[VaultPath],
    expression: &Expression,
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
    expression: &Expression,
    wanted: usize,
    cancel: CancelCheck<'_>,
) -> Vec<Scanned> {
    share
        .iter()
        .map(|path| {
            if cancel() {
                return Scanned::NotSearched;
            }
            let searched = folder.of(path).and_then(|dir| {
                with_text(dir, path.name(), |text| excerpts(text, expression, wanted))
            });
            searched
                .map_or(Scanned::NotSearched, |(shown, count)| Scanned::Searched { shown, count })
        })
        .collect()
}

/// Looks at the text of a note that is small enough. Of the largest, one is looked at at a time.
pub(super) fn with_text<T>(dir: &Dir, name: &str, look: impl FnOnce(&str) -> T) -> Option<T> {
    let size = dir.symlink_metadata(name).ok()?.len();
    let work = || read_text(dir, name).map(|text| look(&text));
    if size > ALONE { large::alone(size, work) } else { work() }
}

/// The text of a note that is small enough, with its own line endings.
pub(crate) fn read_text(dir: &Dir, name: &str) -> Option<String> {
    let (mut file, metadata) = open_file(dir, name).ok()?;
    let bytes = read_up_to(&mut file, NOTE_LIMIT, metadata.len().min(NOTE_LIMIT)).ok()??;
    Decoded::text_of(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_whose_lines_are_known_are_not_read_once_enough_are_shown() {
        let note = |name: &str, candidate| (VaultPath::parse(name).unwrap(), candidate);
        let notes = || {
            vec![
                note("a.md", Candidate::Maybe),
                note("b.md", Candidate::InLines(2)),
                note("c.md", Candidate::InLines(3)),
                note("d.md", Candidate::Maybe),
                note("e.md", Candidate::InLines(4)),
            ]
        };
        for (limit, read, counted) in [
            (0, vec!["a.md", "d.md"], (9, 3)),
            (1, vec!["a.md", "b.md", "d.md"], (7, 2)),
            (3, vec!["a.md", "b.md", "c.md", "d.md"], (4, 1)),
            (6, vec!["a.md", "b.md", "c.md", "d.md", "e.md"], (0, 0)),
        ] {
            let mut results = SearchResults::default();
            let left = results.count_unseen(notes(), limit);
            assert_eq!(left.iter().map(VaultPath::as_str).collect::<Vec<_>>(), read, "{limit}");
            assert_eq!((results.total_hits, results.matching_files), counted, "{limit}");
        }
    }
}
