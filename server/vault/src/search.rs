//! Searching the vault's files.

mod excerpt;
mod scan;

use regex::{Regex, RegexBuilder};

use crate::error::Result;
use crate::glob::{PathGlob, bad_pattern, check_length};
use crate::path::{Folder, VaultPath, normal_form};
use crate::vault::Vault;
use crate::walk::{CancelCheck, files};

pub use excerpt::Excerpt;

/// Largest compiled form of a search in bytes, which bounds its memory and time.
const COMPILED_LIMIT: usize = 1024 * 1024;

/// What is searched for.
#[derive(Debug, Clone)]
pub struct Pattern(Kind);

#[derive(Debug, Clone)]
enum Kind {
    /// In the text of notes.
    Content(Regex),
    /// In the paths of files.
    Path(PathGlob),
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
    /// Literal text in notes, in any Unicode normal form.
    ///
    /// # Errors
    /// [`BadPattern`](crate::VaultError::BadPattern) if it is empty or too long.
    pub fn text(query: &str, case: CaseSensitivity) -> Result<Self> {
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
    /// are the ends of a line.
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
            .map(|glob| Self(Kind::Path(glob)))
    }

    fn content(query: &str, source: &str, case: CaseSensitivity) -> Result<Self> {
        if query.is_empty() {
            return Err(bad_pattern(query, "it is empty".to_owned()));
        }
        check_length(query)?;
        RegexBuilder::new(source)
            .case_insensitive(case == CaseSensitivity::Insensitive)
            .multi_line(true)
            .crlf(true)
            .size_limit(COMPILED_LIMIT)
            .dfa_size_limit(COMPILED_LIMIT)
            .build()
            .map(|regex| Self(Kind::Content(regex)))
            .map_err(|error| bad_pattern(query, error.to_string()))
    }
}

/// A place where the pattern was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The file.
    pub path: VaultPath,
    /// The line, for searches in text.
    pub excerpt: Option<Excerpt>,
}

/// The outcome of a search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchResults {
    /// The first hits, in the order of paths and lines, as many as asked for.
    pub hits: Vec<Hit>,
    /// How many there are in all: matching lines, or matching paths for a glob.
    pub total_hits: usize,
    /// How many files have at least one.
    pub matching_files: usize,
    /// How many notes could not be searched: too large, not text, or unreadable.
    pub not_searched: usize,
}

impl Vault {
    /// Searches the files in and below `folder` and returns the first `limit` hits and the totals.
    /// Text is searched in notes (`.md`), line by line: a line counts once. The outcome does not
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
        let mut files = files(self.root(), folder, cancel)?;
        match &pattern.0 {
            Kind::Content(regex) => {
                files.retain(VaultPath::is_note);
                scan::scan(self.root(), &files, regex, limit, cancel)
            }
            Kind::Path(glob) => {
                files.retain(|path| glob.matches(path));
                let total = files.len();
                files.truncate(limit);
                let hits = files.into_iter().map(|path| Hit { path, excerpt: None }).collect();
                Ok(SearchResults {
                    hits,
                    total_hits: total,
                    matching_files: total,
                    not_searched: 0,
                })
            }
        }
    }
}
