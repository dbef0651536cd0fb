//! The arguments of `batch_get`: the calls that a batch carries.

use serde_json::{Map, Value, json};

/// Returns the calls of a batch: the names of their operations as the caller gave them, and their arguments. Lists and objects
/// may be given as JSON text, as everywhere.
pub(crate) fn calls(arguments: &Map<String, Value>) -> Vec<(String, Map<String, Value>)> {
    let Some(Value::Array(calls)) = arguments.get("calls").map(parsed) else { return Vec::new() };
    let call = |call: &Value| {
        let call = parsed(call);
        let Value::Object(arguments) = parsed(&call["args"]) else {
            return (call["tool"].as_str().unwrap_or_default().to_owned(), Map::new());
        };
        (call["tool"].as_str().unwrap_or_default().to_owned(), arguments)
    };
    calls.iter().map(call).collect()
}

/// Returns the arguments of a batch of these calls.
pub(crate) fn arguments(calls: Vec<(String, Map<String, Value>)>) -> Map<String, Value> {
    let calls = calls.into_iter().map(|(tool, args)| json!({ "tool": tool, "args": args }));
    Map::from_iter([("calls".to_owned(), calls.collect())])
}

/// A value that may be given as JSON text.
fn parsed(value: &Value) -> Value {
    let text = value.as_str().and_then(|text| serde_json::from_str(text).ok());
    match text {
        Some(inner @ (Value::Array(_) | Value::Object(_))) => inner,
        _ => value.clone(),
    }
}
