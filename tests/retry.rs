//! What is retried, how often, and what is never retried.

use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{CallResult, Client, Era};
use toolwrit_tests::waiting::until;

fn lab() -> Client {
    let lab = Path::new(env!("CARGO_BIN_EXE_lab"));
    Client::connect(lab, &["serve", "--surface", "flat"], Era::Initialize)
}

/// The laboratory's operation with `retry: 2`.
fn flaky(client: &mut Client, arguments: &Value) -> CallResult {
    client.call("lab_flaky", arguments)
}

/// How many attempts there were since the last success, including this one.
fn tries(client: &mut Client) -> Value {
    flaky(client, &json!({"failures": 0})).ok()["result"].take()
}

#[test]
fn an_upstream_failure_is_retried_as_declared() {
    let mut client = lab();
    for failures in 0..=2 {
        let answer = flaky(&mut client, &json!({ "failures": failures })).ok();
        assert_eq!(answer["result"], failures + 1);
    }
    let spent = flaky(&mut client, &json!({"failures": 3})).error();
    assert_eq!((&spent["code"], &spent["retryable"]), (&json!("UPSTREAM_ERROR"), &json!(true)));
    assert_eq!(tries(&mut client), 4);
}

#[test]
fn other_failures_are_not_retried() {
    let mut client = lab();
    for code in ["not_found", "spent"] {
        assert!(flaky(&mut client, &json!({"failures": 9, "code": code})).is_error());
        assert_eq!(tries(&mut client), 2, "{code}");
    }
}

#[test]
fn retries_wait_for_retry_after_within_the_deadline() {
    let mut client = lab();
    let start = std::time::Instant::now();
    flaky(&mut client, &json!({"failures": 1, "after": 0.4})).ok();
    assert!(start.elapsed().as_millis() >= 400, "{:?}", start.elapsed());
    // The operation has four seconds; waiting longer than that would be useless.
    let late = flaky(&mut client, &json!({"failures": 9, "after": 60})).error();
    assert_eq!((&late["code"], &late["retry_after"]), (&json!("UPSTREAM_ERROR"), &json!(60.0)));
    assert_eq!(tries(&mut client), 2);
}

#[test]
fn without_retry_nothing_is_retried() {
    let mut client = lab();
    assert_eq!(client.call("lab_count", &json!({"fail": "upstream"})).code(), "UPSTREAM_ERROR");
    assert_eq!(client.call("lab_count", &json!({"by": 0})).ok()["result"], 1);
}

#[test]
fn a_cancelled_call_is_not_retried() {
    let mut client = lab();
    let id = client.begin_call("lab_flaky", &json!({"failures": 9, "after": 3}));
    // The first attempt has failed once this is counted.
    until("the first attempt", || client.call("lab_tried", &json!({})).ok()["result"] != 0);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": id}}));
    // It is not retried: the count stays the same, long after the pause.
    let waited = client.call("lab_wait", &json!({"millis": 4000}));
    assert_eq!(waited.text(), "waited");
    assert_eq!(tries(&mut client), 2);
}
