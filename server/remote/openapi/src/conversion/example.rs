//! Examples of calls.

use serde_json::{Map, Value, json};

use crate::conversion::sample::sample_text;
use crate::language::shape::{Body, Declarations, Field, Shape};
use crate::language::text;

/// Bytes of the largest example that is written, because larger ones explain less.
const LONGEST: usize = 800;
const DEEPEST: usize = 5;

/// Arguments for the required parameters; `None` if no value is known for one of them.
pub(crate) fn example_arguments(
    types: &Declarations,
    fields: &[Field],
) -> Option<Map<String, Value>> {
    let mut arguments = Map::new();
    for field in fields.iter().filter(|field| field.is_required && field.default.is_none()) {
        arguments.insert(field.name.clone(), example_value(types, field, 0)?);
    }
    (Value::Object(arguments.clone()).to_string().len() <= LONGEST).then_some(arguments)
}

/// The documented example if it belongs to the type, or else one that is made up.
fn example_value(types: &Declarations, field: &Field, depth: usize) -> Option<Value> {
    let documented = field.example.as_ref().filter(|value| {
        value.to_string().len() <= LONGEST && is_visible(value) && types.fits(&field.shape, value)
    });
    if let Some(documented) = documented {
        return Some(documented.clone());
    }
    let made = make_value(types, &field.shape, depth)?;
    types.fits(&field.shape, &made).then_some(made)
}

fn make_value(types: &Declarations, shape: &Shape, depth: usize) -> Option<Value> {
    if depth > DEEPEST {
        return None;
    }
    Some(match shape {
        Shape::String { min_length, max_length, pattern } => {
            let (min, max) = (min_length.unwrap_or(0), max_length.unwrap_or(u64::MAX));
            json!(sample_text(None, pattern.as_deref(), min, max)?)
        }
        Shape::Integer { min, max } => json!(min.or(max.filter(|max| *max < 1)).unwrap_or(1)),
        Shape::Number { min, .. } => min.clone().map_or(json!(1), Value::Number),
        Shape::Boolean => json!(true),
        Shape::Date => json!("2026-01-31"),
        Shape::DateTime => json!("2026-01-31T09:30:00Z"),
        Shape::Enum(values) => json!(values.first()?),
        Shape::Array { items, min_items, .. } => {
            let least =
                usize::try_from(min_items.unwrap_or(1)).ok().filter(|least| *least <= 10)?;
            vec![make_value(types, items, depth + 1)?; least].into()
        }
        Shape::Json | Shape::Map(_) => json!({}),
        Shape::Named(id) => match &types.0[*id].body {
            Body::Enum(values) => json!(values.first()?),
            Body::Record(fields) => {
                let required = fields.iter().filter(|field| field.is_required);
                let members = required.map(|field| {
                    Some((field.name.clone(), example_value(types, field, depth + 1)?))
                });
                Value::Object(members.collect::<Option<_>>()?)
            }
        },
    })
}

fn is_visible(value: &Value) -> bool {
    match value {
        Value::String(text) => text::is_visible(text),
        Value::Array(items) => items.iter().all(is_visible),
        Value::Object(members) => members.iter().all(|(key, value)| {
            !key.is_empty() && text::is_visible(key) && key.len() <= 200 && is_visible(value)
        }),
        _ => true,
    }
}
