//! Parts of a note that can be read separately.

use crate::document::{Document, Span};
use crate::target::{BlockId, HeadingPath, TargetError, find_linked};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotePart {
    /// Whole lines, counted from 1; to the end of the note if there is no last line.
    Lines {
        /// The first line, at least 1.
        first: usize,
        /// The last line.
        last: Option<usize>,
    },
    /// A section: its heading, its text and its subsections.
    Heading(HeadingPath),
    /// The section that a link names after `#`, see [`find_linked`].
    Linked(String),
    /// A block, without its id.
    Block(BlockId),
}

impl NotePart {
    pub(crate) fn find(&self, document: &Document<'_>) -> Result<Span, TargetError> {
        match self {
            Self::Lines { first, last } => find_lines(document.text, *first, *last),
            Self::Heading(path) => Ok(path.find(document)?.section()),
            Self::Linked(subpath) => Ok(find_linked(document, subpath)?.section()),
            Self::Block(id) => Ok(id.find(document)?.content),
        }
    }
}

/// The span of some lines in a text.
///
/// # Errors
/// `BeyondEnd` if the text has no such first line.
pub(crate) fn find_lines(
    text: &str,
    first: usize,
    last: Option<usize>,
) -> Result<Span, TargetError> {
    let beyond = || TargetError::BeyondEnd { line: first, lines: text.lines().count() };
    let skipped = first.checked_sub(1).ok_or_else(beyond)?;
    let mut lines = text.split_inclusive('\n');
    let start: usize = lines.by_ref().take(skipped).map(str::len).sum();
    if start == text.len() && first > 1 {
        return Err(beyond());
    }
    let count = last.map_or(usize::MAX, |last| (last + 1).saturating_sub(first));
    let length: usize = lines.take(count).map(str::len).sum();
    Ok(Span::new(start, start + length))
}
