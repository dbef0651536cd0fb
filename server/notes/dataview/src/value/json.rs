//! Values as JSON.

use jiff::Zoned;
use serde_json::{Map as JsonMap, Number, Value as Json};

use super::{Object, Value};

/// How deeply lists and objects are nested. What is nested deeper is left out.
const DEPTH_LIMIT: usize = 32;

impl Value {
    /// The value as JSON. Dates are in ISO 8601, durations in words, links as wikilinks, and notes as links to
    /// them. Numbers that JSON does not have are null.
    pub fn to_json(&self) -> Json {
        json(self, 0)
    }
}

fn json(value: &Value, depth: usize) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Boolean(value) => Json::Bool(*value),
        Value::Number(number) => json_number(*number),
        Value::Text(text) | Value::Typed(_, text) => Json::String(text.to_string()),
        Value::Regexp(regexp) => Json::String(regexp.to_string()),
        Value::Date(date) => Json::String(iso(date)),
        Value::Duration(duration) => Json::String(duration.to_string()),
        Value::Link(link) => Json::String(link.to_string()),
        Value::ExternalLink(link) => Json::String(format!("[{}]({})", link.display, link.url)),
        Value::List(_) | Value::Object(_) if depth > DEPTH_LIMIT => Json::Null,
        Value::List(values) => values.iter().map(|value| json(value, depth + 1)).collect(),
        Value::Object(Object::Record(record)) => json(&record.to_summary(), depth + 1),
        Value::Object(Object::Map(map)) => {
            let field =
                |(name, value): (&super::Name, &Value)| (name.to_string(), json(value, depth + 1));
            Json::Object(map.iter().map(field).collect::<JsonMap<_, _>>())
        }
    }
}

/// A whole number without a fraction.
fn json_number(number: f64) -> Json {
    const WHOLE_LIMIT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < WHOLE_LIMIT {
        #[expect(clippy::cast_possible_truncation, reason = "the number is whole and in range")]
        return Json::Number(Number::from(number as i64));
    }
    Number::from_f64(number).map_or(Json::Null, Json::Number)
}

/// `2024-05-17`, or with the time of day and the offset if there is one.
fn iso(date: &Zoned) -> String {
    if date.time() == jiff::civil::Time::midnight() {
        return date.date().to_string();
    }
    date.strftime("%Y-%m-%dT%H:%M:%S%.f%:z").to_string()
}
