//! Regular expressions as values.

use std::fmt;

use regex::Regex;

/// A regular expression, as Bases write it between slashes.
#[derive(Debug, Clone)]
pub struct Regexp {
    pub(crate) regex: Regex,
    /// Whether all matches are meant, not only the first.
    pub(crate) is_global: bool,
    /// The expression with its slashes and flags.
    pub(crate) written: Box<str>,
}

/// Writes the expression with its slashes and flags.
impl fmt::Display for Regexp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}
