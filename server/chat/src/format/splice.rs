//! Changes of a note. Each changes exactly the bytes of the blocks that it names, and adds the blank lines around a new one.

use std::ops::Range;

use super::header::Header;
use super::id::BlockId;
use super::lines::{line_ending, lines_from};

/// Where a new block goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InsertionPoint {
    /// At the end of the note.
    End,
    /// After the block with this id.
    After(BlockId),
    /// After this offset, which is the end of a line.
    At(usize),
}

/// A note with new blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inserted {
    /// The text of the note.
    pub text: String,
    /// Where the first new block begins.
    pub at: usize,
}

/// Adds blocks, with a blank line before and after each. `None` if the block that they should follow is gone.
#[must_use]
pub fn insert(text: &str, point: &InsertionPoint, blocks: &[String]) -> Option<Inserted> {
    let offset = match point {
        InsertionPoint::End => text.len(),
        InsertionPoint::After(id) => find(text, *id)?.end,
        InsertionPoint::At(offset) => *offset,
    };
    let newline = line_ending(text);
    let (before, after) = text.split_at_checked(offset)?;
    let mut out = before.to_owned();
    let ends = trailing_line_ends(before);
    if !before.is_empty() {
        out.push_str(&newline.repeat(2_usize.saturating_sub(ends)));
    }
    let at = out.len();
    let joined = blocks.join("\n\n");
    out.push_str(&with_ending(&joined, newline));
    match leading_line_ends(after) {
        _ if after.is_empty() => out.push_str(&newline.repeat(2)),
        0 => out.push_str(&newline.repeat(2)),
        1 if after.len() > newline.len() => out.push_str(newline),
        _ => {}
    }
    out.push_str(after);
    Some(Inserted { text: out, at })
}

/// Where the block with an id is, whatever surrounds it.
#[must_use]
pub fn find(text: &str, id: BlockId) -> Option<Range<usize>> {
    let mark = format!("|{id}]");
    let mut searched = 0;
    while let Some(found) = text[searched..].find(&mark) {
        let at = searched + found;
        searched = at + mark.len();
        let start = text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
        let is_header = |line: &str| {
            line.strip_prefix('>')
                .and_then(Header::read)
                .is_some_and(|header| header.is_ok_and(|header| header.id == id))
        };
        let run: Vec<_> =
            lines_from(text, start).take_while(|line| line.text.starts_with('>')).collect();
        if let (Some(first), Some(last)) = (run.first(), run.last())
            && is_header(first.text)
            && !previous_line(text, start).starts_with('>')
        {
            return Some(start..last.end());
        }
    }
    None
}

/// Replaces bytes of a note by a block.
#[must_use]
pub fn replace(text: &str, range: &Range<usize>, block: &str) -> String {
    let mut out = String::with_capacity(text.len() + block.len());
    out.push_str(&text[..range.start]);
    out.push_str(&with_ending(block, line_ending(text)));
    out.push_str(&text[range.end..]);
    out
}

/// A block with the line ends of its note.
pub(crate) fn with_ending(block: &str, newline: &str) -> String {
    if newline == "\n" { block.to_owned() } else { block.replace('\n', newline) }
}

fn previous_line(text: &str, start: usize) -> &str {
    let before = &text[..start];
    let before = before.strip_suffix('\n').unwrap_or(before);
    let before = before.strip_suffix('\r').unwrap_or(before);
    &before[before.rfind(['\n', '\r']).map_or(0, |end| end + 1)..]
}

/// The number of line ends at the end of a text, up to two. Lines of blanks count as empty.
fn trailing_line_ends(text: &str) -> usize {
    let blank = &text[text.trim_end_matches(['\n', '\r', ' ', '\t']).len()..];
    if !blank.ends_with(['\n', '\r']) {
        return 0;
    }
    count_line_ends(blank)
}

fn leading_line_ends(text: &str) -> usize {
    let blank = &text[..text.len() - text.trim_start_matches(['\n', '\r', ' ', '\t']).len()];
    if blank.starts_with(['\n', '\r']) { count_line_ends(blank) } else { 0 }
}

fn count_line_ends(blank: &str) -> usize {
    blank.replace("\r\n", "\n").matches(['\n', '\r']).count().min(2)
}
