//! The parameters of a JSON Schema in short words, for signatures and capabilities.

use serde_json::{Map, Value};

use super::Operation;
use crate::json::schema::{innermost_items, is_required, type_word};
use crate::json::written::parse_row_text;

/// The most fields of an object that a signature shows.
const MOST_FIELDS: usize = 12;

/// A property of an object schema.
pub(super) struct Parameter<'a> {
    pub(super) name: &'a str,
    root: &'a Value,
    schema: &'a Value,
    is_required: bool,
}

/// Returns the properties of a schema.
pub(super) fn parameters(schema: &Value) -> impl Iterator<Item = Parameter<'_>> {
    properties(schema, schema)
}

/// Returns the properties of an object within a schema.
fn properties<'a>(root: &'a Value, object: &'a Value) -> impl Iterator<Item = Parameter<'a>> {
    let properties = object["properties"].as_object().into_iter().flatten();
    properties.map(move |(name, schema)| Parameter {
        name,
        root,
        schema,
        is_required: is_required(object, name),
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
        type_name(self.root, self.schema)
    }

    /// Returns the type for a signature, in which objects that the caller must fill in show their fields:
    /// `{name: string, tags?: string[]}[]`.
    pub(super) fn signature_type(&self) -> String {
        let fields = self.is_required.then(|| fields(self.root, self.schema)).flatten();
        fields.unwrap_or_else(|| self.type_name())
    }
}

/// Returns the fields of an object, or of the objects in a list; `None` if there are none to show.
fn fields(root: &Value, schema: &Value) -> Option<String> {
    let (lists, schema) = innermost_items(root, schema);
    let (required, optional): (Vec<_>, Vec<_>) =
        properties(root, schema).partition(|field| field.is_required);
    let is_plain = |c: char| c.is_alphanumeric() || "_-.$@".contains(c);
    let all = || required.iter().chain(&optional);
    if all().next().is_none() || !all().all(|field| field.name.chars().all(is_plain)) {
        return None;
    }
    let more = if all().nth(MOST_FIELDS).is_some() { ", .." } else { "" };
    let shown = all().take(MOST_FIELDS);
    let shown = shown.map(|field| format!("{}: {}", field.marked_name(), field.type_name()));
    let shown = shown.collect::<Vec<_>>().join(", ");
    Some(format!("{{{shown}{more}}}{}", "[]".repeat(lists)))
}

fn type_name(root: &Value, schema: &Value) -> String {
    let (lists, schema) = innermost_items(root, schema);
    let name = match schema.get("enum").and_then(Value::as_array) {
        Some(values) => {
            let text =
                |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            values.iter().map(text).collect::<Vec<_>>().join("|")
        }
        None if schema.is_null() && lists > 0 => {
            return format!("array{}", "[]".repeat(lists - 1));
        }
        None => type_word(schema).unwrap_or("any").to_owned(),
    };
    format!("{name}{}", "[]".repeat(lists))
}

/// Returns the types of an operation's parameters by name: `{"query": "string", "limit?": "integer"}`.
pub fn parameter_types(operation: &Operation) -> Map<String, Value> {
    let schema: Value = parse_row_text(&operation.input_schema);
    parameters(&schema)
        .map(|parameter| (parameter.marked_name(), parameter.type_name().into()))
        .collect()
}
