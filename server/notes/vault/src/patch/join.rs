//! Joining texts: lines, blank lines, and blocks that continue.

use toolwrit_frontmatter::Span;

/// A passage of lines: its text, and the blank lines around it.
pub(super) struct Passage<'a> {
    /// The blank lines before the text.
    pub(super) before: &'a str,
    /// From the first line that is not blank to the last, without its line ending.
    pub(super) body: &'a str,
    /// The line ending of the last line, and the blank lines after it. If there is no text, all.
    pub(super) after: &'a str,
}

impl<'a> Passage<'a> {
    /// Splits a passage that starts at the start of a line.
    pub(super) fn new(passage: &'a str) -> Self {
        let text = passage.trim();
        if text.is_empty() {
            return Self { before: "", body: "", after: passage };
        }
        let first = passage.len() - passage.trim_start().len();
        let start = passage[..first].rfind('\n').map_or(0, |newline| newline + 1);
        let last = passage.trim_end().len();
        let end = passage[last..].find(['\r', '\n']).map_or(passage.len(), |end| last + end);
        Self { before: &passage[..start], body: &passage[start..end], after: &passage[end..] }
    }
}

/// The separator of two texts: a blank line, unless the second continues a list, a quote or a table
/// at the end of the first.
pub(super) fn separator(first: &str, second: &str) -> &'static str {
    let last = first.trim_end().lines().next_back().unwrap_or_default();
    let next = second.lines().next().unwrap_or_default();
    let continues =
        Continued::classify(last).is_some_and(|last| Continued::classify(next) == Some(last));
    if continues { "\n" } else { "\n\n" }
}

/// Blocks that a further line can continue.
#[derive(PartialEq, Eq)]
enum Continued {
    Bullets,
    Numbers,
    Quote,
    Table,
}

impl Continued {
    fn classify(line: &str) -> Option<Self> {
        let text = line.trim_start();
        let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_number = number.len() < text.len();
        match text.as_bytes() {
            [b'-' | b'*' | b'+', b' ' | b'\t', ..] => Some(Self::Bullets),
            [b'>', ..] => Some(Self::Quote),
            [b'|', ..] => Some(Self::Table),
            _ if is_number && (number.starts_with(". ") || number.starts_with(") ")) => {
                Some(Self::Numbers)
            }
            _ => None,
        }
    }
}

/// Whether a text is empty or ends with a blank line.
pub(super) fn ends_with_blank_line(text: &str) -> bool {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let line = text.strip_suffix('\r').unwrap_or(text);
    line.is_empty() || line.ends_with('\n')
}

/// `text` with the passage at `span` replaced.
pub(super) fn splice(text: &str, span: Span, new: &str) -> String {
    [&text[..span.start], new, &text[span.end..]].concat()
}
