//! The lines of a text, with their places.

/// A line without its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    /// Where it begins.
    pub(crate) start: usize,
    /// Where the next line begins.
    pub(crate) next: usize,
    pub(crate) number: usize,
}

impl Line<'_> {
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The lines of a text. Markdown ends a line at `\n`, at `\r\n` and at a lone `\r`.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    lines_from(text, 0)
}

/// The lines from an offset, which is the beginning of a line.
pub(crate) fn lines_from(text: &str, offset: usize) -> impl Iterator<Item = Line<'_>> {
    let mut start = offset;
    let mut number = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let end =
            if rest[length..].starts_with("\r\n") { 2 } else { usize::from(length < rest.len()) };
        number += 1;
        let line = Line { text: &rest[..length], start, next: start + length + end, number };
        start = line.next;
        Some(line)
    })
}

/// The line ending of a text: that of its first line.
pub(crate) fn line_ending(text: &str) -> &'static str {
    match text.find(['\n', '\r']) {
        Some(at) if text[at..].starts_with("\r\n") => "\r\n",
        _ => "\n",
    }
}
