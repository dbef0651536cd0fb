//! Writes types, parameters and fields.

use serde_json::{Value, json};

use super::value::present_entries;
use crate::model::{EnumValue, Field, IntegerFormat, Model, Presence, Shape, whole};

pub(super) fn fields(model: &Model, fields: &[Field]) -> Value {
    let one = |field: &Field| {
        let (mark, default) = match &field.presence {
            Presence::Required => ("", None),
            Presence::Optional => ("?", None),
            Presence::Default(value) => ("?", Some(value)),
        };
        let beside = Beside {
            description: field.description.as_ref(),
            example: field.example.as_ref(),
            sensitive: field.sensitive,
            nullable: field.nullable,
            separate: field.separate,
            default,
        };
        (format!("{}{mark}", field.name), shape(model, &field.shape, beside))
    };
    Value::Object(fields.iter().map(one).collect())
}

/// The properties of the long form other than the type.
#[derive(Default, Clone, Copy)]
pub(super) struct Beside<'a> {
    pub(super) description: Option<&'a String>,
    pub(super) example: Option<&'a Value>,
    pub(super) sensitive: bool,
    pub(super) nullable: bool,
    pub(super) separate: bool,
    pub(super) default: Option<&'a Value>,
}

/// A type in long form.
pub(super) fn shape(model: &Model, shape: &Shape, beside: Beside<'_>) -> Value {
    let count = |key: &'static str, value: Option<u64>| (key, value.map(Value::from));
    let mut entries = match shape {
        Shape::Enum(values) => vec![("enum", Some(enumeration(values)))],
        Shape::Record(inner) => vec![("fields", Some(fields(model, inner)))],
        _ => vec![("type", Some(Value::String(expression(model, shape))))],
    };
    match shape {
        Shape::String { min_length, max_length, pattern } => entries.extend([
            count("min_length", *min_length),
            count("max_length", *max_length),
            ("pattern", pattern.as_ref().map(|pattern| json!(pattern.as_str()))),
        ]),
        Shape::Integer { format, min, max } => {
            let format = (*format != IntegerFormat::default()).then(|| json!(format.as_str()));
            entries.extend([("format", format), ("min", min.map(whole)), ("max", max.map(whole))]);
        }
        Shape::Number { min, max } => {
            entries.extend([("min", min.map(Value::from)), ("max", max.map(Value::from))]);
        }
        Shape::Array { min_items, max_items, .. } => {
            entries.extend([count("min_items", *min_items), count("max_items", *max_items)]);
        }
        _ => {}
    }
    entries.extend([
        ("default", beside.default.cloned()),
        ("description", beside.description.map(|text| json!(text))),
        ("example", beside.example.cloned()),
        ("sensitive", beside.sensitive.then_some(Value::Bool(true))),
        ("nullable", beside.nullable.then_some(Value::Bool(true))),
        ("separate", beside.separate.then_some(Value::Bool(true))),
    ]);
    present_entries(entries)
}

/// The values of an enum: a mapping if any has a description.
fn enumeration(values: &[EnumValue]) -> Value {
    if values.iter().all(|value| value.description.is_none()) {
        return values.iter().map(|value| value.name.as_str()).collect();
    }
    let described = values.iter().map(|EnumValue { name, description }| {
        (name.clone(), description.as_deref().unwrap_or_default().into())
    });
    Value::Object(described.collect())
}

fn expression(model: &Model, shape: &Shape) -> String {
    match shape {
        Shape::String { .. } => "string".to_owned(),
        Shape::Integer { .. } => "integer".to_owned(),
        Shape::Number { .. } => "number".to_owned(),
        Shape::Boolean => "boolean".to_owned(),
        Shape::Date => "date".to_owned(),
        Shape::DateTime => "datetime".to_owned(),
        Shape::Json | Shape::Record(_) => "json".to_owned(),
        Shape::Enum(values) => format!("({})", EnumValue::join(values, " | ")),
        Shape::Array { items, .. } => format!("{}[]", expression(model, items)),
        Shape::Map(values) => format!("map<{}>", expression(model, values)),
        Shape::Named(id) => model[*id].name.clone(),
    }
}
