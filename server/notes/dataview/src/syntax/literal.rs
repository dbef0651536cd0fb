//! Values that are written directly.

use std::sync::Arc;

use jiff::Zoned;
use winnow::combinator::{opt, preceded};
use winnow::prelude::*;
use winnow::token::{literal, take_while};

use super::input::{Input, Parsed, backtrack, input, remaining_text, take};
use crate::datetime::{Duration, SHORTHANDS, Unit, parse_date_prefix, parse_shorthand};
use crate::number;
use crate::value::{Link, Value};
use crate::words::{continues_name, starts_name};

/// White space, if there is any.
pub(crate) fn space<'a>(input: &mut Input<'a>) -> Parsed<&'a str> {
    take_while(0.., char::is_whitespace).parse_next(input)
}

/// A number such as `-2.5`.
pub(crate) fn a_number(input: &mut Input<'_>) -> Parsed<f64> {
    let Some(length) = number::prefix_length(remaining_text(input)) else { return backtrack() };
    take(input, length).parse().or_else(|_| backtrack())
}

/// Text in quotes. A backslash stays, except before a quote or another backslash.
pub(super) fn text(input: &mut Input<'_>) -> Parsed<Arc<str>> {
    let Some(inside) = remaining_text(input).strip_prefix('"') else { return backtrack() };
    let mut text = String::new();
    let mut characters = inside.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => {
                take(input, at + 2);
                return Ok(text.into());
            }
            '\\' => match characters.next() {
                Some((_, escaped @ ('"' | '\\'))) => text.push(escaped),
                Some((_, other)) => text.extend(['\\', other]),
                None => break,
            },
            c => text.push(c),
        }
    }
    backtrack()
}

/// A name: a letter or emoji, then also digits, `_` and `-`.
pub(super) fn name<'a>(input: &mut Input<'a>) -> Parsed<&'a str> {
    let text = remaining_text(input);
    if !text.starts_with(starts_name) {
        return backtrack();
    }
    let length = text.find(|c| !continues_name(c)).unwrap_or(text.len());
    Ok(take(input, length))
}

/// A word that is not only the start of a name.
pub(super) fn word<'a>(expected: &'static str) -> impl FnMut(&mut Input<'a>) -> Parsed<&'a str> {
    move |input| {
        let start = input.checkpoint();
        let found = literal(expected).parse_next(input)?;
        if remaining_text(input).starts_with(continues_name) {
            input.reset(&start);
            return backtrack();
        }
        Ok(found)
    }
}

/// A keyword in any case.
pub(super) fn keyword<'a>(expected: &'static str) -> impl FnMut(&mut Input<'a>) -> Parsed<&'a str> {
    move |input| {
        let found = remaining_text(input).get(..expected.len());
        match found.filter(|found| found.eq_ignore_ascii_case(expected)) {
            Some(_) => Ok(take(input, expected.len())),
            None => backtrack(),
        }
    }
}

/// `#tag/sub`, with its `#`.
pub(super) fn tag<'a>(input: &mut Input<'a>) -> Parsed<&'a str> {
    ('#', take_while(0.., in_tag)).take().parse_next(input)
}

/// The tag that a text consists of.
pub(crate) fn read_tag(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|tag| tag.chars().all(in_tag))
}

fn in_tag(c: char) -> bool {
    let is_punctuation = matches!(c, '\u{2000}'..='\u{206f}' | '\u{2e00}'..='\u{2e7f}')
        || (c.is_ascii_punctuation() && !matches!(c, '/' | '-' | '_'));
    !is_punctuation && !c.is_whitespace()
}

/// `[[note#heading|shown]]`, and with `!` before it an embed.
pub(super) fn link(input: &mut Input<'_>) -> Parsed<Value> {
    let embed = remaining_text(input).starts_with('!');
    let text = &remaining_text(input)[usize::from(embed)..];
    let Some(inside) = text.strip_prefix("[[") else { return backtrack() };
    let Some(end) = inside.find(['[', ']']).filter(|&end| inside[end..].starts_with("]]")) else {
        return backtrack();
    };
    take(input, usize::from(embed) + end + 4);
    Ok(Value::link(Link::inner(&inside[..end]).with_embed(embed)))
}

/// A date as in ISO 8601, at least with a month.
pub(super) fn date(input: &mut Input<'_>) -> Parsed<Value> {
    match parse_date_prefix(remaining_text(input), input.state.now.time_zone()) {
        Some((date, length)) => {
            take(input, length);
            Ok(Value::date(date))
        }
        None => backtrack(),
    }
}

/// A date, or a name such as `today`.
pub(super) fn date_or_shorthand(input: &mut Input<'_>) -> Parsed<Value> {
    let named = SHORTHANDS.into_iter().find(|name| remaining_text(input).starts_with(name));
    match named.and_then(|name| Some((name, parse_shorthand(name, input.state.now)?))) {
        Some((name, date)) => {
            take(input, name.len());
            Ok(Value::date(date))
        }
        None => date.parse_next(input),
    }
}

/// `1 hour 30 min` or `1h, 30m`.
pub(super) fn duration(input: &mut Input<'_>) -> Parsed<Duration> {
    let mut sum = amount.parse_next(input)?;
    while let Some(next) = opt(preceded(separator, amount)).parse_next(input)? {
        sum = sum.plus(next);
    }
    Ok(sum)
}

fn separator(input: &mut Input<'_>) -> Parsed<()> {
    (space, opt(','), space).void().parse_next(input)
}

/// `2 weeks`
fn amount(input: &mut Input<'_>) -> Parsed<Duration> {
    let amount = a_number.parse_next(input)?;
    space.parse_next(input)?;
    let letters = remaining_text(input).bytes().take_while(u8::is_ascii_lowercase).count();
    let longest = (1..=letters.min(7)).rev();
    let units =
        longest.filter_map(|length| Some((length, Unit::parse(&remaining_text(input)[..length])?)));
    match units.into_iter().next() {
        Some((length, unit)) => {
            take(input, length);
            Ok(Duration::new(amount, unit))
        }
        None => backtrack(),
    }
}

/// A whole text as a duration.
pub(crate) fn read_duration(text: &str, now: &Zoned) -> Option<Duration> {
    whole(text, now, duration)
}

/// A whole text as a date or a name such as `today`.
pub(crate) fn read_date_or_shorthand(text: &str, now: &Zoned) -> Option<Value> {
    whole(text, now, date_or_shorthand)
}

/// Parses a whole text.
pub(super) fn whole<'a, T>(
    text: &'a str,
    now: &'a Zoned,
    mut parser: impl FnMut(&mut Input<'a>) -> Parsed<T>,
) -> Option<T> {
    let mut input = input(text, now);
    let parsed = parser(&mut input).ok()?;
    remaining_text(&input).is_empty().then_some(parsed)
}
