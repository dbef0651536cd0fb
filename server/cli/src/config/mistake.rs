//! Errors in the configuration file, and their places.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

/// An error at a byte range of the text.
pub(super) struct Mistake {
    pub(super) at: Range<usize>,
    pub(super) what: String,
}

impl Mistake {
    /// Formats the error: `file:line:col: what`, then the line with carets.
    pub(super) fn report(&self, path: &Path, text: &str) -> String {
        let (line, column) = place(text, self.at.start);
        let shown = text.lines().nth(line - 1).unwrap_or_default();
        let length = text
            .get(self.at.clone())
            .map_or(1, |at| at.lines().next().map_or(1, |l| l.chars().count()));
        let mut report = format!("{}:{line}:{column}: {}", path.display(), self.what);
        // Writing to a string cannot fail.
        let _ = write!(
            report,
            "\n  {shown}\n  {}{}",
            " ".repeat(column - 1),
            "^".repeat(length.max(1))
        );
        report
    }
}

/// Line and column (in characters) of a byte offset, both from 1.
pub(super) fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(at)];
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}
