//! The words of faults about wrong values.

use serde_json::Value;
use toolwrit_text::shorten::start;

/// Characters of a wrong value that a failure repeats.
const ECHO: usize = 120;

pub(crate) fn article(expected: &str) -> String {
    let plain = ["string", "integer", "number", "boolean", "object", "list", "date"];
    match plain.iter().find(|word| expected.starts_with(**word)) {
        Some(&("integer" | "object")) => format!("an {expected}"),
        Some(_) => format!("a {expected}"),
        None if expected.contains('|') => format!("one of {expected}"),
        None => expected.to_owned(),
    }
}

/// Describes a received value: a short copy, and its kind in words.
pub(crate) fn describe(value: &Value) -> (Value, String) {
    match value {
        Value::Null => (Value::Null, "null".to_owned()),
        Value::Bool(_) => (value.clone(), format!("the boolean {value}")),
        Value::Number(_) => (value.clone(), format!("the number {value}")),
        Value::String(text) => {
            let short = shorten(text);
            (short.clone().into(), format!("the string {}", Value::String(short)))
        }
        Value::Array(items) => {
            (format!("a list of {}", items.len()).into(), format!("a list of {}", items.len()))
        }
        Value::Object(_) => ("an object".into(), "an object".to_owned()),
    }
}

pub(crate) fn shorten(text: &str) -> String {
    start(text, ECHO)
}

pub(crate) fn range(low: Option<String>, high: Option<String>, unit: &str) -> String {
    match (low, high) {
        (Some(low), Some(high)) => format!(" from {low} to {high}{unit}"),
        (Some(low), None) => format!(" of at least {low}{unit}"),
        (None, Some(high)) => format!(" of at most {high}{unit}"),
        (None, None) => String::new(),
    }
}
