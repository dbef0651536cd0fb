//! The inside of `[[target#subpath|alias]]`.

use super::link::{Link, LinkKind, Notation};
use toolwrit_frontmatter::Span;

/// The wikilink with the text `inside` between its brackets; `None` if its target is empty.
///
/// The alias follows the first `|`, which in tables is written `\|`; the subpath follows the first
/// `#` before it. As in Obsidian, a `|` at the very start is part of the target. White space around
/// the target is ignored.
pub(super) fn parse(
    text: &str,
    inside: Span,
    kind: LinkKind,
    notation: Notation,
) -> Option<Link<'_>> {
    let written = inside.slice(text);
    let (linked, display) = match written.split_once('|') {
        Some((linked, alias)) if !linked.is_empty() => {
            (linked.strip_suffix('\\').unwrap_or(linked), Some(alias.trim()))
        }
        _ => (written, None),
    };
    let (path, subpath) = match linked.split_once('#') {
        Some((path, subpath)) => (path, Some(subpath.trim())),
        None => (linked, None),
    };
    let target_span = Span::new(inside.start, inside.start + path.len()).trim(text);
    if target_span.is_empty() && subpath.is_none_or(str::is_empty) {
        return None;
    }
    let mark = if kind == LinkKind::Embed { 3 } else { 2 };
    Some(Link {
        kind,
        span: Span::new(inside.start - mark, inside.end + 2),
        target_span,
        target: notation.decode(target_span.slice(text)),
        subpath: subpath.map(|subpath| notation.decode(subpath)),
        display,
        notation,
    })
}
