//! What an operator may say, and what it means.
#![allow(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

use std::time::Duration;

use serde_json::{Value, json};
use toolwrit_chat::converse::settings::{ChatTable, ModelTable, schemas};

/// A table with every key.
fn every_key() -> Value {
    json!({
        "enabled": true, "model": "a", "focus": "full", "role": "reader", "tools": ["vault"], "allow": ["vault.append"],
        "rounds": 1, "calls": 2, "calls_per_note": 3, "identical_calls": 4, "parallel_reads": 5, "timeout": "6m",
        "silence": "7s", "retries": 8, "result_bytes": 9, "turn_bytes": 10, "results": "results", "links": true,
        "executing": ["chart"], "older_user": ["u"], "older_assistant": ["a"], "older_system": ["s"],
        "older_new_chat": ["n"],
    })
}

fn table(value: Value) -> Result<ChatTable, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

#[test]
fn what_a_model_does_not_set_is_as_for_all_models() {
    let full = table(every_key()).unwrap();
    assert_eq!(serde_json::to_value(&full).unwrap(), every_key(), "the table has further keys");
    assert_eq!(ChatTable::default().complete_with(&full), full);
    assert_eq!(full.clone().complete_with(&ChatTable::default()), full);
    let completed = table(json!({ "calls": 7 })).unwrap().complete_with(&full);
    assert_eq!(completed, ChatTable { calls: Some(7), ..full });
}

#[test]
fn every_key_is_in_the_schema_and_nothing_else_is() {
    let [(_, chat), (_, models)] = schemas();
    let keys = |schema: &Value| -> Vec<String> {
        let mut keys: Vec<_> = schema["properties"].as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    let mut known: Vec<String> = every_key().as_object().unwrap().keys().cloned().collect();
    known.sort();
    assert_eq!(keys(&chat), known);
    let model = &models["additionalProperties"];
    assert_eq!(keys(&model["properties"]["chat"]), known);
    for key in ["dialects", "key"] {
        let model: Result<ModelTable, _> =
            serde_json::from_value(json!({ "dialect": "openai", "model": "m", key: "x" }));
        assert!(model.unwrap_err().to_string().contains("unknown field"));
    }
    for dialect in model["properties"]["dialect"]["enum"].as_array().unwrap() {
        let model: ModelTable =
            serde_json::from_value(json!({ "dialect": dialect, "model": "m" })).unwrap();
        assert_eq!(&json!(model.dialect), dialect);
    }
}

#[test]
fn limits_are_as_they_are_set() {
    let limits = table(every_key()).unwrap().limits();
    assert_eq!((limits.rounds, limits.calls, limits.identical, limits.retries), (1, 2, 4, 8));
    assert_eq!((limits.parallel_reads, limits.result_bytes, limits.turn_bytes), (5, 9, 10));
    assert_eq!((limits.turn, limits.silence), (Duration::from_mins(6), Duration::from_secs(7)));
    let per_note = |value: i64| {
        table(json!({ "calls_per_note": value })).map(|table| table.limits().calls_per_note)
    };
    assert_eq!((per_note(-1), per_note(0)), (Ok(None), Ok(Some(0))));
    assert_eq!(ChatTable::default().limits().calls_per_note, Some(200));
    for wrong in
        [json!({ "calls_per_note": -2 }), json!({ "timeout": "soon" }), json!({ "silence": "" })]
    {
        assert!(table(wrong.clone()).is_err(), "{wrong}");
    }
}

#[test]
fn lines_of_older_plugins_are_those_that_are_set() {
    let older = table(json!({ "older_assistant": ["Bot:"] })).unwrap().convertible_names();
    assert_eq!(older.assistant, ["Bot:"]);
    assert_eq!(older.user, ChatTable::default().convertible_names().user);
}
