//! Tags in the text.
//!
//! A tag starts its line, or follows white space or an escaped character. It ends at white space,
//! at ASCII punctuation other than `_`, `-` and `/`, and at the punctuation of U+2000 to U+206F and
//! U+2E00 to U+2E7F. It contains at least one character that is not a digit: `#2026` is not a tag.

use super::Tag;
use crate::path::fold;
use toolwrit_frontmatter::Span;

/// The name of a tag that Obsidian accepts, without `#`. Tags are compared without case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagName {
    name: String,
    folded: String,
}

/// A text that is not the name of a tag.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{tag}` is not a tag: {reason}")]
pub struct InvalidTag {
    /// The text as given.
    pub tag: String,
    /// Which rule it breaks.
    pub reason: &'static str,
}

impl TagName {
    /// Parses a name, with or without `#`.
    ///
    /// # Errors
    /// [`InvalidTag`] if no tag in a text can have this name.
    pub fn parse(text: &str) -> Result<Self, InvalidTag> {
        let name = text.strip_prefix('#').unwrap_or(text);
        let reason = if name.is_empty() {
            "it has no name"
        } else if name.contains(is_tag_end) {
            "a tag has letters, digits, `_`, `-`, `/` and symbols, and no spaces"
        } else if !name.contains(|c: char| !c.is_ascii_digit()) {
            "a tag has a character that is not a digit"
        } else if name.split('/').any(str::is_empty) {
            "a part between slashes is empty"
        } else {
            return Ok(Self { name: name.to_owned(), folded: fold(name) });
        };
        Err(InvalidTag { tag: text.to_owned(), reason })
    }

    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// Whether a tag has this name.
    pub(crate) fn is(&self, tag: &str) -> bool {
        fold(tag) == self.folded
    }

    /// What follows this name in a tag that has it or is nested in it: nothing, or `/` and more.
    pub(crate) fn rest_of<'t>(&self, tag: &'t str) -> Option<&'t str> {
        let parts = self.name.split('/').count();
        let end = tag.match_indices('/').nth(parts - 1).map_or(tag.len(), |(at, _)| at);
        self.is(&tag[..end]).then_some(&tag[end..])
    }
}

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
