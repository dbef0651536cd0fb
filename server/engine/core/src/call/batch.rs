//! The arguments of `batch_get`: the calls that a batch carries.

use serde_json::{Map, Value};

use crate::fault::{Fault, Result};

/// Returns the calls of a batch: the names of their operations as the caller gave them, and their arguments. Lists and objects
/// may be given as JSON text, as everywhere.
///
/// # Errors
/// `VALIDATION_ERROR` if one of them is no call. It must not run as another one, such as without its arguments.
pub(crate) fn calls(arguments: &Map<String, Value>) -> Result<Vec<(String, Map<String, Value>)>> {
    let Value::Array(calls) = list(arguments) else {
        return Err(malformed("/calls".to_owned(), "a list of calls"));
    };
    let call = |(at, call): (usize, &Value)| {
        let Value::String(tool) = &call["tool"] else {
            return Err(malformed(format!("/calls/{at}/tool"), "the name of a read"));
        };
        match &call["args"] {
            Value::Object(arguments) => Ok((tool.clone(), arguments.clone())),
            Value::Null => Ok((tool.clone(), Map::new())),
            _ => Err(malformed(format!("/calls/{at}/args"), "an object, or nothing")),
        }
    };
    calls.iter().enumerate().map(call).collect()
}

/// Returns the arguments of a batch without any but its calls, so that it carries no others than [`calls`] returns. Calls that
/// are wrong stay so.
pub(crate) fn arguments(arguments: &Map<String, Value>) -> Map<String, Value> {
    Map::from_iter([("calls".to_owned(), list(arguments))])
}

/// The list of calls, with what is given as JSON text as what it means.
fn list(arguments: &Map<String, Value>) -> Value {
    let mut calls = arguments.get("calls").map(parsed).unwrap_or_default();
    for call in calls.as_array_mut().into_iter().flatten() {
        *call = parsed(call);
        if let Some(arguments) = call.get_mut("args") {
            *arguments = parsed(arguments);
        }
    }
    calls
}

/// A value that may be given as JSON text.
fn parsed(value: &Value) -> Value {
    let text = value.as_str().and_then(|text| serde_json::from_str(text).ok());
    match text {
        Some(inner @ (Value::Array(_) | Value::Object(_))) => inner,
        _ => value.clone(),
    }
}

fn malformed(path: String, expected: &str) -> Fault {
    Fault::validation("A call of the batch is not valid.")
        .with_path(path)
        .expecting(expected)
        .hinting("Give each call as {\"tool\": \"NAME\", \"args\": {..}}.")
}
