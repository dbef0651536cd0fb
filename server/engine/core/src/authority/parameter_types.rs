//! The parameters of a JSON Schema in short words, for signatures and capabilities.

use serde_json::{Map, Value};

use super::Operation;
use crate::json::written::parse_row_text;

/// A property of an object schema.
pub(super) struct Parameter<'a> {
    pub(super) name: &'a str,
    schema: &'a Value,
    is_required: bool,
}

/// Returns the properties of an object schema.
pub(super) fn parameters(schema: &Map<String, Value>) -> impl Iterator<Item = Parameter<'_>> {
    let required = schema.get("required").and_then(Value::as_array);
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().map(move |(name, schema)| Parameter {
        name,
        schema,
        is_required: required.is_some_and(|all| all.iter().any(|listed| listed == name)),
    })
}

impl<'a> Parameter<'a> {
    pub(super) fn description(&self) -> &'a str {
        self.schema.get("description").and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the name, with `?` if it is optional.
    pub(super) fn marked_name(&self) -> String {
        format!("{}{}", self.name, if self.is_required { "" } else { "?" })
    }

    /// Returns the type: `string`, `integer[]`, `soft|loud`.
    pub(super) fn type_name(&self) -> String {
        type_name(self.schema)
    }
}

fn type_name(schema: &Value) -> String {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        return values.iter().map(text).collect::<Vec<_>>().join("|");
    }
    match (schema.get("type").and_then(Value::as_str), schema.get("items")) {
        (Some("array"), Some(items)) => format!("{}[]", type_name(items)),
        (Some(name), _) => name.to_owned(),
        (None, _) => "any".to_owned(),
    }
}

/// Returns the types of an operation's parameters by name: `{"query": "string", "limit?": "integer"}`.
pub fn parameter_types(operation: &Operation) -> Map<String, Value> {
    let schema: Map<String, Value> = parse_row_text(&operation.input_schema);
    parameters(&schema)
        .map(|parameter| (parameter.marked_name(), parameter.type_name().into()))
        .collect()
}
