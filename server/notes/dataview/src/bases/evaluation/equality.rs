//! Which values are equal, and what lists contain.

use jiff::Zoned;
use jiff::civil::Time;

use super::context::ViewContext;
use super::conversion::{as_duration, as_text, date, file_path};
use super::durations::milliseconds;
use crate::evaluation::Failure;
use crate::value::{Link, Name, Object, TextKind, UnresolvedPaths, Value, compare};

/// Whether two values are equal. Links and files are equal if they are about the same file, a day is equal to every time
/// of it, and a list of one value to this value.
pub(super) fn are_equal(a: &Value, b: &Value, context: &ViewContext<'_>) -> Result<bool, Failure> {
    context.budget.step()?;
    match (file_path(a), file_path(b)) {
        (Some(a), Some(b)) => return Ok(a == b),
        (Some(path), None) if !matches!(b, Value::List(_)) => {
            return Ok(names_file(b, path, context));
        }
        (None, Some(path)) if !matches!(a, Value::List(_)) => {
            return Ok(names_file(a, path, context));
        }
        _ => {}
    }
    Ok(match (a, b) {
        (Value::List(a), Value::List(b)) => {
            let mut pairs = a.iter().zip(b.iter());
            let same =
                pairs.try_fold(true, |same, (a, b)| Ok(same && are_equal(a, b, context)?))?;
            a.len() == b.len() && same
        }
        (Value::List(values), other) | (other, Value::List(values)) => match &**values {
            [single] => are_equal(single, other, context)?,
            _ => false,
        },
        (Value::Object(Object::Map(a)), Value::Object(Object::Map(b))) => {
            let mut same = a.len() == b.len();
            for (name, value) in a.iter() {
                same = same && b.get(name).is_some_and(|other| compares_equal(value, other));
            }
            same
        }
        _ => are_scalars_equal(a, b, context),
    })
}

fn are_scalars_equal(a: &Value, b: &Value, context: &ViewContext<'_>) -> bool {
    match (a, b) {
        (Value::Date(a), Value::Date(b)) => are_dates_equal(a, b),
        (Value::Date(at), other) | (other, Value::Date(at)) => {
            let other = as_text(other).and_then(|text| date(&text, context.now));
            other.is_some_and(|other| are_dates_equal(at, &other))
        }
        (Value::Duration(length), other) | (other, Value::Duration(length)) =>
        {
            #[expect(clippy::float_cmp, reason = "equal durations have equal lengths")]
            as_duration(other).is_some_and(|other| milliseconds(**length) == milliseconds(other))
        }
        (Value::Regexp(a), Value::Regexp(b)) => a.written == b.written,
        (Value::ExternalLink(a), Value::ExternalLink(b)) => a.url == b.url,
        (Value::Typed(TextKind::Tag, tag), other) | (other, Value::Typed(TextKind::Tag, tag)) => {
            as_text(other).is_some_and(|other| tag_name(tag) == tag_name(&other))
        }
        (a, b) => match (as_text(a), as_text(b)) {
            (Some(a), Some(b)) => a == b,
            _ => compares_equal(a, b),
        },
    }
}

/// A date without a time of day has no other way to be equal to a date with one.
fn are_dates_equal(a: &Zoned, b: &Zoned) -> bool {
    let is_day = |date: &Zoned| date.time() == Time::midnight();
    let is_same_day = || (is_day(a) || is_day(b)) && a.date() == b.date();
    a.timestamp() == b.timestamp() || is_same_day()
}

/// Whether a text is a wikilink to the file at a path.
fn names_file(value: &Value, path: &Name, context: &ViewContext<'_>) -> bool {
    let Some(text) = as_text(value) else { return false };
    let inside = text.strip_prefix("[[").and_then(|text| text.strip_suffix("]]"));
    inside.is_some_and(|inside| {
        let link = Link::inner(inside);
        let found = context.snapshot.resolve(&link.path, None);
        found.map_or(*link.path == **path, |found| *found.as_str() == **path)
    })
}

fn compares_equal(a: &Value, b: &Value) -> bool {
    a.type_name() == b.type_name() && compare(a, b, &UnresolvedPaths).is_eq()
}

/// Whether a list has a value. A list of tags has also the tags that its own are below.
pub(super) fn contains(
    list: &[Value],
    value: &Value,
    context: &ViewContext<'_>,
) -> Result<bool, Failure> {
    for known in list {
        if are_equal(known, value, context)? || is_tag_below(known, value) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_tag_below(tag: &Value, other: &Value) -> bool {
    let (Value::Typed(TextKind::Tag, tag), Some(other)) = (tag, as_text(other)) else {
        return false;
    };
    let (tag, other) = (tag_name(tag), tag_name(&other));
    !other.is_empty() && tag.strip_prefix(&*other).is_some_and(|rest| rest.starts_with('/'))
}

/// A tag in the form in which tags are compared.
fn tag_name(tag: &str) -> String {
    tag.strip_prefix('#').unwrap_or(tag).to_lowercase()
}
