//! Searching the vault's files.

mod excerpt;
mod expression;
mod ranked;
mod required;
mod scan;

use regex::Regex;

use crate::error::{Result, VaultError};
use crate::glob::{PathGlob, bad_pattern, check_length};
use crate::index::words;
use crate::path::{Folder, VaultPath, normal_form};
use crate::query::Condition;
use crate::vault::Vault;
use crate::walk::{CancelCheck, files};

pub use excerpt::Excerpt;
use expression::expression;
pub(crate) use required::RequiredWords;
pub(crate) use scan::read_text;

/// Most words of a query.
const WORDS: usize = 32;

/// What to search for.
#[derive(Debug, Clone)]
pub struct Pattern(PatternKind);

#[derive(Debug, Clone)]
enum PatternKind {
    /// Folded words, ranked by relevance.
    Words(Vec<String>),
    /// In the text of notes that hold the required words.
    Content(Regex, Option<RequiredWords>),
    /// In the paths of files.
    Path(PathGlob),
    /// In the frontmatter of notes.
    Frontmatter(Condition),
}

/// Whether upper and lower case differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseSensitivity {
    /// `a` and `A` differ.
    Sensitive,
    /// `a` and `A` are the same.
    Insensitive,
}

impl Pattern {
    /// Words in notes, in any order, case and Unicode normal form. Notes that contain more of them,
    /// more often, or in their names, aliases and headings come first. A word of three letters or
    /// more also finds words that start with it.
    ///
    /// # Errors
    /// [`BadPattern`](crate::VaultError::BadPattern) if it contains no word or is too long.
    pub fn text(query: &str) -> Result<Self> {
        check_length(query)?;
        let mut asked = Vec::new();
        words(query, |word, _| {
            if asked.len() < WORDS && asked.iter().all(|known| known != word) {
                asked.push(word.to_owned());
            }
        });
        if asked.is_empty() {
            let reason = "it contains no word; use a regular expression to find other characters";
            return Err(bad_pattern(query, reason.to_owned()));
        }
        Ok(Self(PatternKind::Words(asked)))
    }

    /// A condition on the frontmatter of notes, such as `status = todo and priority > 2`. Tests are
    /// `=`, `!=`, `<`, `<=`, `>`, `>=`, `contains`, `in (a, b)`, `exists` and `missing`, joined by
    /// `and`, `or`, `not` and parentheses; `tags` stands for all tags of a note.
    ///
    /// # Errors
    /// [`BadPattern`](crate::VaultError::BadPattern), which names the column and what is expected.
    pub fn frontmatter(query: &str) -> Result<Self> {
        Condition::parse(query).map(|condition| Self(PatternKind::Frontmatter(condition)))
    }

    /// Exactly this text in notes, in any Unicode normal form.
    ///
    /// # Errors
    /// [`BadPattern`](crate::VaultError::BadPattern) if it is empty or too long.
    pub fn literal(query: &str, case: CaseSensitivity) -> Result<Self> {
        use unicode_normalization::UnicodeNormalization;
        let composed = normal_form(query);
        let decomposed: String = query.nfd().collect();
        let mut source = regex::escape(&composed);
        if composed != decomposed {
            source = format!("{source}|{}", regex::escape(&decomposed));
        }
        Self::content(query, &source, case)
    }

    /// A regular expression over the text of notes, in the syntax of the `regex` crate. `^` and `$`
    /// match at the ends of a line.
    ///
    /// # Errors
    /// [`BadPattern`](crate::VaultError::BadPattern) with the crate's explanation.
    pub fn regex(query: &str, case: CaseSensitivity) -> Result<Self> {
        Self::content(query, query, case)
    }

    /// A glob over the paths of files; see [`PathGlob`].
    ///
    /// # Errors
    /// [`BadPattern`](crate::VaultError::BadPattern) with the reason.
    pub fn glob(query: &str, case: CaseSensitivity) -> Result<Self> {
        PathGlob::build(query, case == CaseSensitivity::Insensitive)
            .map(|glob| Self(PatternKind::Path(glob)))
    }

    /// The glob, if it is a pattern for paths.
    pub(crate) fn as_glob(&self) -> Option<&PathGlob> {
        match &self.0 {
            PatternKind::Path(glob) => Some(glob),
            PatternKind::Words(_) | PatternKind::Content(..) | PatternKind::Frontmatter(_) => None,
        }
    }

    fn content(query: &str, source: &str, case: CaseSensitivity) -> Result<Self> {
        if query.is_empty() {
            return Err(bad_pattern(query, "it is empty".to_owned()));
        }
        check_length(query)?;
        expression(source, case)
            .map(|expression| {
                Self(PatternKind::Content(expression, RequiredWords::of(source, case)))
            })
            .map_err(|error| bad_pattern(query, error.to_string()))
    }
}

/// A place where the pattern was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The file.
    pub path: VaultPath,
    /// The line, for searches in text. For words, the first line with most of them; `None` if they
    /// are only in the note's name.
    pub excerpt: Option<Excerpt>,
}

/// The outcome of a search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchResults {
    /// The first hits, up to the limit: for words, the best first; otherwise in the order of paths
    /// and lines.
    pub hits: Vec<Hit>,
    /// The total number of hits: matching lines for exact text and expressions, otherwise files.
    pub total_hits: usize,
    /// How many files have at least one hit.
    pub matching_files: usize,
    /// How many notes could not be searched: too large, not text, or unreadable.
    pub not_searched: usize,
}

impl Vault {
    /// Searches the files in and below `folder`. Returns the first `limit` hits and the totals.
    ///
    /// Exact text and regular expressions are searched in notes (`.md`) line by line; each line
    /// counts once. Words and conditions find whole notes, through the index. The result does not
    /// depend on the machine or its load.
    ///
    /// # Errors
    /// `NotFound` or `InvalidPath` if there is no such folder, `Cancelled`, `Io`.
    pub fn search(
        &self,
        pattern: &Pattern,
        folder: &Folder,
        limit: usize,
        cancel: CancelCheck<'_>,
    ) -> Result<SearchResults> {
        match &pattern.0 {
            PatternKind::Words(asked) => self.search_words(asked, folder, limit, cancel),
            PatternKind::Frontmatter(condition) => {
                let (_, folder) = self.root().folder(folder)?;
                let index = self.index(cancel)?;
                let matching = index.notes().filter(|(_, facts)| condition.holds(&facts.values));
                let paths = matching.filter_map(|(id, _)| index.names.path(id));
                let matching = paths.filter(|path| path.is_below(&folder)).cloned().collect();
                let not_searched = index.unread();
                Ok(SearchResults { not_searched, ..SearchResults::of_paths(matching, limit) })
            }
            PatternKind::Content(expression, required) => {
                let notes = self.notes_with(required.as_ref(), folder, cancel)?;
                scan::scan(self.root(), &notes, expression, limit, cancel)
            }
            PatternKind::Path(glob) => self
                .files_like(glob, folder, cancel)
                .map(|paths| SearchResults::of_paths(paths, limit)),
        }
    }

    /// The files in and below a folder whose paths match, unordered. Until the index is built, the
    /// folders are read.
    fn files_like(
        &self,
        glob: &PathGlob,
        folder: &Folder,
        cancel: CancelCheck<'_>,
    ) -> Result<Vec<VaultPath>> {
        let (_, within) = self.root().folder(folder)?;
        let Some(index) = self.watched_index() else {
            return self.files_on_disk(glob, folder, cancel);
        };
        if cancel() {
            return Err(VaultError::Cancelled);
        }
        let paths = index.names.iter().map(|(_, path)| path);
        let matching = paths.filter(|path| path.is_below(&within) && glob.matches(path));
        Ok(matching.cloned().collect())
    }

    /// The same, read from the folders.
    pub(crate) fn files_on_disk(
        &self,
        glob: &PathGlob,
        folder: &Folder,
        cancel: CancelCheck<'_>,
    ) -> Result<Vec<VaultPath>> {
        let mut files = files(self.root(), folder, cancel)?;
        files.retain(|path| glob.matches(path));
        Ok(files)
    }

    /// The notes in and below a folder that may contain the required words, in the order of a walk.
    fn notes_with(
        &self,
        required: Option<&RequiredWords>,
        folder: &Folder,
        cancel: CancelCheck<'_>,
    ) -> Result<Vec<VaultPath>> {
        let Some(required) = required else {
            let mut notes = files(self.root(), folder, cancel)?;
            notes.retain(VaultPath::is_note);
            return Ok(notes);
        };
        let (_, folder) = self.root().folder(folder)?;
        let index = self.index(cancel)?;
        let candidates = index.candidates(required).into_iter();
        let paths = candidates.filter_map(|id| index.names.path(id));
        let mut notes: Vec<_> = paths.filter(|path| path.is_below(&folder)).cloned().collect();
        notes.sort_unstable_by(|a, b| a.as_str().split('/').cmp(b.as_str().split('/')));
        Ok(notes)
    }
}

impl SearchResults {
    /// The results for files that match as a whole.
    fn of_paths(mut paths: Vec<VaultPath>, limit: usize) -> Self {
        let total = paths.len();
        if limit < total {
            paths.select_nth_unstable(limit);
            paths.truncate(limit);
        }
        paths.sort_unstable();
        let hits = paths.into_iter().map(|path| Hit { path, excerpt: None }).collect();
        Self { hits, total_hits: total, matching_files: total, not_searched: 0 }
    }
}
