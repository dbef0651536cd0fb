//! Checks raw JSON arguments against a field table. One validator serves every operation. Arguments that
//! pass it fit the generated struct.

pub mod nullable;
pub(crate) mod recorded;
pub mod refused;
pub mod value;

use std::sync::LazyLock;

use indexmap::IndexMap;
use jiff::{Timestamp, civil::Date};
use regex::Regex;
use serde_json::{Map, Value};

use crate::arguments::refused::RefusedItem;
use crate::arguments::value::{ArgValue, ArgValues, FromArgValue};
use crate::authority::{Field, Presence, Type};
use crate::fault::wrong_value::{article, describe, range, shorten};
use crate::fault::{Fault, Result};
use crate::json::pointer::Pointer;
use crate::json::unique::ReadValue;
use crate::json::written::parse_row_text;
use toolwrit_text::nearest;

/// Checks the arguments of a call and puts them in the order of the fields.
///
/// # Errors
/// `VALIDATION_ERROR` for the first error, with its JSON pointer. Unknown names come before
/// missing ones, so that a misspelt parameter is reported under the name that was sent.
pub fn bind(fields: &[Field], arguments: Map<String, Value>) -> Result<ArgValues> {
    record(fields, arguments, &Pointer::Root)
}

/// Checks one argument by itself.
///
/// # Errors
/// `VALIDATION_ERROR`, as [`bind`] would report it.
pub fn check(field: &Field, value: Value) -> Result<()> {
    let checked = value_of(&field.ty, value, &Pointer::Key(&Pointer::Root, &field.name));
    checked.map(drop).map_err(|fault| advise(fault, field))
}

/// Moves the members of an object among the arguments beside it. An argument that is no object stays.
///
/// # Errors
/// `VALIDATION_ERROR` if a member is also an argument: one of its two values would be lost.
pub fn flatten(mut arguments: Map<String, Value>, name: &str) -> Result<Map<String, Value>> {
    let members = match arguments.get(name) {
        Some(Value::Object(members)) => members.clone(),
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(ReadValue { value: Value::Object(members), repeated: None }) => members,
            _ => return Ok(arguments),
        },
        _ => return Ok(arguments),
    };
    arguments.shift_remove(name);
    for (member, value) in members {
        if arguments.contains_key(&member) {
            let member = shorten(&member);
            return Err(Fault::validation(format!("`{member}` occurs twice, once in `{name}`."))
                .with_path(format!("/{member}"))
                .expecting("each parameter once")
                .hinting(format!("Send `{member}` only once.")));
        }
        arguments.insert(member, value);
    }
    Ok(arguments)
}

fn record(fields: &[Field], mut values: Map<String, Value>, at: &Pointer<'_>) -> Result<ArgValues> {
    if let Some(unknown) = values.keys().find(|key| fields.iter().all(|f| f.name != key.as_str())) {
        return Err(unknown_name(fields, &values, unknown, at));
    }
    let mut slots = ArgValues::with_capacity(fields.len());
    for field in fields {
        let pointer = Pointer::Key(at, &field.name);
        slots.push(match (values.get_mut(&field.name).map(Value::take), &field.presence) {
            (Some(Value::Null), _) if field.nullable => ArgValue::Null,
            (Some(Value::Null), Presence::Optional | Presence::Default(_))
                if !matches!(field.ty, Type::Json) =>
            {
                return Err(wrong(&field.ty, &Value::Null, &pointer)
                    .hinting(format!("Leave `{}` out instead of sending null.", field.name)));
            }
            (Some(value), _) => {
                let checked = match &field.ty {
                    Type::Array { items, min, max } if field.separate => {
                        separate_items((items, *min, *max), value, &pointer)
                    }
                    ty => value_of(ty, value, &pointer),
                };
                checked.map_err(|fault| advise(fault, field))?
            }
            (None, Presence::Optional) => ArgValue::Absent,
            (None, Presence::Default(text)) => {
                // It has been checked against this type.
                value_of(&field.ty, parse_row_text(text), &pointer)?
            }
            (None, Presence::Required) => {
                return Err(Fault::validation(format!("`{}` is missing.", field.name))
                    .with_path(pointer.render())
                    .expecting(expected(&field.ty)));
            }
        });
    }
    Ok(slots)
}

fn unknown_name(
    fields: &[Field],
    values: &Map<String, Value>,
    unknown: &str,
    at: &Pointer<'_>,
) -> Fault {
    let fault = Fault::validation(format!("There is no parameter `{}`.", shorten(unknown)))
        .with_path(Pointer::Key(at, unknown).render())
        .got(shorten(unknown));
    let declared = |name: &String| fields.iter().any(|f| f.name == name.as_str());
    let inner = values.get(unknown).and_then(Value::as_object).filter(|inner| !inner.is_empty());
    if inner.is_some_and(|inner| inner.keys().all(declared)) {
        // The caller nested the parameters, as a tool that runs many operations wants them.
        return fault.expecting(names(fields)).hinting(format!(
            "Move the parameters out of `{}`: this tool takes them directly.",
            shorten(unknown)
        ));
    }
    let free = || fields.iter().filter(|f| !values.contains_key(&f.name)).map(|f| f.name.as_str());
    let mut close = nearest::closest(unknown, free());
    let mut missing =
        fields.iter().filter(|f| f.presence == Presence::Required && !values.contains_key(&f.name));
    if let (true, Some(only), None) = (close.is_empty(), missing.next(), missing.next()) {
        close.push(only.name.clone());
    }
    let hint = match close.first() {
        Some(name) => format!("Rename `{unknown}` to `{name}`, or leave it out."),
        None => format!("Leave `{unknown}` out."),
    };
    fault.expecting(names(fields)).did_you_mean(close).hinting(hint)
}

/// Lists the declared parameters, for a caller who named another.
fn names(fields: &[Field]) -> String {
    if fields.is_empty() {
        return "no parameters".to_owned();
    }
    fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Adds what the field says about its values: for an enum with no value near the one sent, the default, which
/// is the best guess; for an expression, the description, which says what it means.
fn advise(fault: Fault, field: &Field) -> Fault {
    match (&field.ty, &field.presence) {
        (Type::String { pattern: Some(_), .. }, _) if !field.description.is_empty() => {
            fault.hinting(field.description.as_str())
        }
        (Type::Enum(_), Presence::Default(text)) if fault.suggestions().is_empty() => {
            fault.did_you_mean(vec![parse_row_text(text)])
        }
        _ => fault,
    }
}

fn value_of(ty: &Type, value: Value, at: &Pointer<'_>) -> Result<ArgValue> {
    let checked = match (ty, &value) {
        (Type::Json, _) => return Ok(ArgValue::Json(value)),
        (Type::Boolean, Value::Bool(value)) => Some(ArgValue::Boolean(*value)),
        (Type::Integer { min, max }, Value::Number(_)) => {
            whole(&value).filter(|n| (min..=max).contains(&n)).map(ArgValue::Integer)
        }
        (Type::Unsigned { min, max }, Value::Number(_)) => {
            unsigned(&value).filter(|n| (min..=max).contains(&n)).map(ArgValue::Unsigned)
        }
        (Type::Number { min, max }, Value::Number(number)) => {
            let fits = number.as_f64().is_some_and(|n| (min..=max).contains(&&n));
            fits.then(|| ArgValue::Number(number.clone()))
        }
        (Type::String { min, max, pattern }, Value::String(text)) => {
            // Bytes bound characters from above, so long texts are counted only when it matters.
            let fits = text.len() as u64 <= *max || text.chars().count() as u64 <= *max;
            let fits = fits && (*min == 0 || text.chars().count() as u64 >= *min);
            if fits && pattern.as_ref().is_none_or(|pattern| pattern.is_match(text)) {
                let Value::String(text) = value else { unreachable!("matched above") };
                return Ok(ArgValue::String(text));
            }
            None
        }
        (Type::Date, Value::String(text)) => date(text).map(ArgValue::Date),
        (Type::DateTime, Value::String(text)) => {
            timestamp(text).map(|instant| ArgValue::Timestamp(instant, text.clone()))
        }
        (Type::Enum(values), Value::String(text)) => {
            let Some(choice) = values.iter().position(|v| v == text) else {
                let close = nearest::closest(text, values.iter().map(String::as_str));
                return Err(wrong(ty, &value, at).did_you_mean(close));
            };
            Some(ArgValue::Choice(choice))
        }
        (Type::Array { .. } | Type::Map(_) | Type::Record(_), Value::String(text)) => {
            // Some clients send objects and arrays as JSON text. Their meaning is clear.
            return match serde_json::from_str(text) {
                Ok(ReadValue { repeated: Some(repeated), .. }) => Err(repeated.fault(&at.render())),
                Ok(ReadValue { value: inner @ (Value::Array(_) | Value::Object(_)), .. }) => {
                    container(ty, inner, at)
                }
                _ => Err(wrong(ty, &value, at)),
            };
        }
        (Type::Array { .. } | Type::Map(_) | Type::Record(_), _) => {
            return container(ty, value, at);
        }
        _ => None,
    };
    checked.ok_or_else(|| wrong(ty, &value, at))
}

/// Checks a list, and its items one by one. An item that does not fit is kept with its fault.
fn separate_items(
    (items, min, max): (&Type, u64, u64),
    value: Value,
    at: &Pointer<'_>,
) -> Result<ArgValue> {
    let list = Type::Array { items: Box::new(Type::Json), min, max };
    let ArgValue::List(values) = value_of(&list, value, at)? else {
        unreachable!("a list is checked as one")
    };
    let item = |(index, value): (usize, ArgValue)| {
        let given = Value::from_slot(value);
        value_of(items, given.clone(), &Pointer::Item(at, index))
            .unwrap_or_else(|fault| ArgValue::Refused(Box::new(RefusedItem { given, fault })))
    };
    Ok(ArgValue::List(values.into_iter().enumerate().map(item).collect()))
}

fn container(ty: &Type, value: Value, at: &Pointer<'_>) -> Result<ArgValue> {
    match (ty, value) {
        (Type::Array { items, min, max }, Value::Array(values)) => {
            let count = values.len() as u64;
            if count < *min || count > *max {
                return Err(wrong(ty, &Value::Array(values), at));
            }
            let slots = values.into_iter().enumerate();
            let slots = slots.map(|(i, value)| value_of(items, value, &Pointer::Item(at, i)));
            Ok(ArgValue::List(slots.collect::<Result<_>>()?))
        }
        (Type::Map(inner), Value::Object(values)) => {
            let mut slots = IndexMap::with_capacity(values.len());
            for (key, value) in values {
                let slot = value_of(inner, value, &Pointer::Key(at, &key))?;
                slots.insert(key, slot);
            }
            Ok(ArgValue::Map(slots))
        }
        (Type::Record(fields), Value::Object(values)) => {
            record(fields, values, at).map(ArgValue::Record)
        }
        (_, value) => Err(wrong(ty, &value, at)),
    }
}

/// Converts a whole number. As in JSON Schema, `1.0` is an integer.
fn whole(value: &Value) -> Option<i64> {
    if let Some(whole) = value.as_i64() {
        return Some(whole);
    }
    let float = value.as_f64().filter(|float| float.fract() == 0.0)?;
    #[expect(clippy::cast_precision_loss, reason = "the bounds of i64 as floats")]
    let fits = float >= i64::MIN as f64 && float < i64::MAX as f64;
    #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
    fits.then_some(float as i64)
}

/// Converts a whole number of at least 0. Unlike [`whole`], accepts numbers beyond `i64::MAX`.
fn unsigned(value: &Value) -> Option<u64> {
    if let Some(whole) = value.as_u64() {
        return Some(whole);
    }
    let float = value.as_f64().filter(|float| float.fract() == 0.0)?;
    #[expect(clippy::cast_precision_loss, reason = "the bound of u64 as a float")]
    let fits = float >= 0.0 && float < u64::MAX as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole and in range"
    )]
    fits.then_some(float as u64)
}

static DATE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$").ok());
static DATE_TIME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$",
    )
    .ok()
});

/// Parses RFC 3339 `full-date`. The expression refuses other ISO 8601 forms, which jiff would accept.
fn date(text: &str) -> Option<Date> {
    DATE.as_ref().filter(|shape| shape.is_match(text)).and_then(|_| text.parse().ok())
}

/// Parses RFC 3339 `date-time` with upper-case letters.
fn timestamp(text: &str) -> Option<Timestamp> {
    DATE_TIME.as_ref().filter(|shape| shape.is_match(text)).and_then(|_| text.parse().ok())
}

fn wrong(ty: &Type, value: &Value, at: &Pointer<'_>) -> Fault {
    let pointer = at.render();
    let name = pointer.rsplit('/').next().unwrap_or_default().to_owned();
    let (echo, kind) = describe(value);
    let expected = expected(ty);
    Fault::validation(format!("`{name}` must be {}, not {kind}.", article(&expected)))
        .with_path(pointer)
        .expecting(expected)
        .got(echo)
}

/// Returns the type in the words of a failure: `markdown|json`, `integer from 1 to 100`.
pub fn expected(ty: &Type) -> String {
    match ty {
        Type::Boolean => "boolean".to_owned(),
        Type::Date => "date such as 2026-05-01".to_owned(),
        Type::DateTime => "date and time such as 2026-05-01T09:30:00Z".to_owned(),
        Type::Json => "any JSON value".to_owned(),
        Type::Enum(values) => values.join("|"),
        Type::Integer { min, max } => {
            let low = (*min != i64::MIN).then(|| min.to_string());
            let high = (*max != i64::MAX).then(|| max.to_string());
            format!("integer{}", range(low, high, ""))
        }
        Type::Unsigned { min, max } => {
            let high = (*max != u64::MAX).then(|| max.to_string());
            format!("integer{}", range(Some(min.to_string()), high, ""))
        }
        Type::Number { min, max } => {
            let low = (*min > f64::MIN).then(|| min.to_string());
            let high = (*max < f64::MAX).then(|| max.to_string());
            format!("number{}", range(low, high, ""))
        }
        Type::String { min, max, pattern } => {
            let low = (*min > 0).then(|| min.to_string());
            let high = (*max != u64::MAX).then(|| max.to_string());
            let length = range(low, high, " characters");
            let pattern = pattern.as_ref().map(|p| format!(" matching `{}`", p.as_str()));
            format!("string{length}{}", pattern.unwrap_or_default())
        }
        Type::Array { items, min, max } => {
            let low = (*min > 0).then(|| min.to_string());
            let high = (*max != u64::MAX).then(|| max.to_string());
            format!("list of {}{}", expected(items), range(low, high, " items"))
        }
        Type::Map(inner) => format!("object whose values are {}", expected(inner)),
        Type::Record(fields) => {
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            format!("object with {}", names.join(", "))
        }
    }
}
