//! The one-line form of an operation that models read instead of a schema.

use serde_json::Value;

use crate::model::{EnumValue, Field, Model, Operation, Presence, Returns, Shape};

/// For example `vault.read(path: NotePath, format?: markdown|json = markdown) -> NoteContent`.
///
/// Required parameters come first, then the optional ones with those that the engine adds. Enums
/// are written out, also declared ones. Other declared types appear by name, but a record that the
/// caller must fill in shows its fields. Without an arrow the result is plain text.
pub fn signature(model: &Model, operation: &Operation) -> String {
    let parameters = parameters(model, operation).join(", ");
    format!("{}({parameters}){}", operation.id, result(model, operation))
}

/// The same with a line for each parameter, for people.
pub fn lines(model: &Model, operation: &Operation) -> String {
    let parameters = parameters(model, operation);
    if parameters.is_empty() {
        return signature(model, operation);
    }
    let parameters = parameters.join(",\n  ");
    format!("{}(\n  {parameters},\n){}", operation.id, result(model, operation))
}

/// The required parameters, then the optional ones.
fn parameters(model: &Model, operation: &Operation) -> Vec<String> {
    let inputs = model.inputs(operation);
    let (required, optional): (Vec<_>, Vec<_>) =
        inputs.iter().partition(|field| field.presence == Presence::Required);
    required.into_iter().chain(optional).map(|field| parameter(model, field)).collect()
}

/// The arrow and what the handler returns; nothing for plain text.
fn result(model: &Model, operation: &Operation) -> String {
    match &operation.returns {
        Returns::Value(shape) => format!(" -> {}", type_text(model, shape)),
        other => other.word().map_or(String::new(), |word| format!(" -> {word}")),
    }
}

fn parameter(model: &Model, field: &Field) -> String {
    let shape = match model.resolve(&field.shape) {
        record @ Shape::Record(_) => type_text(model, record),
        _ => type_text(model, &field.shape),
    };
    match &field.presence {
        Presence::Required => format!("{}: {shape}", field.name),
        Presence::Optional => format!("{}?: {shape}", field.name),
        Presence::Default(value) => format!("{}?: {shape} = {}", field.name, value_text(value)),
    }
}

fn type_text(model: &Model, shape: &Shape) -> String {
    match shape {
        Shape::String { .. } => "string".to_owned(),
        Shape::Integer { .. } => "integer".to_owned(),
        Shape::Number { .. } => "number".to_owned(),
        Shape::Boolean => "boolean".to_owned(),
        Shape::Date => "date".to_owned(),
        Shape::DateTime => "datetime".to_owned(),
        Shape::Json => "json".to_owned(),
        Shape::Enum(values) => EnumValue::join(values, "|"),
        Shape::Array { items, .. } => match model.resolve(items) {
            Shape::Enum(values) if values.len() > 1 => {
                format!("({})[]", EnumValue::join(values, "|"))
            }
            _ => format!("{}[]", type_text(model, items)),
        },
        Shape::Map(values) => format!("map<{}>", type_text(model, values)),
        Shape::Record(fields) => {
            let names: Vec<String> = fields
                .iter()
                .map(|field| match field.presence {
                    Presence::Required => field.name.clone(),
                    Presence::Optional | Presence::Default(_) => format!("{}?", field.name),
                })
                .collect();
            format!("{{{}}}", names.join(", "))
        }
        Shape::Named(id) => match model.resolve(shape) {
            values @ Shape::Enum(_) => type_text(model, values),
            _ => model[*id].name.clone(),
        },
    }
}

/// A value as text. Strings of one word have no quotes.
fn value_text(value: &Value) -> String {
    match value {
        Value::String(text)
            if text.starts_with(char::is_alphabetic)
                && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.')) =>
        {
            text.clone()
        }
        _ => value.to_string(),
    }
}
