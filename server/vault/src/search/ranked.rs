//! Word search: the index ranks notes, and the best ones are read for an excerpt.

use super::excerpt::best_line;
use super::scan::with_text;
use super::{Hit, SearchResults};
use crate::error::{Result, VaultError};
use crate::path::{Folder, VaultPath};
use crate::vault::Vault;
use crate::walk::{CancelCheck, LastFolder};

impl Vault {
    /// The notes that fit folded words best.
    pub(super) fn search_words(
        &self,
        asked: &[String],
        folder: &Folder,
        limit: usize,
        cancel: CancelCheck<'_>,
    ) -> Result<SearchResults> {
        let (_, folder) = self.root().folder(folder)?;
        let index = self.index(cancel)?;
        let scores = index.scores(asked).into_iter();
        let notes = scores.filter_map(|(id, score)| Some((score, index.names.path(id)?)));
        let mut notes: Vec<_> = notes.filter(|(_, path)| path.is_below(&folder)).collect();
        let total = notes.len();
        if limit < total {
            notes.select_nth_unstable_by(limit, better);
            notes.truncate(limit);
        }
        notes.sort_unstable_by(better);
        let best: Vec<VaultPath> = notes.into_iter().map(|(_, path)| path.clone()).collect();
        let not_searched = index.unread();
        drop(index);
        let mut last = LastFolder::new(self.root());
        let mut hits = Vec::with_capacity(best.len());
        for path in best {
            if cancel() {
                return Err(VaultError::Cancelled);
            }
            let dir = last.of(&path);
            let found =
                dir.and_then(|dir| with_text(dir, path.name(), |text| best_line(text, asked)));
            let excerpt = found.flatten();
            hits.push(Hit { path, excerpt });
        }
        Ok(SearchResults { hits, total_hits: total, matching_files: total, not_searched })
    }
}

/// Orders higher scores first, and equal ones by path.
fn better(a: &(f32, &VaultPath), b: &(f32, &VaultPath)) -> std::cmp::Ordering {
    b.0.total_cmp(&a.0).then_with(|| a.1.as_str().cmp(b.1.as_str()))
}
