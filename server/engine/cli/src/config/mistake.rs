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
    /// Formats the error: `file:line:col: what`, then the line with carets, unless it may have a secret.
    pub(super) fn report(&self, path: &Path, text: &str) -> String {
        let (line, column) = place(text, self.at.start);
        let shown = text.lines().nth(line - 1).unwrap_or_default();
        let length = text
            .get(self.at.clone())
            .map_or(1, |at| at.lines().next().map_or(1, |l| l.chars().count()));
        let mut report = format!("{}:{line}:{column}: {}", path.display(), self.what);
        if may_have_secret(text, line) {
            return report;
        }
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

/// Tables in which a secret may stand where its place is expected.
const WITH_SECRETS: [&str; 4] = ["models", "providers", "state", "upstreams"];

/// Whether a line is in a table that may have secrets. The text may be no TOML, so that its lines tell.
fn may_have_secret(text: &str, line: usize) -> bool {
    let is_header = |candidate: &&str| {
        let candidate = candidate.split('#').next().unwrap_or_default().trim();
        candidate.starts_with('[') && candidate.ends_with(']') && !candidate.contains(',')
    };
    let lines: Vec<&str> = text.lines().take(line).collect();
    let header = lines.iter().rev().copied().find(is_header).unwrap_or_default();
    [header].iter().chain(lines.last()).any(|candidate| {
        let name =
            candidate.trim_start_matches(|c: char| c == '[' || c == '"' || c.is_whitespace());
        WITH_SECRETS.iter().any(|table| name.starts_with(table))
    })
}

/// Line and column (in characters) of a byte offset, both from 1.
pub(super) fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(at)];
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}
