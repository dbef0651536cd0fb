//! Tags in the text.
//!
//! A tag starts its line, or follows white space or an escaped character. It ends at white space,
//! at ASCII punctuation other than `_`, `-` and `/`, and at the punctuation of U+2000 to U+206F and
//! U+2E00 to U+2E7F. It contains at least one character that is not a digit: `#2026` is not a tag.

use super::Tag;
use toolwrit_frontmatter::Span;

/// The tag that starts with the `#` at the start of `rest`.
pub(super) fn parse(text: &str, rest: Span) -> Option<Tag<'_>> {
    let after = &rest.slice(text)[1..];
    let name = &after[..after.find(is_tag_end).unwrap_or(after.len())];
    let span = Span::new(rest.start, rest.start + 1 + name.len());
    name.contains(|c: char| !c.is_ascii_digit()).then_some(Tag { name, span })
}

fn is_tag_end(c: char) -> bool {
    match c {
        '_' | '-' | '/' => false,
        '\u{2000}'..='\u{206F}' | '\u{2E00}'..='\u{2E7F}' => true,
        c => c.is_ascii_punctuation() || c.is_ascii_control() || c.is_whitespace(),
    }
}
