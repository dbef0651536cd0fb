//! Patterns for paths.

use globset::{GlobBuilder, GlobMatcher};

use crate::error::{Result, VaultError};
use crate::path::{VaultPath, normal_form};

/// Longest pattern in bytes, for globs and searches alike.
pub(crate) const PATTERN_LIMIT: usize = 4096;

/// A glob over vault paths.
///
/// `?` matches one character, `*` any number within a name, `**` any number of folders, `[a-z]` one
/// character of a set, `{a,b}` either alternative. A pattern without `/` is matched against the
/// file's name in any folder; a pattern with `/` against the whole path.
#[derive(Debug, Clone)]
pub struct PathGlob {
    matcher: GlobMatcher,
    whole_path: bool,
}

impl PathGlob {
    /// Parses a case-sensitive pattern.
    ///
    /// # Errors
    /// [`VaultError::BadPattern`] with the reason.
    pub fn parse(pattern: &str) -> Result<Self> {
        Self::build(pattern, false)
    }

    pub(crate) fn build(pattern: &str, case_insensitive: bool) -> Result<Self> {
        if pattern.is_empty() {
            return Err(pattern_error(pattern, "it is empty; `**` matches every file".into()));
        }
        check_length(pattern)?;
        let glob = GlobBuilder::new(&normal_form(pattern))
            .literal_separator(true)
            .case_insensitive(case_insensitive)
            .build()
            .map_err(|error| pattern_error(pattern, error.kind().to_string()))?;
        Ok(Self { matcher: glob.compile_matcher(), whole_path: pattern.contains('/') })
    }

    /// Whether the pattern matches a path.
    pub fn matches(&self, path: &VaultPath) -> bool {
        let text = if self.whole_path { path.as_str() } else { path.name() };
        // An ASCII name has only one normal form, and most names are ASCII.
        if text.is_ascii() {
            self.matcher.is_match(text)
        } else {
            self.matcher.is_match(normal_form(text))
        }
    }
}

pub(crate) fn check_length(pattern: &str) -> Result<()> {
    if pattern.len() > PATTERN_LIMIT {
        let reason = format!("it is {} bytes long; the limit is {PATTERN_LIMIT}", pattern.len());
        return Err(pattern_error(pattern, reason));
    }
    Ok(())
}

pub(crate) fn pattern_error(pattern: &str, reason: String) -> VaultError {
    const SHOWN: usize = 200;
    let pattern = pattern.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    VaultError::BadPattern { pattern, reason }
}
