//! Values as text, dates and durations.

use std::sync::{Arc, LazyLock};

use jiff::Zoned;

use crate::bases::syntax::duration;
use crate::datetime::{Duration, read_date};
use crate::value::{Name, Object, Rendering, Value, plain_text};

/// How values are written as text.
static RENDERING: LazyLock<Rendering> = LazyLock::new(|| Rendering {
    null: String::new(),
    date_format: "yyyy-MM-dd".to_owned(),
    date_time_format: "yyyy-MM-dd HH:mm:ss".to_owned(),
});

pub(super) fn text(value: &Value) -> String {
    plain_text(value, &RENDERING)
}

/// The name of a value's type, as `isType` takes it.
pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::List(_) => "list",
        Value::ExternalLink(_) => "link",
        Value::Object(Object::Record(record)) if record.file().is_some() => "file",
        other => other.type_name(),
    }
}

/// Whether a value is not present, or has no content.
pub(in crate::bases) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Text(text) => text.is_empty(),
        Value::List(values) => values.is_empty(),
        Value::Object(Object::Map(map)) => map.is_empty(),
        _ => false,
    }
}

/// A text such as `2025-01-01` or `2025-01-01 12:00:00` as a date.
pub(super) fn date(text: &str, now: &Zoned) -> Option<Zoned> {
    read_date(&text.trim().replacen(' ', "T", 1), now.time_zone())
}

/// A duration, also one that is written as text.
pub(super) fn as_duration(value: &Value) -> Option<Duration> {
    match value {
        Value::Duration(duration) => Some(**duration),
        Value::Text(text) => duration(text),
        _ => None,
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
