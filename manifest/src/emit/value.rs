//! Writes values that many parts of a manifest have.

use std::time::Duration;

use serde_json::{Value, json};

/// A duration in seconds, or in milliseconds if it is not a whole number of seconds.
pub(super) fn period(duration: Duration) -> Value {
    let millis = duration.as_millis();
    json!(if millis.is_multiple_of(1000) {
        format!("{}s", millis / 1000)
    } else {
        format!("{millis}ms")
    })
}

pub(super) fn object_by_name<'a, T: 'a>(
    list: impl IntoIterator<Item = &'a T>,
    entry: impl Fn(&'a T) -> (&'a String, Value),
) -> Value {
    Value::Object(list.into_iter().map(entry).map(|(name, value)| (name.clone(), value)).collect())
}

pub(super) fn present_entries(
    entries: impl IntoIterator<Item = (&'static str, Option<Value>)>,
) -> Value {
    let entries = entries.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(entries.collect())
}
