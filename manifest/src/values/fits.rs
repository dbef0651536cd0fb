//! Whether a value has a shape. Defaults, examples and fixed arguments are checked with it.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;
use toolwrit_text::shorten;

use crate::interface::json_schema::{DATE_PATTERN, DATETIME_PATTERN};
use crate::model::{EnumValue, Field, Model, Presence, Shape, TypeId};

#[expect(clippy::expect_used, reason = "a constant expression, compiled by a test")]
static DATE: LazyLock<Regex> = LazyLock::new(|| Regex::new(DATE_PATTERN).expect("valid"));
#[expect(clippy::expect_used, reason = "a constant expression, compiled by a test")]
static DATETIME: LazyLock<Regex> = LazyLock::new(|| Regex::new(DATETIME_PATTERN).expect("valid"));

/// Where and how a value does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// JSON pointer (RFC 6901) into the value; empty for the whole.
    pub pointer: String,
    /// What would fit.
    pub expected: String,
    /// What is there.
    pub found: String,
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { pointer, expected, found } = self;
        match pointer.as_str() {
            "" => write!(f, "expected {expected}, found {found}"),
            _ => write!(f, "at `{pointer}` expected {expected}, found {found}"),
        }
    }
}

impl std::error::Error for Mismatch {}

/// Checks a value against a shape of the model.
///
/// # Errors
/// The first place where the value does not fit.
pub fn fits(model: &Model, shape: &Shape, value: &Value) -> Result<(), Mismatch> {
    fits_with(&|id| Some(&model[id].shape), shape, value)
}

/// Looks a declared type up; `None` for one that is not known yet, which accepts any value.
pub(crate) type ResolveType<'a> = dyn Fn(TypeId) -> Option<&'a Shape> + 'a;

pub(crate) fn fits_with<'a>(
    types: &ResolveType<'a>,
    shape: &'a Shape,
    value: &Value,
) -> Result<(), Mismatch> {
    let wrong = |expected: String| Err(mismatch(expected, value));
    match (shape, value) {
        (Shape::Named(id), _) => match types(*id) {
            Some(shape) => fits_with(types, shape, value),
            None => Ok(()),
        },
        (Shape::Json, _) | (Shape::Boolean, Value::Bool(_)) => Ok(()),
        (Shape::String { .. }, Value::String(text)) => fits_string(shape, text),
        (Shape::Integer { format, min, max }, Value::Number(number)) => match number.as_i128() {
            Some(n) if min.is_some_and(|min| n < min) || max.is_some_and(|max| n > max) => {
                wrong(format!("an integer{}", bounds(min.as_ref(), max.as_ref())))
            }
            Some(n) if n >= format.range().0 && n <= format.range().1 => Ok(()),
            _ => wrong("an integer of 64 bits".to_owned()),
        },
        (Shape::Number { min, max }, Value::Number(number)) => match number.as_f64() {
            Some(n) if min.is_none_or(|min| n >= min) && max.is_none_or(|max| n <= max) => Ok(()),
            _ => wrong(format!("a number{}", bounds(min.as_ref(), max.as_ref()))),
        },
        (Shape::Date, Value::String(text)) if DATE.is_match(text) && is_day(text) => Ok(()),
        (Shape::DateTime, Value::String(text)) if DATETIME.is_match(text) && is_day(text) => Ok(()),
        (Shape::Enum(values), Value::String(text))
            if values.iter().any(|value| value.name == *text) =>
        {
            Ok(())
        }
        (Shape::Array { items, min_items, max_items }, Value::Array(list)) => {
            let length = list.len() as u64;
            if min_items.is_some_and(|min| length < min)
                || max_items.is_some_and(|max| length > max)
            {
                let bounds = bounds(min_items.as_ref(), max_items.as_ref());
                return Err(Mismatch {
                    pointer: String::new(),
                    expected: format!("a list whose length is{bounds}"),
                    found: format!("{length} items"),
                });
            }
            list.iter().enumerate().try_for_each(|(index, item)| {
                fits_with(types, items, item).map_err(|fault| fault.inside(&index.to_string()))
            })
        }
        (Shape::Map(values), Value::Object(map)) => map.iter().try_for_each(|(key, value)| {
            fits_with(types, values, value).map_err(|fault| fault.inside(key))
        }),
        (Shape::Record(fields), Value::Object(map)) => fits_record(types, fields, map),
        _ => wrong(in_words(shape)),
    }
}

/// Whether the month has the day of this date, which has the form of one. A pattern cannot say it.
fn is_day(date: &str) -> bool {
    let number = |digits: Range<usize>| date.get(digits).and_then(|text| text.parse::<u32>().ok());
    let (Some(year), Some(month), Some(day)) = (number(0..4), number(5..7), number(8..10)) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    day <= days
}

fn fits_string(shape: &Shape, text: &str) -> Result<(), Mismatch> {
    let Shape::String { min_length, max_length, pattern } = shape else { return Ok(()) };
    let length = text.chars().count() as u64;
    if min_length.is_some_and(|min| length < min) || max_length.is_some_and(|max| length > max) {
        return Err(Mismatch {
            pointer: String::new(),
            expected: format!(
                "a string whose length is{}",
                bounds(min_length.as_ref(), max_length.as_ref())
            ),
            found: format!("{length} characters"),
        });
    }
    match pattern {
        Some(pattern) if !pattern.regex().is_match(text) => Err(mismatch(
            format!("a string that matches `{}`", pattern.as_str()),
            &Value::String(text.to_owned()),
        )),
        _ => Ok(()),
    }
}

fn fits_record<'a>(
    types: &ResolveType<'a>,
    fields: &'a [Field],
    map: &serde_json::Map<String, Value>,
) -> Result<(), Mismatch> {
    let names = || fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>().join(", ");
    if let Some(key) = map.keys().find(|key| fields.iter().all(|field| field.name != **key)) {
        return Err(Mismatch {
            pointer: String::new(),
            expected: format!("only the fields {}", names()),
            found: format!("`{key}`"),
        });
    }
    fields.iter().try_for_each(|field| match map.get(&field.name) {
        Some(Value::Null) if field.nullable => Ok(()),
        Some(value) => {
            fits_with(types, &field.shape, value).map_err(|fault| fault.inside(&field.name))
        }
        None if field.presence == Presence::Required => Err(Mismatch {
            pointer: String::new(),
            expected: format!("the field `{}`", field.name),
            found: "an object without it".to_owned(),
        }),
        None => Ok(()),
    })
}

impl Mismatch {
    /// The same mismatch, in a value one level further out.
    fn inside(mut self, key: &str) -> Self {
        let key = key.replace('~', "~0").replace('/', "~1");
        self.pointer = format!("/{key}{}", self.pointer);
        self
    }
}

fn mismatch(expected: String, value: &Value) -> Mismatch {
    const MOST: usize = 60;
    let found = match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        _ => format!("`{}`", shorten::start(&value.to_string(), MOST)),
    };
    Mismatch { pointer: String::new(), expected, found }
}

fn bounds<T: std::fmt::Display>(min: Option<&T>, max: Option<&T>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!(" from {min} to {max}"),
        (Some(min), None) => format!(" of at least {min}"),
        (None, Some(max)) => format!(" of at most {max}"),
        (None, None) => String::new(),
    }
}

fn in_words(shape: &Shape) -> String {
    match shape {
        Shape::String { .. } => "a string".to_owned(),
        Shape::Integer { .. } => "an integer".to_owned(),
        Shape::Number { .. } => "a number".to_owned(),
        Shape::Boolean => "true or false".to_owned(),
        Shape::Date => "a date such as 2026-05-01".to_owned(),
        Shape::DateTime => "an instant such as 2026-05-01T09:30:00Z".to_owned(),
        Shape::Json | Shape::Named(_) => "a value".to_owned(),
        Shape::Enum(values) => format!("one of {}", EnumValue::join(values, ", ")),
        Shape::Array { .. } => "a list".to_owned(),
        Shape::Map(_) | Shape::Record(_) => "an object".to_owned(),
    }
}
