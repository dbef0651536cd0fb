//! Ranges of a text.

/// A range of bytes of a text, on character boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// The range from `start` to `end`, excluding `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// This part of `text`.
    ///
    /// # Panics
    /// If the span belongs to another text and does not fit this one.
    pub fn slice(self, text: &str) -> &str {
        &text[self.start..self.end]
    }

    /// Whether it is empty.
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// Whether the byte at `offset` is in the range.
    pub const fn contains(self, offset: usize) -> bool {
        self.start <= offset && offset < self.end
    }

    /// Whether both ranges have a byte in common.
    pub const fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// The same range without the white space at its ends.
    #[must_use]
    pub fn trim(self, text: &str) -> Self {
        let whole = self.slice(text);
        let start = self.start + whole.len() - whole.trim_start().len();
        Self::new(start, start + whole.trim().len())
    }
}

impl From<std::ops::Range<usize>> for Span {
    fn from(range: std::ops::Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

impl From<Span> for std::ops::Range<usize> {
    fn from(span: Span) -> Self {
        span.start..span.end
    }
}
