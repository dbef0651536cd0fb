//! Mathematics between dollar signs. A blank means nothing there, so that it separates what would begin an image or HTML.

use super::without_templates;

/// Lines of the longest block.
const MOST_LINES: usize = 60;

/// The number of lines of the block of mathematics that begins with the first line: from a line `$$..` to a line `..$$`,
/// without blank lines and backticks. `None` if there is none.
pub(super) fn block_length(lines: &[&str]) -> Option<usize> {
    let first = trimmed(lines.first()?).strip_prefix("$$")?;
    if first.contains("$$") || first.contains('`') {
        return None;
    }
    for (at, line) in lines.iter().enumerate().take(MOST_LINES).skip(1) {
        let line = trimmed(line);
        if line.is_empty() || line.contains('`') || line.contains("~~~") {
            return None;
        }
        if let Some(before) = line.strip_suffix("$$") {
            return (!before.contains("$$")).then_some(at + 1);
        }
    }
    None
}

/// A line without the blanks of Markdown around it.
fn trimmed(line: &str) -> &str {
    line.trim_matches([' ', '\t'])
}

/// The length of the mathematics that `text` begins with, dollar signs included: `$..$` or `$$..$$`, without backticks.
pub(super) fn inline_length(text: &str) -> Option<usize> {
    let marks = if text.starts_with("$$") { "$$" } else { "$" };
    let inner = &text[marks.len()..];
    let end = inner.find(marks)?;
    let content = &inner[..end];
    let is_math = !content.is_empty()
        && !content.contains('`')
        && !content.ends_with('\\')
        && content.trim() == content
        && !inner[end + marks.len()..].starts_with(|c: char| c.is_ascii_digit() || c == '$');
    is_math.then_some(end + 2 * marks.len())
}

/// How the commands begin with which mathematics gets styles, links, images and scripts of its own.
const STYLING: [&str; 12] = [
    "bbox",
    "class",
    "csname",
    "cssId",
    "data",
    "href",
    "html",
    "includegraphics",
    "mmlToken",
    "require",
    "style",
    "url",
];

/// Whether a text begins with such a command, after its backslash.
pub(super) fn is_styling(text: &str) -> bool {
    STYLING.iter().any(|command| text.starts_with(command))
}

/// Mathematics in which nothing begins an image, HTML, a template or a comment.
pub(super) fn make_inert(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        out.push(c);
        let acts = match (c, characters.peek()) {
            ('<', Some(next)) => next.is_ascii_alphabetic() || "/!?%".contains(*next),
            ('!', Some(next)) => matches!(next, '['),
            _ => false,
        };
        if acts {
            out.push(' ');
        }
    }
    for command in STYLING {
        out = out.replace(&format!("\\{command}"), &format!("\\ {command}"));
    }
    without_templates(&out.replace("url(", "url ("))
}
