//! Values as text.

use super::{Map, Object, Value};
use crate::datetime::format_date;
use crate::number;

/// How values are written as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendering {
    /// What null is written as.
    pub null: String,
    /// The format of dates without a time of day.
    pub date_format: String,
    /// The format of dates with a time of day.
    pub date_time_format: String,
}

impl Default for Rendering {
    /// The plugin's defaults.
    fn default() -> Self {
        Self {
            null: "\\-".to_owned(),
            date_format: "MMMM dd, yyyy".to_owned(),
            date_time_format: "h:mm a - MMMM dd, yyyy".to_owned(),
        }
    }
}

/// How deeply lists and objects are written. What is nested deeper is written as `...`.
const DEPTH_LIMIT: usize = 16;

/// A value as text for people.
pub(crate) fn plain_text(value: &Value, rendering: &Rendering) -> String {
    let mut text = String::new();
    write(value, rendering, 0, &mut text);
    text
}

fn write(value: &Value, rendering: &Rendering, depth: usize, text: &mut String) {
    match value {
        Value::Null => text.push_str(&rendering.null),
        Value::Boolean(value) => text.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => text.push_str(&number::format(*number)),
        Value::Text(value) | Value::Typed(_, value) => text.push_str(value),
        Value::Regexp(regexp) => text.push_str(&regexp.written),
        Value::Date(date) => {
            let is_midnight = (date.hour(), date.minute(), date.second()) == (0, 0, 0);
            let format =
                if is_midnight { &rendering.date_format } else { &rendering.date_time_format };
            text.push_str(&format_date(date, format));
        }
        Value::Duration(duration) => text.push_str(&duration.to_string()),
        Value::Link(link) => text.push_str(&link.to_string()),
        Value::ExternalLink(link) => {
            text.extend(["[", &link.display, "](", &link.url, ")"]);
        }
        Value::List(_) | Value::Object(_) if depth > DEPTH_LIMIT => text.push_str("..."),
        Value::List(values) => {
            if depth > 0 {
                text.push('[');
            }
            for (index, value) in values.iter().enumerate() {
                text.push_str(if index > 0 { ", " } else { "" });
                write(value, rendering, depth + 1, text);
            }
            if depth > 0 {
                text.push(']');
            }
        }
        Value::Object(Object::Record(record)) => {
            write(&record.to_summary(), rendering, depth + 1, text);
        }
        Value::Object(Object::Map(map)) => write_map(map, rendering, depth, text),
    }
}

fn write_map(map: &Map, rendering: &Rendering, depth: usize, text: &mut String) {
    text.push_str("{ ");
    for (index, (name, value)) in map.iter().enumerate() {
        text.push_str(if index > 0 { ", " } else { "" });
        text.push_str(name);
        text.push_str(": ");
        write(value, rendering, depth + 1, text);
    }
    text.push_str(" }");
}
