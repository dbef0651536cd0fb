//! The text of a document by offsets in bytes, and by the positions that a client counts.

use std::ops::Range as Bytes;

use gen_lsp_types::{Position, PositionEncodingKind, Range};

/// The unit of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Encoding {
    /// Units of UTF-16, which every client knows.
    #[default]
    Utf16,
    /// Bytes.
    Utf8,
}

impl Encoding {
    /// The best of those that a client offers.
    pub(crate) fn choose(offered: Option<&[PositionEncodingKind]>) -> Self {
        let offered = offered.unwrap_or_default();
        if offered.contains(&PositionEncodingKind::UTF8) { Self::Utf8 } else { Self::Utf16 }
    }

    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf8 => PositionEncodingKind::UTF8,
        }
    }

    fn length(self, text: &str) -> usize {
        match self {
            Self::Utf16 => text.encode_utf16().count(),
            Self::Utf8 => text.len(),
        }
    }
}

/// A text with the places of its lines.
#[derive(Debug)]
pub(crate) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    encoding: Encoding,
}

impl<'t> Lines<'t> {
    /// A line ends at `\n`, at `\r\n` and at a lone `\r`.
    pub(crate) fn new(text: &'t str, encoding: Encoding) -> Self {
        let bytes = text.as_bytes();
        let ends = |(at, byte): (usize, &u8)| match byte {
            b'\n' => Some(at + 1),
            b'\r' if bytes.get(at + 1) != Some(&b'\n') => Some(at + 1),
            _ => None,
        };
        let starts = std::iter::once(0).chain(bytes.iter().enumerate().filter_map(ends)).collect();
        Self { text, starts, encoding }
    }

    /// The bytes of a line, from 0, without its end. A line after the last one is empty.
    pub(crate) fn line(&self, line: usize) -> Bytes<usize> {
        let start = self.starts.get(line).copied().unwrap_or(self.text.len());
        let next = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let text = self.text.get(start..next).unwrap_or_default();
        start..start + text.trim_end_matches(['\n', '\r']).len()
    }

    /// The offset of a position. One that does not exist is the nearest before it.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let line = self.line(position.line as usize);
        let text = self.text.get(line.clone()).unwrap_or_default();
        let (mut left, mut at) = (position.character as usize, line.start);
        for character in text.chars() {
            let length = self.encoding.length(character.encode_utf8(&mut [0; 4]));
            if length > left {
                break;
            }
            left -= length;
            at += character.len_utf8();
        }
        at
    }

    pub(crate) fn position(&self, offset: usize) -> Position {
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or_default();
        let before = self.text.get(start..offset).unwrap_or_default();
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Position { line: count(line), character: count(self.encoding.length(before)) }
    }

    pub(crate) fn range(&self, bytes: &Bytes<usize>) -> Range {
        Range { start: self.position(bytes.start), end: self.position(bytes.end) }
    }

    /// The range of some characters of a line, both counted from 1.
    pub(crate) fn characters(&self, line: usize, column: usize, length: usize) -> Range {
        let bytes = self.line(line.saturating_sub(1));
        let text = self.text.get(bytes.clone()).unwrap_or_default();
        let at = |number: usize| {
            let found = text.char_indices().nth(number).map_or(text.len(), |(at, _)| at);
            bytes.start + found
        };
        let start = column.saturating_sub(1);
        self.range(&(at(start)..at(start.saturating_add(length))))
    }

    /// The range of the text of a line, from 0, without the blanks around it.
    pub(crate) fn words(&self, line: usize) -> Range {
        let bytes = self.line(line);
        let text = self.text.get(bytes.clone()).unwrap_or_default();
        let start = bytes.start + text.len() - text.trim_start().len();
        self.range(&(start..start + text.trim().len()))
    }
}
