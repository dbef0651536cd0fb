//! The schema of a dynamic operation that clients see: its own, with the arguments of the engine.

use serde_json::{Map, Value, json};

use super::Operation;

/// Adds the arguments of the engine to a schema: `confirm` to that of an operation whose calls are confirmed, and `fields` if
/// fields of its result can be selected.
///
/// # Errors
/// The name of an argument that the operation has already.
pub(super) fn shown_schema(
    mut schema: Map<String, Value>,
    is_confirmed: bool,
    selectable: &[String],
) -> Result<Map<String, Value>, &'static str> {
    let mut add = |name: &'static str, argument: Value| {
        let properties = schema.entry("properties").or_insert_with(|| Map::new().into());
        let known = properties.as_object_mut();
        let is_free = known.is_some_and(|known| known.insert(name.to_owned(), argument).is_none());
        if is_free { Ok(()) } else { Err(name) }
    };
    if is_confirmed {
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
pub(super) fn selectable(schema: &Map<String, Value>) -> Vec<String> {
    let properties = |schema: &Map<String, Value>| schema.get("properties")?.as_object().cloned();
    let mut names = Vec::new();
    for (name, value) in properties(schema).into_iter().flatten() {
        let items = value.get("items").and_then(Value::as_object).and_then(properties);
        let inner = items.into_iter().flatten().map(|(inner, _)| format!("{name}.{inner}"));
        let inner: Vec<String> = inner.collect();
        names.push(name);
        names.extend(inner);
    }
    names
}
