//! Inline fields, as Dataview reads them: `key:: value`.
//!
//! A key is made of letters, digits, symbols beyond ASCII, spaces, `-`, `_` and `/`; emphasis
//! around a key on a line of its own is not part of it.

use super::InlineField;
use toolwrit_frontmatter::Span;

/// Deepest nesting of brackets in a value. It bounds how often a text is scanned.
const DEPTH_LIMIT: usize = 16;

/// The field that a whole line consists of; `line` starts at byte `start` of the note.
pub(super) fn parse_line(line: &str, start: usize) -> Option<InlineField<'_>> {
    let written = &line[..line.find(|c| !is_key_char(c) && !matches!(c, '*' | '~' | '\t'))?];
    let value = line[written.len()..].strip_prefix("::")?;
    let key = written.trim_matches(['*', '_', '~', ' ', '\t']);
    let span = Span::new(start, start + line.trim_end().len());
    let is_key = !key.is_empty() && key.chars().all(is_key_char);
    is_key.then(|| InlineField { key, value: value.trim(), span })
}

/// The field in the brackets at the start of `text`, which is part of one line and starts at byte
/// `start` of the note. Brackets in the value must be balanced.
pub(super) fn parse_bracketed(text: &str, start: usize) -> Option<InlineField<'_>> {
    let (open, close) = if text.starts_with('(') { ('(', ')') } else { ('[', ']') };
    let inside = text.strip_prefix(open)?;
    let key = &inside[..inside.find(|c| !is_key_char(c))?];
    let value = inside[key.len()..].strip_prefix("::")?;
    let key = key.trim();
    if key.is_empty() {
        return None;
    }
    let mut depth = 1_usize;
    let end = value.find(|c| {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
        }
        depth == 0 || depth > DEPTH_LIMIT
    })?;
    if depth > 0 {
        return None;
    }
    let value_start = text.len() - value.len();
    let span = Span::new(start, start + value_start + end + close.len_utf8());
    Some(InlineField { key, value: value[..end].trim(), span })
}

fn is_key_char(c: char) -> bool {
    !c.is_ascii() || c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '_' | '/')
}
