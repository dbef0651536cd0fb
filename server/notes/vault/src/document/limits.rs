//! Limits for the structure of a note. For the worst texts, parsing takes some hundred bytes of
//! memory for each byte. With deeply nested containers, it takes time for each line and each
//! container.

use toolwrit_frontmatter::FrontmatterBlock;

/// Longest text that is parsed, in bytes (1 MiB).
pub const TEXT_LIMIT: usize = 1024 * 1024;
/// Most headings, links, tags, ids, list items and fields in all.
pub(super) const PARTS_LIMIT: usize = 50_000;
/// Most nested quotes and lists.
const DEPTH_LIMIT: usize = 128;

/// Why a text is not parsed. Such a note can be read and replaced as a whole, but not by its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Excess {
    /// It is too long.
    #[error("it has more than {TEXT_LIMIT} bytes")]
    Length,
    /// It has too many elements.
    #[error(
        "it has more than {PARTS_LIMIT} headings, links, tags, block ids, list items and fields"
    )]
    Parts,
    /// Its quotes and lists are nested too deeply.
    #[error("its quotes and lists are nested more than {DEPTH_LIMIT} deep")]
    Depth,
}

/// Checks whether a text may be parsed.
pub(super) fn check(text: &str) -> Result<(), Excess> {
    if text.len() > TEXT_LIMIT {
        return Err(Excess::Length);
    }
    let body = FrontmatterBlock::find(text).map_or(text, |block| &text[block.span.end..]);
    if body.lines().any(|line| max_depth(line) > DEPTH_LIMIT) { Err(Excess::Depth) } else { Ok(()) }
}

/// The most containers that a line can be nested in: each has a mark in the line, or takes two
/// columns of its indentation. A line without marks opens none. Counting stops when the depth
/// exceeds the limit.
fn max_depth(line: &str) -> usize {
    let mut marks = 0;
    let mut columns = 0;
    let mut rest = line;
    while marks <= DEPTH_LIMIT {
        let text = rest.trim_start_matches([' ', '\t']);
        columns += rest.len() - text.len();
        columns += 3 * rest[..rest.len() - text.len()].matches('\t').count();
        if is_thematic_break(text) {
            break;
        }
        let Some(mark) = mark_length(text) else { break };
        marks += 1;
        rest = &text[mark..];
    }
    if marks == 0 { 0 } else { marks + columns / 2 }
}

/// Whether a text is a thematic break, which may look like nested list items.
fn is_thematic_break(text: &str) -> bool {
    let Some(mark @ (b'-' | b'*')) = text.bytes().next() else { return false };
    let is_mark = |byte: &u8| *byte == mark;
    text.bytes().all(|byte| is_mark(&byte) || byte == b' ' || byte == b'\t')
        && text.as_bytes().iter().filter(|byte| is_mark(byte)).count() >= 3
}

/// The length of the mark of a quote, a list item or a footnote at the start of a text.
fn mark_length(text: &str) -> Option<usize> {
    let spaced = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    match text.as_bytes().first()? {
        b'>' => Some(1),
        b'-' | b'*' | b'+' => spaced(&text[1..]).then_some(1),
        b'0'..=b'9' => {
            let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
            let rest = rest.strip_prefix(['.', ')'])?;
            spaced(rest).then(|| text.len() - rest.len())
        }
        b'[' => {
            let label = text.strip_prefix("[^")?;
            let end = label.find([']', '[', ' '])?;
            label[end..].starts_with("]:").then_some(end + "[^]:".len())
        }
        _ => None,
    }
}
