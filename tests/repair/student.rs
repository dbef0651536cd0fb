//! A caller that knows only its own call and the answer to it.

use serde_json::{Map, Value};

use crate::repair::Call;

/// The second call, built only from the first and its failure.
pub(crate) fn repair(call: &Call, error: &Value) -> Call {
    if let Some(spelled_out) = error["hint"].as_str().and_then(spelled_out) {
        return keep_own_arguments(spelled_out, call, error);
    }
    if error["code"] == "TOOL_NOT_FOUND" {
        return rename(call, error);
    }
    let mut arguments = call.arguments.clone();
    if error["operation"] == call.tool.as_str() && error["example"].is_object() && is_own(error) {
        return Call { tool: call.tool.clone(), arguments: pack(&arguments, &error["example"]) };
    }
    correct(parameters(&mut arguments, error), error);
    Call { tool: call.tool.clone(), arguments }
}

/// "Call `tool` with {..}." in a hint.
fn spelled_out(hint: &str) -> Option<Call> {
    let (tool, rest) = hint.split_once("Call `")?.1.split_once("` with ")?;
    let arguments = serde_json::from_str(rest.trim_end_matches('.')).ok()?;
    Some(Call { tool: tool.to_owned(), arguments })
}

/// Replaces the arguments of the example in the answer with the caller's.
fn keep_own_arguments(mut better: Call, call: &Call, error: &Value) -> Call {
    let example = &error["example"];
    if better.arguments == *example {
        better.arguments = call.arguments.clone();
    } else if let Some(members) = better.arguments.as_object_mut() {
        for member in members.values_mut().filter(|member| *member == example) {
            *member = call.arguments.clone();
        }
    }
    better
}

/// Replaces the wrong name with the first suggestion.
fn rename(call: &Call, error: &Value) -> Call {
    let name = error["did_you_mean"][0].as_str().expect("a suggestion");
    let mut call = call.clone();
    for key in ["operation", "tool"] {
        if let Some(slot) = call.arguments.get_mut(key) {
            *slot = name.into();
            return call;
        }
    }
    name.clone_into(&mut call.tool);
    call
}

/// Whether the failure concerns the arguments of the tool itself, so that its example is a whole call.
fn is_own(error: &Value) -> bool {
    error["example"].as_object().unwrap().values().any(Value::is_object)
}

/// Moves keys beside the inner object of the example into it, and adds what is missing from the example.
fn pack(arguments: &Value, example: &Value) -> Value {
    let mut packed = Map::new();
    let mut inner = Map::new();
    for (key, value) in arguments.as_object().unwrap() {
        match &example[key] {
            Value::Object(_) => inner.extend(value.as_object().cloned().unwrap_or_default()),
            Value::Null => drop(inner.insert(key.clone(), value.clone())),
            _ => drop(packed.insert(key.clone(), value.clone())),
        }
    }
    for (key, value) in example.as_object().unwrap() {
        match value {
            Value::Object(_) => drop(packed.insert(key.clone(), Value::Object(inner.clone()))),
            value => drop(packed.entry(key.clone()).or_insert_with(|| value.clone())),
        }
    }
    Value::Object(packed)
}

/// The object at the root of the failure's pointer: the operation's own parameters.
fn parameters<'a>(arguments: &'a mut Value, error: &Value) -> &'a mut Map<String, Value> {
    let fault = error["path"].as_str().unwrap().trim_start_matches('/');
    let packed = ["params", "args"].into_iter().find(|key| arguments.get(key).is_some());
    // A flat tool has no inner object: there such a key is the mistake itself.
    let inner = packed.filter(|key| *key != fault);
    let found = match inner {
        Some(key) => arguments.get_mut(key).unwrap(),
        None => arguments,
    };
    found.as_object_mut().unwrap()
}

/// Renames, replaces, adds or removes the one invalid parameter.
fn correct(parameters: &mut Map<String, Value>, error: &Value) {
    let name = error["path"].as_str().unwrap().trim_start_matches('/').to_owned();
    let suggestion = error["did_you_mean"][0].as_str();
    let signature = error["signature"].as_str().unwrap();
    let declared = |name: &str| {
        [format!("({name}"), format!(" {name}")].iter().any(|start| {
            signature.contains(&format!("{start}:")) || signature.contains(&format!("{start}?:"))
        })
    };
    if !declared(&name) {
        let value = parameters.remove(&name);
        if error["hint"].as_str().is_some_and(|hint| hint.starts_with("Move the parameters out")) {
            parameters.extend(value.and_then(|value| value.as_object().cloned()).unwrap());
            return;
        }
        if let (Some(right), Some(value)) = (suggestion, value) {
            parameters.insert(right.to_owned(), value);
        }
    } else if let Some(right) = suggestion {
        parameters.insert(name, right.into());
    } else if let Some(example) = error["example"].get(&name) {
        parameters.insert(name, example.clone());
    } else {
        assert!(signature.contains(&format!("{name}?:")), "no way to repair from {error}");
        parameters.remove(&name);
    }
}
