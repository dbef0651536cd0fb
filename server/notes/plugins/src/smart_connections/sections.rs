//! Splits a note into its sections, each without the sections in it.

use toolwrit_vault::document::{Document, Span};

/// How long a passage may be, in bytes. A longer section has several.
const LONGEST: usize = 4000;

/// A section, or a part of a long one.
pub(super) struct Section<'a> {
    /// The headings above it, the outermost first; with its own heading.
    pub(super) headings: Vec<&'a str>,
    /// Its text, without headings.
    pub(super) text: &'a str,
    /// Where the text is.
    pub(super) span: Span,
}

/// The sections of a note that have text. A note that cannot be parsed is one section.
pub(super) fn find_sections(text: &str) -> Vec<Section<'_>> {
    let Ok(document) = Document::parse(text) else {
        return split_section(text, Span::new(0, text.len()), Vec::new()).collect();
    };
    let mut found = Vec::new();
    let first = document.headings.first().map_or(text.len(), |heading| heading.span.start);
    found.extend(split_section(text, Span::new(document.body.start, first), Vec::new()));
    let starts = document.headings.iter().map(|heading| heading.span.start);
    let ends = starts.skip(1).chain([text.len()]);
    for ((heading, path), end) in document.headings.iter().zip(document.heading_paths()).zip(ends) {
        let headings = path.iter().map(|heading| heading.text).collect();
        found.extend(split_section(text, Span::new(heading.span.end, end), headings));
    }
    found
}

/// The text at a span of a note, and the headings above it; `None` if the note has changed and has no such text.
pub(super) fn find_passage(text: &str, span: Span) -> Option<(Vec<String>, &str)> {
    let section = find_sections(text).into_iter().find(|section| section.span == span)?;
    Some((section.headings.into_iter().map(str::to_owned).collect(), section.text))
}

/// The parts of a section, cut at line endings.
fn split_section<'a>(
    text: &'a str,
    span: Span,
    headings: Vec<&'a str>,
) -> impl Iterator<Item = Section<'a>> {
    let mut start = span.start;
    std::iter::from_fn(move || {
        while start < span.end {
            let limit = text.floor_char_boundary(start + LONGEST).min(span.end);
            let end = if limit < span.end {
                text[start..limit].rfind('\n').map_or(limit, |ending| start + ending + 1)
            } else {
                limit
            };
            let part = Span::new(start, end);
            start = end;
            let text = part.slice(text).trim();
            if !text.is_empty() {
                return Some(Section { headings: headings.clone(), text, span: part });
            }
        }
        None
    })
}
