//! Sources: the notes that a query reads (`FROM`).

use std::sync::Arc;

use winnow::combinator::{alt, delimited, preceded};
use winnow::error::ErrMode;
use winnow::prelude::*;

use super::input::{Input, Parsed, backtrack, expect_named, parse_nested, remaining_text};
use super::literal::{keyword, link, space, tag, text};
use crate::value::{Name, Value};
use crate::words::starts_name;

/// The notes that a query reads.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// Notes with a tag or a tag below it; with `#`.
    Tag(Name),
    /// The notes in and below a folder, or one note.
    Folder(Name),
    /// The rows of a CSV file.
    Csv(Name),
    /// Notes with links to a file.
    LinkingTo(Name),
    /// Notes that a note links to.
    LinkedFrom(Name),
    /// All other notes.
    Not(Box<Source>),
    /// Sources combined from left to right.
    Chain(Box<Source>, Vec<(Connective, Source)>),
}

/// How two sources are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Connective {
    And,
    Or,
}

pub(super) fn source(input: &mut Input<'_>) -> Parsed<Source> {
    parse_nested(chain)(input)
}

fn chain(input: &mut Input<'_>) -> Parsed<Source> {
    let first = single.parse_next(input)?;
    let mut rest = Vec::new();
    loop {
        let end = input.checkpoint();
        let mut next = (delimited(space, expect_named("`and`, `or`", connective), space), single);
        match next.parse_next(input) {
            Ok(next) => rest.push(next),
            Err(error @ ErrMode::Cut(_)) => return Err(error),
            Err(_) => {
                input.reset(&end);
                break;
            }
        }
    }
    Ok(if rest.is_empty() { first } else { Source::Chain(Box::new(first), rest) })
}

/// `and`, `or`, `&` or `|`. `or` is not the start of another word, such as `ORDER`.
pub(super) fn connective(input: &mut Input<'_>) -> Parsed<Connective> {
    let is_other_word = |input: &Input<'_>| remaining_text(input).starts_with(starts_name);
    let word = |input: &mut Input<'_>| {
        let both = keyword("and").value(Connective::And);
        let found = alt((both, keyword("or").value(Connective::Or))).parse_next(input)?;
        if is_other_word(input) { backtrack() } else { Ok(found) }
    };
    let sign = alt(('&'.value(Connective::And), '|'.value(Connective::Or)));
    alt((word, sign)).parse_next(input)
}

fn single(input: &mut Input<'_>) -> Parsed<Source> {
    expect_named(
        "a source: #tag, \"folder\", [[note]], outgoing([[note]]) or csv(\"file\")",
        alt((
            delimited(('(', space), source, (space, ')')),
            preceded(alt(('-', '!')), parse_nested(single))
                .map(|source| Source::Not(Box::new(source))),
            delimited(("outgoing(", space), link_path, ')').map(Source::LinkedFrom),
            link_path.map(Source::LinkingTo),
            text.map(Source::Folder),
            tag.map(|tag| Source::Tag(tag.into())),
            delimited(("csv(", space), text, ')').map(Source::Csv),
        )),
    )(input)
}

/// The path in a wikilink.
fn link_path(input: &mut Input<'_>) -> Parsed<Arc<str>> {
    if remaining_text(input).starts_with('!') {
        return backtrack();
    }
    let link = link.parse_next(input)?;
    match link {
        Value::Link(link) => Ok(Arc::clone(&link.path)),
        _ => backtrack(),
    }
}
