//! Headings and the sections that they start.

use super::Heading;
use super::span::Span;

/// The heading at `span`; its section is not known yet.
pub(super) fn heading(text: &str, span: Span, level: u8) -> Heading<'_> {
    let start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[..span.end].trim_end_matches(['\n', '\r']).len();
    let end = text[end..].find('\n').map_or(text.len(), |newline| end + newline + 1);
    let written = Span::new(span.start, end).of(text).trim();
    let marks = "#".repeat(usize::from(level));
    let after = written.strip_prefix(&marks);
    let text = match after.filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])) {
        Some(rest) => without_closing_marks(rest),
        // The last line underlines the others.
        None => written.rsplit_once('\n').map_or(written, |(lines, _)| lines).trim(),
    };
    Heading { level, text, span: Span::new(start, end), content: Span::new(end, end) }
}

/// The text after `# `, without a closing run of `#` that stands apart.
fn without_closing_marks(text: &str) -> &str {
    let without = text.trim_end_matches('#');
    if without.is_empty() || without.ends_with([' ', '\t']) { without.trim() } else { text.trim() }
}

/// Lets each section end where the next of the same or a higher level starts.
pub(super) fn close(headings: &mut [Heading<'_>], end_of_note: usize) {
    for index in 0..headings.len() {
        let level = headings[index].level;
        let next = headings[index + 1..].iter().find(|next| next.level <= level);
        headings[index].content.end = next.map_or(end_of_note, |next| next.span.start);
    }
}
