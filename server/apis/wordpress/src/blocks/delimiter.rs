//! Delimiters: the comments that begin and end blocks, such as `<!-- wp:list {"ordered":true} -->`.

use std::ops::Range;

use memchr::{memchr_iter, memmem};

/// A delimiter in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Delimiter {
    /// Where it is.
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
    /// The name with its namespace.
    pub(super) name: String,
    /// Where the attributes are, as a JSON object. Empty, and where they would be, if there are none.
    pub(super) attributes: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The beginning of a block.
    Opener,
    /// The end of a block.
    Closer,
    /// A whole block without content.
    Void,
}

/// The delimiters of a text, in order. Takes time in proportion to the text.
pub(super) struct Delimiters<'t> {
    text: &'t str,
    at: usize,
    /// The end of the first attributes that end behind a position. Without it, unfinished delimiters would each search
    /// the rest of the text.
    known_end: Option<(usize, Option<usize>)>,
}

impl<'t> Delimiters<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, known_end: None }
    }

    /// Reads the delimiter that begins at a comment; `None` if the comment is not a delimiter.
    fn read(&mut self, start: usize) -> Option<Delimiter> {
        let text = self.text;
        let at = after_space(text, start + "<!--".len())?;
        let (is_closer, at) = match text[at..].strip_prefix('/') {
            Some(_) => (true, at + 1),
            None => (false, at),
        };
        text[at..].starts_with("wp:").then_some(())?;
        let name_start = at + "wp:".len();
        let mut name_end = after_word(text, name_start)?;
        let has_namespace = text[name_end..].starts_with('/');
        if has_namespace {
            name_end = after_word(text, name_end + 1)?;
        }
        let name = &text[name_start..name_end];
        let name = if has_namespace { name.to_owned() } else { format!("core/{name}") };
        let attributes = after_space(text, name_end)?;
        let attributes_end = if text[attributes..].starts_with('{') {
            self.attributes_end(attributes)?
        } else {
            attributes
        };
        let end = if attributes_end == attributes {
            attributes
        } else {
            after_space(text, attributes_end)?
        };
        let (is_void, end) = comment_end(text, end)?;
        let kind = match (is_void, is_closer) {
            (true, _) => Kind::Void,
            (false, true) => Kind::Closer,
            (false, false) => Kind::Opener,
        };
        Some(Delimiter { span: start..end, kind, name, attributes: attributes..attributes_end })
    }

    /// Finds the end of the attributes that begin at a brace: the first closing brace before the end of a delimiter.
    fn attributes_end(&mut self, start: usize) -> Option<usize> {
        if let Some((from, end)) = self.known_end
            && from <= start
            && end.is_none_or(|end| end > start + 1)
        {
            return end;
        }
        let text = self.text;
        let end = memchr_iter(b'}', &text.as_bytes()[start..])
            .map(|brace| start + brace + 1)
            .find(|&end| after_space(text, end).and_then(|at| comment_end(text, at)).is_some());
        self.known_end = Some((start, end));
        end
    }
}

impl Iterator for Delimiters<'_> {
    type Item = Delimiter;

    fn next(&mut self) -> Option<Delimiter> {
        loop {
            let start = self.at + memmem::find(&self.text.as_bytes()[self.at..], b"<!--")?;
            self.at = start + 1;
            if let Some(delimiter) = self.read(start) {
                self.at = delimiter.span.end;
                return Some(delimiter);
            }
        }
    }
}

/// Whether a character is space for WordPress.
pub(super) fn is_space(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{b}'
}

/// Returns the position after at least one space.
fn after_space(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let after = rest.trim_start_matches(is_space);
    (after.len() < rest.len()).then(|| text.len() - after.len())
}

/// Returns the position after a part of a name.
fn after_word(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    rest.starts_with(|c: char| c.is_ascii_lowercase()).then_some(())?;
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    Some(text.len() - rest.trim_start_matches(is_word).len())
}

/// Returns whether the block has no content, and the position after the comment.
fn comment_end(text: &str, at: usize) -> Option<(bool, usize)> {
    let rest = &text[at..];
    let (is_void, rest) = match rest.strip_prefix('/') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    rest.strip_prefix("-->").map(|rest| (is_void, text.len() - rest.len()))
}
