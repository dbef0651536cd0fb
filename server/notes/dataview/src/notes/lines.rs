//! The lines of a note.

use std::sync::Arc;

use crate::value::Link;

/// A link and the line that it is in; `None` in the frontmatter.
pub(super) type LinkInLine = (Option<usize>, Arc<Link>);

/// The lines of a text, by number from 0.
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let after = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(after).collect() }
    }

    /// The line that a byte is in.
    pub(super) fn number(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
    }

    pub(super) fn get(&self, number: usize) -> &'a str {
        let start = self.starts[number];
        let end = self.starts.get(number + 1).map_or(self.text.len(), |next| next - 1);
        &self.text[start..end]
    }

    /// The character of its line that a byte is.
    pub(super) fn column(&self, offset: usize) -> usize {
        let start = self.starts[self.number(offset)];
        self.text[start..offset].encode_utf16().count()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'a str> {
        (0..self.starts.len()).map(|number| self.get(number))
    }
}
