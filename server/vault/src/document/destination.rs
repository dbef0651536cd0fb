//! The destinations of Markdown links (CommonMark 0.31, section 6.3).

use std::borrow::Cow;

use super::link::{Link, LinkKind, Notation, has_scheme};
use super::span::Span;
use super::structure::MarkdownLink;

/// The link at `span` whose `tail`, after the text, holds a destination that the parser decoded.
pub(super) fn inline<'a>(
    text: &'a str,
    kind: LinkKind,
    span: Span,
    tail: Span,
    decoded: &str,
) -> Option<MarkdownLink<'a>> {
    let opening = tail.start + tail.of(text).find("](")?;
    let tail = Span::new(opening, span.end);
    let shown = Span::new(span.start + if kind == LinkKind::Image { 2 } else { 1 }, opening);
    link(text, kind, span, (shown, opening + 2), decoded).map(|link| MarkdownLink { link, tail })
}

/// The definition at `span`: `[label]: destination`.
pub(super) fn definition<'a>(text: &'a str, span: Span, decoded: &str) -> Option<MarkdownLink<'a>> {
    let start = span.start + span.of(text).find('[')? + 1;
    let mut escaped = false;
    let label = Span::new(start, span.end).of(text).find(|c| {
        let ends = c == ']' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    let label = Span::new(start, start + label);
    link(text, LinkKind::Definition, span, (label, label.end + 2), decoded)
        .map(|link| MarkdownLink { link, tail: span })
}

/// A link that shows `display`, and whose destination comes first after `start`.
fn link<'a>(
    text: &'a str,
    kind: LinkKind,
    span: Span,
    (display, start): (Span, usize),
    decoded: &str,
) -> Option<Link<'a>> {
    let rest = Span::new(start, span.end).of(text);
    let start = start + rest.len() - rest.trim_start().len();
    let (start, notation) = match text[start..].strip_prefix('<') {
        Some(_) => (start + 1, Notation::Angle),
        None => (start, Notation::Percent),
    };
    let end = start + length(&text[start..span.end], notation)?;
    let written = Span::new(start, end).of(text);
    // A `#` after `&` is a character reference.
    let fragment = written.bytes().enumerate().find(|&(offset, byte)| {
        byte == b'#' && !written[..offset].ends_with(['&', '\\']) && !has_scheme(written)
    });
    let path = fragment.map_or(written, |(offset, _)| &written[..offset]);
    let (target, subpath) = match written.contains(['\\', '&']) {
        false => {
            (Cow::Borrowed(path), fragment.map(|(offset, _)| Cow::Borrowed(&written[offset + 1..])))
        }
        true => match decoded.split_once('#').filter(|_| fragment.is_some()) {
            Some((path, subpath)) => {
                (Cow::Owned(path.to_owned()), Some(Cow::Owned(subpath.to_owned())))
            }
            None => (Cow::Owned(decoded.to_owned()), None),
        },
    };
    let decode = |part: Cow<'a, str>| match part {
        Cow::Borrowed(part) => notation.decode(part),
        Cow::Owned(part) => Cow::Owned(notation.decode(&part).into_owned()),
    };
    Some(Link {
        kind,
        span,
        target_span: Span::new(start, start + path.len()),
        target: if has_scheme(&target) { target } else { decode(target) },
        subpath: subpath.map(decode),
        display: Some(display.of(text)),
        notation,
    })
}

/// The length of the destination that `text` starts with.
fn length(text: &str, notation: Notation) -> Option<usize> {
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
