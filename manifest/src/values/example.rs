//! A valid call for every operation: the manifest's own example, otherwise a generated one.

use serde_json::{Map, Number, Value, json};

use crate::model::{Field, Model, Operation, Presence, Shape, whole};
use crate::values::fits;

/// The arguments of a valid call: those of the first example, otherwise the required parameters
/// with their own examples or with values that their types allow.
///
/// `None` if no valid value can be generated, for example for a pattern without an example.
pub fn example(model: &Model, operation: &Operation) -> Option<Map<String, Value>> {
    if let Some(example) = operation.examples.first() {
        return Some(example.args.clone());
    }
    let inputs = model.inputs(operation);
    let call = record(model, &inputs)?;
    fits(model, &Shape::Record(inputs), &call).ok()?;
    match call {
        Value::Object(arguments) => Some(arguments),
        _ => None,
    }
}

/// An object with the required fields.
fn record(model: &Model, fields: &[Field]) -> Option<Value> {
    let required = fields.iter().filter(|field| field.presence == Presence::Required);
    let pairs = required.map(|field| {
        let value = field.example.clone().or_else(|| value(model, &field.shape))?;
        Some((field.name.clone(), value))
    });
    pairs.collect::<Option<Map<_, _>>>().map(Value::Object)
}

fn value(model: &Model, shape: &Shape) -> Option<Value> {
    Some(match shape {
        Shape::Named(id) => {
            let declared = &model[*id];
            return declared.example.clone().or_else(|| value(model, &declared.shape));
        }
        Shape::String { min_length, max_length, pattern } => {
            let text = text(min_length.unwrap_or(0), max_length.unwrap_or(u64::MAX))?;
            if pattern.as_ref().is_some_and(|pattern| !pattern.regex().is_match(&text)) {
                return None;
            }
            text.into()
        }
        Shape::Integer { min, max, .. } => {
            let min = min.unwrap_or(i128::MIN);
            whole(1.clamp(min, max.unwrap_or(i128::MAX).max(min)))
        }
        Shape::Number { min, max } => {
            let number = 1f64.max(min.unwrap_or(f64::MIN)).min(max.unwrap_or(f64::MAX));
            Number::from_f64(number)?.into()
        }
        Shape::Boolean => true.into(),
        Shape::Date => "2026-05-01".into(),
        Shape::DateTime => "2026-05-01T09:30:00Z".into(),
        Shape::Json => json!({}),
        Shape::Enum(values) => values.first()?.name.as_str().into(),
        Shape::Array { items, min_items, max_items } => {
            let count = min_items.unwrap_or(0).max(1).min(max_items.unwrap_or(u64::MAX));
            let item = value(model, items)?;
            vec![item; limited(count)?].into()
        }
        Shape::Map(values) => json!({ "key": value(model, values)? }),
        Shape::Record(fields) => return record(model, fields),
    })
}

/// A word whose length is within the bounds.
fn text(min: u64, max: u64) -> Option<String> {
    const WORD: &str = "text";
    let length = (WORD.len() as u64).max(min).min(max);
    Some(WORD.chars().cycle().take(limited(length)?).collect())
}

/// Limits the length of a generated example, in characters or items. `None` if it is too long.
fn limited(length: u64) -> Option<usize> {
    const LONGEST: usize = 1000;
    usize::try_from(length).ok().filter(|length| *length <= LONGEST)
}
