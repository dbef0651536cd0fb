//! Values that a schema allows, for examples of what a document gives no example for.

use serde_json::{Map, Value, json};

use crate::document::schema::{Schema, Type};
use crate::language::matching::matching_text;

/// Schemas inside each other.
const DEEPEST: usize = 5;
/// Texts of the usual formats.
const FORMATS: [(&str, &str); 20] = [
    ("date", "2026-01-31"),
    ("date-time", "2026-01-31T09:30:00Z"),
    ("time", "09:30:00Z"),
    ("duration", "P1D"),
    ("email", "user@example.com"),
    ("idn-email", "user@example.com"),
    ("hostname", "example.com"),
    ("idn-hostname", "example.com"),
    ("ipv4", "192.0.2.1"),
    ("ipv6", "2001:db8::1"),
    ("uri", "https://example.com/"),
    ("url", "https://example.com/"),
    ("iri", "https://example.com/"),
    ("uri-reference", "/example"),
    ("uri-template", "/{example}"),
    ("uuid", "3fa85f64-5717-4562-b3fc-2c963f66afa6"),
    ("json-pointer", "/example"),
    ("regex", "a"),
    ("byte", "aGVsbG8="),
    ("phone", "+15550100"),
];

/// A value that a schema allows; `None` if none is found.
pub(crate) fn sample(schema: &Schema<'_>) -> Option<Value> {
    sample_at(schema, 0)
}

fn sample_at(schema: &Schema<'_>, depth: usize) -> Option<Value> {
    if depth > DEEPEST {
        return None;
    }
    let written = ["example", "default"].into_iter().find_map(|key| schema.find(key));
    let written = written.or_else(|| schema.find("examples")?.get(0));
    if let Some(value) = written.or_else(|| schema.values()?.first().copied()) {
        return Some(value.clone());
    }
    let count = |key: &str| schema.find(key).and_then(Value::as_u64);
    match schema.ty() {
        Type::String => {
            let (min, max) =
                (count("minLength").unwrap_or(0), count("maxLength").unwrap_or(u64::MAX));
            sample_text(schema.text("format"), schema.text("pattern"), min, max).map(Value::from)
        }
        Type::Integer | Type::Number => Some(sample_number(schema)),
        Type::Boolean => Some(true.into()),
        Type::Array => {
            let items = schema.child("items");
            let item = items.as_ref().and_then(Schema::read);
            let item = item.and_then(|item| sample_at(&item, depth + 1));
            match (item, count("minItems")) {
                (Some(item), least) => {
                    let least = usize::try_from(least.unwrap_or(1).max(1)).ok()?.min(10);
                    Some(vec![item; least].into())
                }
                (None, None | Some(0)) => Some(json!([])),
                (None, _) => None,
            }
        }
        Type::Object => sample_object(schema, depth),
        Type::Any => match schema.first_variant() {
            Some(variant) => {
                let mut value = sample_at(&variant, depth + 1)?;
                discriminate(schema, &mut value);
                Some(value)
            }
            None => Some(json!({})),
        },
    }
}

fn sample_object(schema: &Schema<'_>, depth: usize) -> Option<Value> {
    let required = schema.required();
    let mut object = Map::new();
    for (name, node) in schema.properties() {
        let Some(property) = Schema::read(&node).filter(|_| required.contains(name)) else {
            continue;
        };
        if !property.flag("readOnly") {
            object.insert(name.to_owned(), sample_at(&property, depth + 1)?);
        }
    }
    let mut value = object.into();
    discriminate(schema, &mut value);
    Some(value)
}

/// Says in an object which of several schemas it has.
fn discriminate(schema: &Schema<'_>, value: &mut Value) {
    let (Some((property, values)), Value::Object(object)) = (schema.discriminator(), value) else {
        return;
    };
    object.extend(values.into_iter().next().map(|first| (property.to_owned(), first.into())));
}

fn sample_number(schema: &Schema<'_>) -> Value {
    let bound = |key: &str| schema.find(key).filter(|bound| bound.is_number());
    match (bound("minimum"), bound("maximum")) {
        (Some(least), _) => least.clone(),
        (None, Some(most)) if most.as_f64().is_some_and(|most| most < 1.0) => most.clone(),
        _ => json!(1),
    }
}

/// A text of a format, or one that matches a pattern, within a length.
pub(crate) fn sample_text(
    format: Option<&str>,
    pattern: Option<&str>,
    min: u64,
    max: u64,
) -> Option<String> {
    const WORD: &str = "example";
    let fits = |text: &String| (min..=max).contains(&(text.chars().count() as u64));
    let known = FORMATS.iter().find(|(name, _)| Some(*name) == format);
    if let Some(pattern) = pattern.filter(|pattern| !pattern.is_empty()) {
        return matching_text(pattern, min, max);
    }
    if let Some(text) = known.map(|(_, text)| (*text).to_owned()).filter(fits) {
        return Some(text);
    }
    let length = usize::try_from(min.max(max.min(WORD.len() as u64)))
        .ok()
        .filter(|length| *length <= 200)?;
    Some(WORD.chars().cycle().take(length).collect())
}
