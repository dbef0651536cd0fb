//! The values of fields in notes: inline fields and properties.

use std::sync::Arc;

use jiff::Zoned;
use toolwrit_vault::document::{Document, LinkKind};
use winnow::combinator::{alt, opt};
use winnow::prelude::*;

use super::input::{Input, Parsed};
use super::literal::{a_number, date, duration, link, space, tag, text, whole};
use crate::datetime::read_date;
use crate::value::{ExternalLink, Link, Value};

/// The value of an inline field: a date, duration, link, tag, number, text in quotes, or several of them with
/// commas between; otherwise the text as it is. Empty text is null.
pub(crate) fn field_value(written: &str, now: &Zoned) -> Value {
    if written.trim().is_empty() {
        return Value::Null;
    }
    // Most values are plain words.
    let may_be_other = |c: char| c.is_ascii_digit() || matches!(c, '-' | '"' | '#' | '!' | '[');
    let is_word = !written.starts_with(may_be_other)
        && !["true", "True", "false", "False", "null"].iter().any(|word| written.starts_with(word));
    if is_word {
        return Value::text(written);
    }
    whole(written, now, values).unwrap_or_else(|| Value::text(written))
}

/// The value of text in a property: a date, duration or link, or the text.
pub(crate) fn property_value(written: &str, now: &Zoned) -> Value {
    let parsed = whole(written, now, date);
    let parsed = parsed.or_else(|| whole(written, now, duration).map(Value::duration));
    let parsed = parsed.or_else(|| whole(written, now, link));
    parsed.unwrap_or_else(|| Value::text(written))
}

/// The value of text in a property as Obsidian itself reads it: a day with or without a time, a link, or the text.
pub(crate) fn plain_property_value(written: &str, now: &Zoned) -> Value {
    const DAY: usize = "2024-05-17".len();
    let day = || read_date(written, now.time_zone()).filter(|_| written.len() >= DAY);
    let link = || whole(written, now, link);
    let found = day().map(Value::date).or_else(link).or_else(|| markdown_link(written));
    found.unwrap_or_else(|| Value::text(written))
}

/// A text that is one Markdown link.
fn markdown_link(written: &str) -> Option<Value> {
    if !written.starts_with('[') || !written.ends_with(')') {
        return None;
    }
    let document = Document::parse(written).ok()?;
    let [link] = &*document.links else { return None };
    if link.kind != LinkKind::Markdown || (link.span.start, link.span.end) != (0, written.len()) {
        return None;
    }
    let subpath = link.subpath.as_ref().map_or_else(String::new, |subpath| format!("#{subpath}"));
    let target = format!("{}{subpath}", link.target);
    let display = link.display.filter(|display| !display.is_empty());
    Some(if link.is_external() {
        let display = display.unwrap_or(&target).into();
        Value::ExternalLink(Arc::new(ExternalLink { url: target.into(), display }))
    } else {
        Value::link(Link::from_target(&target, display))
    })
}

/// A value, or a list of at least one value and a comma.
fn values(input: &mut Input<'_>) -> Parsed<Value> {
    let first = value.parse_next(input)?;
    if opt(comma).parse_next(input)?.is_none() {
        return Ok(first);
    }
    let mut values = vec![first];
    while let Some(next) = opt(value).parse_next(input)? {
        values.push(next);
        let end = input.checkpoint();
        let continues = opt(comma).parse_next(input)?.is_some();
        let next = input.checkpoint();
        let is_value = continues && value.parse_next(input).is_ok();
        input.reset(if is_value { &next } else { &end });
        if !is_value {
            break;
        }
    }
    Ok(Value::list(values))
}

fn comma(input: &mut Input<'_>) -> Parsed<()> {
    (space, ',', space).void().parse_next(input)
}

fn value(input: &mut Input<'_>) -> Parsed<Value> {
    alt((
        date,
        duration.map(|duration| Value::duration(duration.normalize())),
        text.map(Value::Text),
        tag.map(Value::text),
        link,
        alt(("true", "True")).value(Value::Boolean(true)),
        alt(("false", "False")).value(Value::Boolean(false)),
        a_number.map(Value::Number),
        "null".map(Value::text),
    ))
    .parse_next(input)
}
