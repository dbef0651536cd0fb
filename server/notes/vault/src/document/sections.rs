//! Headings and the sections that they start.

use super::Heading;
use toolwrit_frontmatter::Span;

/// The heading at `span`. Its section is not determined yet.
pub(super) fn parse_heading(text: &str, span: Span, level: u8) -> Heading<'_> {
    let start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[..span.end].trim_end_matches(['\n', '\r']).len();
    let end = text[end..].find('\n').map_or(text.len(), |newline| end + newline + 1);
    let written = Span::new(span.start, end).trim(text);
    let marks = "#".repeat(usize::from(level));
    let after = written.slice(text).strip_prefix(&marks);
    let after = after.filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
    let text_span = if let Some(rest) = after {
        let start = written.end - rest.len();
        Span::new(start, start + trim_closing_marks(rest).len())
    } else {
        // The last line underlines the others.
        let underline = written.slice(text).rfind('\n');
        Span::new(written.start, underline.map_or(written.end, |end| written.start + end))
    };
    let text_span = text_span.trim(text);
    let content = Span::new(end, end);
    Heading { level, text: text_span.slice(text), text_span, span: Span::new(start, end), content }
}

/// The text after `# `, without a separate closing run of `#`.
fn trim_closing_marks(text: &str) -> &str {
    let without = text.trim_end_matches('#');
    if without.is_empty() || without.ends_with([' ', '\t']) { without } else { text }
}

/// Ends each section at the next heading of the same or a higher level.
pub(super) fn close_sections(headings: &mut [Heading<'_>], end_of_note: usize) {
    for index in 0..headings.len() {
        let level = headings[index].level;
        let next = headings[index + 1..].iter().find(|next| next.level <= level);
        headings[index].content.end = next.map_or(end_of_note, |next| next.span.start);
    }
}
