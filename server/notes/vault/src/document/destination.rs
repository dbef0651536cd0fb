//! The destinations of Markdown links (CommonMark 0.31, section 6.3).

use std::borrow::Cow;

use super::link::{Link, LinkKind, Notation, has_scheme};
use toolwrit_frontmatter::Span;

/// A Markdown link, and its part after the text.
pub(super) struct MarkdownLink<'a> {
    pub(super) link: Link<'a>,
    /// From the `]` after the text to the end.
    pub(super) tail: Span,
}

/// The link at `span`, whose `tail` after the text contains a destination that the parser decoded.
pub(super) fn parse_inline<'a>(
    text: &'a str,
    kind: LinkKind,
    span: Span,
    tail: Span,
    decoded: &str,
) -> Option<MarkdownLink<'a>> {
    let opening = tail.start + tail.slice(text).find("](")?;
    let tail = Span::new(opening, span.end);
    let shown = Span::new(span.start + if kind == LinkKind::Image { 2 } else { 1 }, opening);
    parse_link(text, kind, span, (shown, opening + 2), decoded)
        .map(|link| MarkdownLink { link, tail })
}

/// The definition at `span`: `[label]: destination`.
pub(super) fn parse_definition<'a>(
    text: &'a str,
    span: Span,
    decoded: &str,
) -> Option<MarkdownLink<'a>> {
    let start = span.start + span.slice(text).find('[')? + 1;
    let mut escaped = false;
    let label = Span::new(start, span.end).slice(text).find(|c| {
        let ends = c == ']' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    let label = Span::new(start, start + label);
    parse_link(text, LinkKind::Definition, span, (label, label.end + 2), decoded)
        .map(|link| MarkdownLink { link, tail: span })
}

/// A link that shows `display`, whose destination is the first after `start`; `None` if it is
/// empty.
fn parse_link<'a>(
    text: &'a str,
    kind: LinkKind,
    span: Span,
    (display, start): (Span, usize),
    decoded: &str,
) -> Option<Link<'a>> {
    let rest = Span::new(start, span.end).slice(text);
    let start = start + rest.len() - rest.trim_start().len();
    let (start, notation) = match text[start..].strip_prefix('<') {
        Some(_) => (start + 1, Notation::Angle),
        None => (start, Notation::Percent),
    };
    let end = start + destination_length(&text[start..span.end], notation)?;
    let written = Span::new(start, end).slice(text);
    let path = &written[..find_fragment(written).unwrap_or(written.len())];
    let (target, subpath) = split_destination(written, path.len(), decoded, notation);
    if target.is_empty() && subpath.as_deref().is_none_or(str::is_empty) {
        return None;
    }
    Some(Link {
        kind,
        span,
        target_span: Span::new(start, start + path.len()),
        target,
        subpath,
        display: Some(display.slice(text)),
        notation,
    })
}

/// The offset of the `#` that starts a destination's subpath. A URL keeps it, and `&#` starts a
/// character reference.
fn find_fragment(written: &str) -> Option<usize> {
    let mut marks = written.match_indices('#').map(|(offset, _)| offset);
    marks.find(|&offset| !written[..offset].ends_with(['&', '\\'])).filter(|_| !has_scheme(written))
}

/// The target and subpath of a destination whose path has this length. Escapes and character
/// references are decoded as by the parser.
fn split_destination<'a>(
    written: &'a str,
    path: usize,
    decoded: &str,
    notation: Notation,
) -> (Cow<'a, str>, Option<Cow<'a, str>>) {
    if has_scheme(written) {
        return (Cow::Owned(decoded.to_owned()), None);
    }
    let has_fragment = path < written.len();
    if !written.contains(['\\', '&']) {
        let subpath = has_fragment.then(|| notation.decode(&written[path + 1..]));
        return (notation.decode(&written[..path]), subpath);
    }
    let owned = |part: &str| Cow::Owned(notation.decode(part).into_owned());
    match decoded.split_once('#').filter(|_| has_fragment) {
        Some((target, subpath)) => (owned(target), Some(owned(subpath))),
        None => (owned(decoded), None),
    }
}

/// The length of the destination at the start of `text`.
fn destination_length(text: &str, notation: Notation) -> Option<usize> {
    let mut depth = 0_usize;
    let mut bytes = text.bytes().enumerate();
    while let Some((offset, byte)) = bytes.next() {
        match (byte, notation) {
            (b'\\', _) => drop(bytes.next()),
            (b'>', Notation::Angle) => return Some(offset),
            (_, Notation::Angle) => {}
            (b'(', _) => depth += 1,
            (b')', _) if depth == 0 => return Some(offset),
            (b')', _) => depth -= 1,
            _ if byte.is_ascii_whitespace() => return Some(offset),
            _ => {}
        }
    }
    (notation != Notation::Angle).then_some(text.len())
}
