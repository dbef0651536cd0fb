//! Values as text, dates and durations.

use std::sync::{Arc, LazyLock};

use jiff::Zoned;

use super::durations::humanize;
use crate::bases::syntax::duration;
use crate::datetime::{Duration, read_date};
use crate::value::{Map, Name, Object, Rendering, Value, plain_text};

/// How values are written as text.
static RENDERING: LazyLock<Rendering> = LazyLock::new(|| Rendering {
    null: String::new(),
    date_format: "yyyy-MM-dd".to_owned(),
    date_time_format: "yyyy-MM-dd HH:mm:ss".to_owned(),
});

pub(in crate::bases) fn text(value: &Value) -> String {
    plain_text(&shown(value), &RENDERING)
}

/// The text of a value that every function of texts applies to: texts, and links as they are written.
pub(super) fn as_text(value: &Value) -> Option<Name> {
    match value {
        Value::Text(text) | Value::Typed(_, text) => Some(text.clone()),
        Value::Link(_) | Value::ExternalLink(_) => Some(text(value).into()),
        _ => None,
    }
}

/// A value with what is shown of its parts: durations in words, infinite numbers as `∞`.
pub(in crate::bases) fn shown(value: &Value) -> Value {
    if is_shown_as_it_is(value) {
        return value.clone();
    }
    match value {
        Value::Duration(duration) => Value::text(humanize(**duration)),
        Value::Number(number) => Value::text(if *number > 0.0 { "∞" } else { "-∞" }),
        Value::List(values) => Value::list(values.iter().map(shown)),
        Value::Object(Object::Map(map)) => {
            let part = |(name, value): (&Name, &Value)| (name.clone(), shown(value));
            Value::map(map.iter().map(part).collect::<Map>())
        }
        other => other.to_summary(),
    }
}

fn is_shown_as_it_is(value: &Value) -> bool {
    match value {
        Value::Duration(_) | Value::Object(Object::Record(_)) => false,
        Value::Number(number) => !number.is_infinite(),
        Value::List(values) => values.iter().all(is_shown_as_it_is),
        Value::Object(Object::Map(map)) => map.values().all(is_shown_as_it_is),
        _ => true,
    }
}

/// The name of a value's type, as `isType` takes it.
pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::List(_) => "list",
        Value::ExternalLink(_) => "url",
        Value::Typed(kind, _) => kind.name(),
        Value::Object(Object::Record(record)) if record.file().is_some() => "file",
        other => other.type_name(),
    }
}

/// Whether a value is of a type. Links, tags, icons and so on are also strings.
pub(super) fn is_of_type(value: &Value, name: &str) -> bool {
    name == type_name(value)
        || (name == "string" && as_text(value).is_some())
        || (name == "link" && matches!(value, Value::ExternalLink(_)))
}

/// Whether a value is not present, or has no content.
pub(in crate::bases) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Text(text) | Value::Typed(_, text) => text.is_empty(),
        Value::List(values) => values.is_empty(),
        Value::Object(Object::Map(map)) => map.is_empty(),
        _ => false,
    }
}

/// A text as a date in the zone of `now`: `2025-01-01`, `20250101`, `2025-01-01 12:00:00`, `202501011200`, the last two
/// also with an offset.
pub(super) fn date(text: &str, now: &Zoned) -> Option<Zoned> {
    let text = with_separators(text.trim()).replacen(' ', "T", 1);
    let time = text.find('T').map_or(text.len(), |at| at + 1);
    let offset = text[time..].find(['Z', '+', '-', '[']).map_or(text.len(), |at| time + at);
    let (local, offset) = (text[..offset].trim_end(), text[offset..].trim_start());
    // The reader takes an offset only after seconds, and with a colon.
    let seconds = if local.len() == "2025-01-01T12:00".len() { ":00" } else { "" };
    let read = match (offset.get(..3), offset.get(3..)) {
        (Some(hours), Some(minutes)) if offset.len() == "+0200".len() => {
            read_date(&format!("{local}{seconds}{hours}:{minutes}"), now.time_zone())
        }
        _ => read_date(&format!("{local}{seconds}{offset}"), now.time_zone()),
    };
    read.map(|date| date.with_time_zone(now.time_zone().clone()))
}

/// A date of digits alone with its separators: `20250101`, `202501011200`, `20250101120000`.
fn with_separators(text: &str) -> String {
    let is_compact = matches!(text.len(), 8 | 12 | 14) && text.bytes().all(|c| c.is_ascii_digit());
    if !is_compact {
        return text.to_owned();
    }
    let (day, time) = text.split_at(8);
    let day = format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..]);
    if time.is_empty() {
        return day;
    }
    let seconds = if time.len() > 4 { &time[4..] } else { "00" };
    format!("{day}T{}:{}:{seconds}", &time[..2], &time[2..4])
}

/// A duration, also one that is written as text.
pub(super) fn as_duration(value: &Value) -> Option<Duration> {
    match value {
        Value::Duration(duration) => Some(**duration),
        other => duration(&as_text(other)?),
    }
}

/// The path of the file that a link or a file is about.
pub(super) fn file_path(value: &Value) -> Option<&Name> {
    match value {
        Value::Link(link) => Some(&link.path),
        Value::Object(Object::Record(record)) => Arc::as_ref(record).file(),
        _ => None,
    }
}
