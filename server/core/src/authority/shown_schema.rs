//! The schema of a dynamic operation that clients see: its own, with the arguments of the engine.

use serde_json::{Map, Value, json};

use super::dynamic::{DynamicOperation, InvalidDynamicOperation};
use super::{Effect, Operation};

/// Returns the schema that clients see, with the engine's arguments `confirm` and `fields` if needed.
pub(super) fn shown_schema(
    operation: &DynamicOperation,
    selectable: &[String],
) -> Result<Map<String, Value>, InvalidDynamicOperation> {
    let mut schema = operation.listed().clone();
    let mut add = |name: &str, argument: Value| {
        let properties = schema.entry("properties").or_insert_with(|| Map::new().into());
        let known = properties.as_object_mut();
        let is_free = known.is_some_and(|known| known.insert(name.to_owned(), argument).is_none());
        let id = || operation.id.clone();
        if is_free { Ok(()) } else { Err(InvalidDynamicOperation::Argument(id(), name.to_owned())) }
    };
    if operation.effect() == Effect::Destroy {
        let what = "The code of a first, refused call.";
        add(Operation::CONFIRM, json!({"type": "string", "description": what}))?;
    }
    if !selectable.is_empty() {
        let items = json!({"type": "string", "enum": selectable});
        let what = "The fields of the result to return; all by default.";
        add(Operation::FIELDS, json!({"type": "array", "items": items, "description": what}))?;
    }
    Ok(schema)
}

/// The fields of a result that callers can select: those of the object, and those of the items of its lists.
pub(super) fn selectable(operation: &DynamicOperation) -> Vec<String> {
    let schema = operation.output_schema.as_ref().filter(|_| operation.select);
    let properties = |schema: &Map<String, Value>| schema.get("properties")?.as_object().cloned();
    let mut names = Vec::new();
    for (name, value) in schema.and_then(properties).into_iter().flatten() {
        let items = value.get("items").and_then(Value::as_object).and_then(properties);
        let inner = items.into_iter().flatten().map(|(inner, _)| format!("{name}.{inner}"));
        let inner: Vec<String> = inner.collect();
        names.push(name);
        names.extend(inner);
    }
    names
}
