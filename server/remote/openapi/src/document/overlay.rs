//! Overlays: changes of a document that are kept beside it, so that they stay when the document changes. `OpenAPI`
//! Overlay 1.0.

use serde_json::{Map, Value};
use serde_json_path::JsonPath;

use crate::losses::{Kind, Losses};

/// Changes a document as an overlay says. An action that selects nothing is a loss.
///
/// # Errors
/// Why the overlay is none.
pub(crate) fn apply(
    document: &mut Value,
    overlay: &Value,
    losses: &mut Losses,
) -> Result<(), String> {
    let version = overlay.get("overlay").and_then(Value::as_str);
    if !version.is_some_and(|version| version.starts_with("1.")) {
        return Err(
            "it is not an overlay of version 1: its key `overlay` is the version".to_owned()
        );
    }
    let actions = overlay.get("actions").and_then(Value::as_array).filter(|all| !all.is_empty());
    let actions = actions.ok_or("it has no `actions`")?;
    for (at, action) in actions.iter().enumerate() {
        let target = action.get("target").and_then(Value::as_str);
        let target = target.ok_or_else(|| format!("action {at} has no `target`"))?;
        let path = JsonPath::parse(target)
            .map_err(|why| format!("the target of action {at} is no JSONPath: {why}"))?;
        let found: Vec<String> = path
            .query_located(document)
            .iter()
            .map(|node| node.location().to_json_pointer())
            .collect();
        if found.is_empty() {
            let message = format!("`{target}` of the overlay selects nothing");
            losses.add(Kind::Overlay, &format!("/actions/{at}"), message);
        }
        if action.get("remove") == Some(&Value::Bool(true)) {
            // The last elements of a list first, so that the others keep their positions.
            found.iter().rev().for_each(|pointer| remove(document, pointer));
        } else if let Some(update) = action.get("update") {
            for pointer in &found {
                if let Some(target) = document.pointer_mut(pointer) {
                    change(target, update);
                }
            }
        } else {
            return Err(format!("action {at} has neither `update` nor `remove`"));
        }
    }
    Ok(())
}

/// Merges an object, or adds an element to a list.
fn change(target: &mut Value, update: &Value) {
    match (target, update) {
        (Value::Array(items), update) => items.push(update.clone()),
        (Value::Object(members), Value::Object(update)) => merge(members, update),
        (target, update) => *target = update.clone(),
    }
}

fn merge(target: &mut Map<String, Value>, update: &Map<String, Value>) {
    for (key, value) in update {
        match (target.get_mut(key), value) {
            (Some(Value::Object(inner)), Value::Object(value)) => merge(inner, value),
            (Some(Value::Array(items)), Value::Array(more)) => items.extend(more.iter().cloned()),
            _ => drop(target.insert(key.clone(), value.clone())),
        }
    }
}

fn remove(document: &mut Value, pointer: &str) {
    let Some((parent, key)) = pointer.rsplit_once('/') else { return };
    match document.pointer_mut(parent) {
        Some(Value::Object(members)) => {
            members.shift_remove(&key.replace("~1", "/").replace("~0", "~"));
        }
        Some(Value::Array(items)) => {
            if let Some(at) = key.parse().ok().filter(|at| *at < items.len()) {
                items.remove(at);
            }
        }
        _ => {}
    }
}
