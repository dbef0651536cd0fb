//! Searching notes. Through the index, words and conditions find whole notes, and expressions are
//! searched only where they may match.

use super::Vault;
use crate::document::Document;
use crate::error::{Result, VaultError};
use crate::expression::RequiredWords;
use crate::glob::PathGlob;
use crate::path::{Folder, VaultPath, fold};
use crate::search::{
    Excerpt, Hit, PatternKind, SearchOptions, SearchPattern, SearchResults, best_lines, read_text,
    scan, with_text,
};
use crate::storage::walk::{CancelCheck, LastFolder, files};

impl Vault {
    /// Searches the files in and below `folder`. Returns the first `limit` hits and the totals.
    ///
    /// # Errors
    /// As [`search_with`](Self::search_with).
    pub fn search(
        &self,
        pattern: &SearchPattern,
        folder: &Folder,
        limit: usize,
        cancel: CancelCheck<'_>,
    ) -> Result<SearchResults> {
        self.search_with(pattern, folder, SearchOptions { limit, per_note: None }, cancel)
    }

    /// Searches the files in and below `folder`.
    ///
    /// Exact text and regular expressions are searched in notes (`.md`) line by line; each line
    /// counts once. Words, tags and conditions find whole notes, through the index. The result does not
    /// depend on the machine or its load.
    ///
    /// # Errors
    /// `NotFound` or `InvalidPath` if there is no such folder, `Cancelled`, `Io`.
    pub fn search_with(
        &self,
        pattern: &SearchPattern,
        folder: &Folder,
        options: SearchOptions,
        cancel: CancelCheck<'_>,
    ) -> Result<SearchResults> {
        let limit = options.limit;
        match &pattern.0 {
            PatternKind::Words(asked) => self.search_words(asked, folder, options, cancel),
            PatternKind::Tag(tag) => self.search_tag(tag, folder, options, cancel),
            PatternKind::Frontmatter(condition) => {
                let (_, folder) = self.root().open_folder(folder)?;
                let index = self.index(cancel)?;
                let notes = index.notes();
                let notes = notes.filter_map(|(id, facts)| Some((index.names.path(id)?, facts)));
                let (mut matching, mut not_searched) = (Vec::new(), index.unread_count());
                for (path, facts) in notes.filter(|(path, _)| path.is_below(&folder)) {
                    match &facts.values {
                        Some(values) if condition.holds(values) => matching.push(path.clone()),
                        Some(_) => {}
                        // What its properties are meant to be is unknown, so that none is missing.
                        None => not_searched += 1,
                    }
                }
                let left_out = index.left_out_below(&folder);
                let found = SearchResults::from_paths(matching, limit);
                Ok(SearchResults { not_searched, left_out, ..found })
            }
            PatternKind::Content(expression, required) => {
                let (notes, left_out) = self.find_notes_with(required.as_ref(), folder, cancel)?;
                let found = scan(self.root(), &notes, expression, options, cancel)?;
                Ok(SearchResults { left_out, ..found })
            }
            PatternKind::Path(glob) => {
                let (paths, left_out) = self.find_files(glob, folder, cancel)?;
                Ok(SearchResults { left_out, ..SearchResults::from_paths(paths, limit) })
            }
        }
    }

    /// The files in and below a folder whose paths match, unordered, and how many entries are left out. Until the index
    /// is built, the folders are read.
    fn find_files(
        &self,
        glob: &PathGlob,
        folder: &Folder,
        cancel: CancelCheck<'_>,
    ) -> Result<(Vec<VaultPath>, usize)> {
        let (_, within) = self.root().open_folder(folder)?;
        let Some(index) = self.watched_index() else {
            return self.find_files_on_disk(glob, folder, cancel);
        };
        if cancel() {
            return Err(VaultError::Cancelled);
        }
        let paths = index.names.iter().map(|(_, path)| path);
        let matching = paths.filter(|path| path.is_below(&within) && glob.matches(path));
        Ok((matching.cloned().collect(), index.left_out_below(&within)))
    }

    /// As [`find_files`](Self::find_files), read from the disk instead of the index.
    pub(crate) fn find_files_on_disk(
        &self,
        glob: &PathGlob,
        folder: &Folder,
        cancel: CancelCheck<'_>,
    ) -> Result<(Vec<VaultPath>, usize)> {
        let (mut files, left_out) = files(self.root(), folder, cancel)?;
        files.retain(|path| glob.matches(path));
        Ok((files, left_out))
    }

    /// The notes in and below a folder that may contain the required words, in the order of a walk, and how many entries
    /// are left out.
    fn find_notes_with(
        &self,
        required: Option<&RequiredWords>,
        folder: &Folder,
        cancel: CancelCheck<'_>,
    ) -> Result<(Vec<VaultPath>, usize)> {
        let Some(required) = required else {
            let (mut notes, left_out) = files(self.root(), folder, cancel)?;
            notes.retain(VaultPath::is_note);
            return Ok((notes, left_out));
        };
        let (_, folder) = self.root().open_folder(folder)?;
        let index = self.index(cancel)?;
        let candidates = index.candidates(required).into_iter();
        let paths = candidates.filter_map(|id| index.names.path(id));
        let mut notes: Vec<_> = paths.filter(|path| path.is_below(&folder)).cloned().collect();
        notes.sort_unstable_by(|a, b| a.as_str().split('/').cmp(b.as_str().split('/')));
        Ok((notes, index.left_out_below(&folder)))
    }

    /// At most `limit` of the notes that contain some of the words, as [`SearchPattern::text`] ranks
    /// them, the best first. No note is read.
    ///
    /// # Errors
    /// `BadPattern`; otherwise as [`search`](Self::search).
    pub fn rank(
        &self,
        words: &str,
        folder: &Folder,
        limit: usize,
        cancel: CancelCheck<'_>,
    ) -> Result<Vec<VaultPath>> {
        match SearchPattern::text(words)?.0 {
            PatternKind::Words(asked) => Ok(self.rank_notes(&asked, folder, limit, cancel)?.best),
            _ => Ok(Vec::new()),
        }
    }

    /// The notes that fit folded words best.
    fn rank_notes(
        &self,
        asked: &[String],
        folder: &Folder,
        limit: usize,
        cancel: CancelCheck<'_>,
    ) -> Result<RankedNotes> {
        let (_, folder) = self.root().open_folder(folder)?;
        let index = self.index(cancel)?;
        let scores = index.scores(asked).into_iter();
        let notes = scores.filter_map(|(id, score)| Some((score, index.names.path(id)?)));
        let mut notes: Vec<_> = notes.filter(|(_, path)| path.is_below(&folder)).collect();
        let total = notes.len();
        if limit < total {
            notes.select_nth_unstable_by(limit, compare_scores);
            notes.truncate(limit);
        }
        notes.sort_unstable_by(compare_scores);
        let best = notes.into_iter().map(|(_, path)| path.clone()).collect();
        let left_out = index.left_out_below(&folder);
        Ok(RankedNotes { best, total, not_searched: index.unread_count(), left_out })
    }

    /// The notes that fit folded words best, with their best lines.
    fn search_words(
        &self,
        asked: &[String],
        folder: &Folder,
        SearchOptions { limit, per_note }: SearchOptions,
        cancel: CancelCheck<'_>,
    ) -> Result<SearchResults> {
        let per_note = per_note.unwrap_or(1);
        let RankedNotes { best, total, not_searched, left_out } =
            self.rank_notes(asked, folder, limit, cancel)?;
        let mut last = LastFolder::new(self.root());
        let mut hits = Vec::with_capacity(best.len());
        for path in best {
            if cancel() {
                return Err(VaultError::Cancelled);
            }
            let dir = last.open(&path);
            let most = per_note.min(limit - hits.len());
            let best = |text: &str| best_lines(text, asked, most);
            let found = dir.and_then(|dir| with_text(dir, path.name(), best)).unwrap_or_default();
            add_hits(&mut hits, &path, found);
            if hits.len() >= limit {
                break;
            }
        }
        Ok(SearchResults { hits, total_hits: total, matching_files: total, not_searched, left_out })
    }

    /// The notes with a folded tag or one that is nested in it, with the first lines that have it.
    fn search_tag(
        &self,
        tag: &str,
        folder: &Folder,
        SearchOptions { limit, per_note }: SearchOptions,
        cancel: CancelCheck<'_>,
    ) -> Result<SearchResults> {
        let (_, within) = self.root().open_folder(folder)?;
        let index = self.index(cancel)?;
        let tagged =
            index.notes().filter(|(_, facts)| facts.tags.iter().any(|own| has_tag(own, tag)));
        let paths = tagged.filter_map(|(id, _)| index.names.path(id));
        let paths = paths.filter(|path| path.is_below(&within)).cloned().collect();
        let (not_searched, left_out) = (index.unread_count(), index.left_out_below(&within));
        drop(index);
        let found = SearchResults::from_paths(paths, limit);
        let mut last = LastFolder::new(self.root());
        let mut hits = Vec::with_capacity(found.hits.len());
        for Hit { path, .. } in found.hits {
            if cancel() {
                return Err(VaultError::Cancelled);
            }
            let most = per_note.unwrap_or(1).min(limit - hits.len());
            let text = last.open(&path).and_then(|dir| read_text(dir, path.name()));
            let lines = text.map_or_else(Vec::new, |text| find_tag_lines(&text, tag, most));
            add_hits(&mut hits, &path, lines);
            if hits.len() >= limit {
                break;
            }
        }
        Ok(SearchResults { hits, not_searched, left_out, ..found })
    }
}

/// Adds a note with its lines, or alone.
fn add_hits(hits: &mut Vec<Hit>, path: &VaultPath, lines: Vec<Excerpt>) {
    if lines.is_empty() {
        hits.push(Hit { path: path.clone(), excerpt: None });
    }
    hits.extend(lines.into_iter().map(|line| Hit { path: path.clone(), excerpt: Some(line) }));
}

/// Whether a tag is a folded one, or nested in it.
fn has_tag(tag: &str, folded: &str) -> bool {
    let tag = fold(tag);
    tag.strip_prefix(folded).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The first lines of a note with a folded tag in the text.
fn find_tag_lines(text: &str, folded: &str, most: usize) -> Vec<Excerpt> {
    let tags = Document::parse(text).map_or_else(|_| Vec::new(), |document| document.tags);
    let found = tags.into_iter().filter(|tag| has_tag(tag.name, folded));
    let mut lines: Vec<Excerpt> = Vec::new();
    for tag in found {
        let line = Excerpt::line_at(text, tag.span.start);
        if lines.last().is_none_or(|last| last.line != line.line) {
            lines.push(line);
        }
        if lines.len() >= most {
            break;
        }
    }
    lines
}

/// Notes that contain words.
struct RankedNotes {
    /// The best ones, the best first.
    best: Vec<VaultPath>,
    total: usize,
    /// How many notes could not be searched.
    not_searched: usize,
    left_out: usize,
}

/// Orders higher scores first, and equal ones by path.
fn compare_scores(a: &(f32, &VaultPath), b: &(f32, &VaultPath)) -> std::cmp::Ordering {
    b.0.total_cmp(&a.0).then_with(|| a.1.as_str().cmp(b.1.as_str()))
}
