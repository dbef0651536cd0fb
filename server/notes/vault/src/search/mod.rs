//! Searching the vault's files.

mod excerpt;
mod scan;

use regex::Regex;

use crate::error::Result;
use crate::expression::{CaseSensitivity, RequiredWords, compile, plain_text};
use crate::glob::{PathGlob, check_length, pattern_error};
use crate::index::for_each_word;
use crate::path::{VaultPath, composed, fold, normal_form};
use crate::query::Condition;

pub use excerpt::Excerpt;
pub(crate) use excerpt::{best_lines, snippet};
pub(crate) use scan::{read_text, scan, with_text};

/// Most words of a query.
const WORDS: usize = 32;

/// What to search for.
#[derive(Debug, Clone)]
pub struct SearchPattern(pub(crate) PatternKind);

#[derive(Debug, Clone)]
pub(crate) enum PatternKind {
    /// Searches for folded words, and ranks the notes by relevance.
    Words(Vec<String>),
    /// Searches the text of notes that contain the required words.
    Content(Regex, Option<RequiredWords>),
    /// Searches the paths of files.
    Path(PathGlob),
    /// Searches the frontmatter of notes.
    Frontmatter(Condition),
    /// Searches for a folded tag, and those nested in it.
    Tag(String),
}

/// How much of what is found is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchOptions {
    /// Most hits.
    pub limit: usize,
    /// Most hits of a note. By default all matching lines, and for words and tags one.
    pub per_note: Option<usize>,
}

impl SearchPattern {
    /// Words in notes, in any order, case and Unicode normal form. Notes that contain more of them,
    /// more often, or in their names, aliases and headings come first. A word of three letters or
    /// more also finds words that start with it.
    ///
    /// # Errors
    /// [`BadPattern`](crate::VaultError::BadPattern) if it contains no word or is too long.
    pub fn text(query: &str) -> Result<Self> {
        check_length(query)?;
        let mut asked = Vec::new();
        for_each_word(query, |word, _| {
            if asked.len() < WORDS && asked.iter().all(|known| known != word) {
                asked.push(word.to_owned());
            }
        });
        if asked.is_empty() {
            let reason = "it contains no word; use a regular expression to find other characters";
            return Err(pattern_error(query, reason.to_owned()));
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

    /// A tag in the text or the frontmatter of notes, with or without `#`. Tags that are nested in it count, too.
    ///
    /// # Errors
    /// [`BadPattern`](crate::VaultError::BadPattern) if no tag can have this name.
    pub fn tag(query: &str) -> Result<Self> {
        check_length(query)?;
        let name = query.trim();
        let name = name.strip_prefix('#').unwrap_or(name).trim_end_matches('/');
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c == '#') {
            let reason = "expected one tag, such as project/garden";
            return Err(pattern_error(query, reason.to_owned()));
        }
        Ok(Self(PatternKind::Tag(fold(name))))
    }

    /// Exactly this text in notes, in any Unicode normal form.
    ///
    /// # Errors
    /// [`BadPattern`](crate::VaultError::BadPattern) if it is empty or too long.
    pub fn literal(query: &str, case: CaseSensitivity) -> Result<Self> {
        Self::content_pattern(query, &regex::escape(query), case)
    }

    /// A regular expression over the text of notes, in the syntax of the `regex` crate. `^` and `$`
    /// match at the ends of a line. It is composed, and looked for in the text as it is and in its composed form, so
    /// that Unicode normal forms make no difference. Plain text is also looked for as it is written, because it may begin
    /// or end within a character that has several parts.
    ///
    /// # Errors
    /// [`BadPattern`](crate::VaultError::BadPattern) with the crate's explanation.
    pub fn regex(query: &str, case: CaseSensitivity) -> Result<Self> {
        Self::content_pattern(query, query, case)
    }

    /// A glob over the paths of files; see [`PathGlob`].
    ///
    /// # Errors
    /// [`BadPattern`](crate::VaultError::BadPattern) with the reason.
    pub fn glob(query: &str, case: CaseSensitivity) -> Result<Self> {
        PathGlob::build(query, case == CaseSensitivity::Insensitive)
            .map(|glob| Self(PatternKind::Path(glob)))
    }

    pub(crate) fn as_glob(&self) -> Option<&PathGlob> {
        match &self.0 {
            PatternKind::Path(glob) => Some(glob),
            PatternKind::Words(_)
            | PatternKind::Content(..)
            | PatternKind::Frontmatter(_)
            | PatternKind::Tag(_) => None,
        }
    }

    fn content_pattern(query: &str, expression: &str, case: CaseSensitivity) -> Result<Self> {
        if query.is_empty() {
            return Err(pattern_error(query, "it is empty".to_owned()));
        }
        check_length(query)?;
        let source = match composed(expression) {
            Some(composed) => plain_text(expression).map_or(composed, |text| {
                format!("{}|{}", regex::escape(&normal_form(&text)), regex::escape(&text))
            }),
            None => expression.to_owned(),
        };
        compile(&source, case)
            .map(|expression| {
                Self(PatternKind::Content(expression, RequiredWords::parse(&source, case)))
            })
            .map_err(|error| pattern_error(query, error.to_string()))
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
    /// How many notes could not be searched: too large, not text, or unreadable; for a condition,
    /// also those with invalid frontmatter.
    pub not_searched: usize,
    /// How many entries there are not part of the vault, as in [`FolderListing::left_out`](crate::FolderListing::left_out).
    pub left_out: usize,
}

impl SearchResults {
    /// The results for files that match as a whole.
    pub(crate) fn from_paths(mut paths: Vec<VaultPath>, limit: usize) -> Self {
        let total = paths.len();
        if limit < total {
            paths.select_nth_unstable(limit);
            paths.truncate(limit);
        }
        paths.sort_unstable();
        let hits = paths.into_iter().map(|path| Hit { path, excerpt: None }).collect();
        Self { hits, total_hits: total, matching_files: total, ..Self::default() }
    }
}
