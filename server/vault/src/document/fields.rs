//! Inline fields, as Dataview reads them: `key:: value`.
//!
//! A key is made of letters, digits, symbols beyond ASCII, spaces, `-`, `_` and `/`; emphasis
//! around a key on a line of its own is not part of it.

use super::Field;
use super::span::Span;

/// The field that a line consists of; `line` starts at byte `start` of the note.
pub(super) fn line(line: &str, start: usize) -> Option<Field<'_>> {
    let (written, value) = line.split_once("::")?;
    let key = written.trim_matches(['*', '_', '~', ' ', '\t']);
    let span = Span::new(start, start + line.trim_end().len());
    is_key(key).then(|| Field { key, value: value.trim(), span })
}

/// The field in the brackets that open at the start of `text`, a part of one line that starts at
/// byte `start` of the note. The value holds brackets in pairs.
pub(super) fn bracketed(text: &str, start: usize) -> Option<Field<'_>> {
    let (open, close) = if text.starts_with('(') { ('(', ')') } else { ('[', ']') };
    let (key, value) = text.strip_prefix(open)?.split_once("::")?;
    let key = key.trim();
    if !is_key(key) {
        return None;
    }
    let mut depth = 1;
    let end = value.find(|c| {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
        }
        depth == 0
    })?;
    let value_start = text.len() - value.len();
    let span = Span::new(start, start + value_start + end + close.len_utf8());
    Some(Field { key, value: value[..end].trim(), span })
}

fn is_key(text: &str) -> bool {
    let allowed =
        |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '_' | '/');
    !text.is_empty() && text.chars().all(allowed)
}
