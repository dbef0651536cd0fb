//! Ended tasks, and tasks that must not run within a call.

use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::waiting::found;

use super::lab;

/// Sends a request of a 2026-07-28 client, with or without support for tasks.
fn request(client: &mut Client, method: &str, mut params: Value, knows_tasks: bool) -> Value {
    let mut capabilities = json!({});
    if knows_tasks {
        capabilities["extensions"] = json!({"io.modelcontextprotocol/tasks": {}});
    }
    let meta = &mut params["_meta"];
    meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "tests", "version": "1"});
    meta["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    client.request(method, params)
}

/// Begins a task and returns its id.
fn begin(client: &mut Client, arguments: &Value) -> Result<String, Value> {
    let call = json!({"name": "lab_brew", "arguments": arguments});
    let answer = request(client, "tools/call", call, true);
    let id = answer["result"]["taskId"].as_str().map(str::to_owned);
    id.ok_or_else(|| answer["result"]["structuredContent"]["error"].clone())
}

fn get(client: &mut Client, id: &str) -> Value {
    request(client, "tasks/get", json!({"taskId": id}), true)
}

/// Waits for the task to end, and returns it.
fn wait_for_end(client: &mut Client, id: &str) -> Value {
    found("its end", || Some(get(client, id)).filter(|task| task["result"]["status"] != "working"))
}

fn flat(program: &Path) -> Client {
    // The time limit is not what ends tasks, however slow the machine is.
    Client::start(program, &["serve", "--surface", "flat", "--timeout", "10m"])
}

#[test]
fn ended_tasks_make_room_for_new_ones() {
    let mut client = flat(lab());
    let mut ids = Vec::new();
    for number in 0..300 {
        let id = begin(&mut client, &json!({})).unwrap_or_else(|error| panic!("{number}: {error}"));
        assert_eq!(wait_for_end(&mut client, &id)["result"]["status"], "completed");
        ids.push(id);
    }
    // The results of the newest tasks are still available; the tasks that ended first were removed.
    for id in &ids[ids.len() - 100..] {
        assert_eq!(get(&mut client, id)["result"]["status"], "completed");
    }
    assert_eq!(get(&mut client, &ids[0])["error"]["code"], -32602);
    let known = ids.iter().filter(|id| get(&mut client, id).get("result").is_some()).count();
    assert!((100..=128).contains(&known), "{known}");
}

#[test]
fn a_long_task_is_not_evicted_first() {
    let mut client = flat(lab());
    let long = begin(&mut client, &json!({"millis": 60_000})).unwrap();
    for _ in 0..150 {
        let id = begin(&mut client, &json!({})).unwrap();
        wait_for_end(&mut client, &id);
    }
    request(&mut client, "tasks/cancel", json!({"taskId": long}), true);
    assert_eq!(wait_for_end(&mut client, &long)["result"]["status"], "cancelled");
    let id = begin(&mut client, &json!({})).unwrap();
    wait_for_end(&mut client, &id);
    assert_eq!(get(&mut client, &long)["result"]["status"], "cancelled");
}

#[test]
fn running_tasks_are_limited() {
    let mut client = flat(lab());
    let running: Vec<String> =
        std::iter::from_fn(|| begin(&mut client, &json!({"millis": 60_000})).ok())
            .take(1_000)
            .collect();
    assert_eq!(running.len(), 128);
    let refused = begin(&mut client, &json!({})).unwrap_err();
    assert_eq!(refused["code"], "LIMIT_EXCEEDED", "{refused}");
    // A task that ends makes room for another.
    request(&mut client, "tasks/cancel", json!({"taskId": running[0]}), true);
    assert_eq!(wait_for_end(&mut client, &running[0])["result"]["status"], "cancelled");
    begin(&mut client, &json!({"millis": 60_000})).unwrap();
}

#[test]
fn an_alias_of_a_task_operation_gives_a_task() {
    for name in ["toil", "lab.toil"] {
        let mut client = Client::start(lab(), &["serve", "--surface", "dispatch"]);
        let call = json!({"name": "lab_write", "arguments": {"operation": name}});
        let task = request(&mut client, "tools/call", call.clone(), true);
        assert_eq!(task["result"]["resultType"], "task", "{name}: {task}");
        let refused = request(&mut client, "tools/call", call, false);
        assert_eq!(refused["error"]["code"], -32021, "{name}: {refused}");
    }
}

#[test]
fn an_exceeded_rate_is_not_a_parameter_error() {
    let program = Path::new(env!("CARGO_BIN_EXE_conformance-server"));
    for (method, params) in [
        ("resources/read", json!({"uri": "test://static-text"})),
        ("prompts/get", json!({"name": "test_simple_prompt"})),
    ] {
        let mut client = Client::start(program, &["serve", "--rate", "1"]);
        let answers = (0..1_000).map(|_| request(&mut client, method, params.clone(), false));
        let refused = answers.into_iter().find(|answer| answer.get("error").is_some()).unwrap();
        assert_eq!(refused["error"]["code"], -32603, "{refused}");
        let account = &refused["error"]["data"]["error"];
        assert_eq!(account["code"], "LIMIT_EXCEEDED", "{refused}");
        assert!(account["retry_after"].is_number(), "{refused}");
    }
}
