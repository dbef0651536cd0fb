//! The engine's guarantees, with handlers that wait, block, panic and overflow.
#![expect(clippy::cast_precision_loss, reason = "small counts")]

use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::waiting::{found, until};

fn lab(arguments: &[&str]) -> Client {
    lab_in(Era::Initialize, arguments)
}

fn lab_in(era: Era, arguments: &[&str]) -> Client {
    let surface: &[&str] =
        if arguments.contains(&"--surface") { &[] } else { &["--surface", "flat"] };
    let arguments = [&["serve"], surface, arguments].concat();
    Client::connect(Path::new(env!("CARGO_BIN_EXE_lab")), &arguments, era)
}

#[test]
fn sixty_four_calls_in_flight_are_all_answered_and_few_run_at_once() {
    for era in Era::ALL {
        let mut lab = lab_in(era, &[]);
        let ids: Vec<u64> =
            (0..64).map(|_| lab.begin_call("lab_wait", &json!({"millis": 20}))).collect();
        for id in ids {
            assert_eq!(lab.finish_call(id).text(), "waited");
        }
        // The manifest's limit, which is reached while 64 calls wait.
        assert_eq!(lab.call("lab_tally", &json!({})).ok()["peak"], 4);
    }
}

#[test]
fn an_operation_with_concurrency_one_runs_one_at_a_time() {
    let mut lab = lab(&[]);
    let ids: Vec<u64> =
        (0..8).map(|_| lab.begin_call("lab_alone", &json!({"millis": 5}))).collect();
    for id in ids {
        assert!(!lab.finish_call(id).is_error());
    }
    assert_eq!(lab.call("lab_tally", &json!({})).ok()["peak"], 1);
}

#[test]
fn a_deadline_stops_async_and_blocking_handlers() {
    let mut lab = lab(&[]);
    let error = lab.call("lab_hasty", &json!({"millis": 60_000})).error();
    assert_eq!(error["code"], "TIMEOUT");
    assert_eq!(error["operation"], "lab.hasty");
    // The operation writes and is not idempotent, so the fault is not retryable.
    assert_eq!(error["retryable"], false);

    let error = lab.call("lab_grind", &json!({})).error();
    assert_eq!(error["code"], "TIMEOUT");
    assert_eq!(error["retryable"], true);
    wait_for_stopped(&mut lab, 1);
}

#[test]
fn cancelling_stops_the_handler() {
    for era in Era::ALL {
        // Its own limit is not what stops it.
        let mut lab = lab_in(era, &["--timeout", "10m"]);
        let id = lab.begin_call("lab_linger", &json!({}));
        until("the call", || lab.call("lab_tally", &json!({})).ok()["running"] == 1);
        lab.send(&json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id},
        }));
        wait_for_stopped(&mut lab, 1);
    }
}

#[test]
fn an_id_that_is_in_flight_twice_is_answered_twice() {
    let mut lab = lab(&[]);
    let call = json!({
        "jsonrpc": "2.0", "id": "same", "method": "tools/call",
        "params": {"name": "lab_wait", "arguments": {"millis": 50}},
    });
    lab.send(&call);
    lab.send(&call);
    for _ in 0..2 {
        let answer = lab.next_answer();
        assert_eq!(answer["id"], "same", "{answer}");
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
    assert_eq!(lab.call("lab_tally", &json!({})).ok()["running"], 0);
}

#[test]
fn a_call_that_blocks_its_thread_delays_no_later_call() {
    let mut lab = lab(&[]);
    assert_eq!(lab.call("lab_hold", &json!({"millis": 1})).text(), "alone");
    // Both calls are in one write, so that the second has arrived when the first begins.
    let lines = [102, 103].map(|id| format!("{}\n", long_hold(id)));
    lab.send_raw(lines.concat().as_bytes());
    expect_a_meeting(&mut lab);
}

#[cfg(unix)]
#[test]
fn two_thousand_calls_at_once_over_sockets_are_all_answered() {
    let lab = Path::new(env!("CARGO_BIN_EXE_lab"));
    let mut lab = Client::over_sockets(lab, &["serve", "--surface", "flat"]);
    let ids: Vec<u64> =
        (0..2_000).map(|_| lab.begin_call("lab_hold", &json!({"millis": 1}))).collect();
    for id in ids {
        lab.finish_call(id);
    }
    assert_eq!(lab.call("lab_echo", &json!({"text": "x"})).ok()["text"], "x");
}

fn long_hold(id: u64) -> Value {
    json!({
        "jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": "lab_hold", "arguments": {"millis": 15_000}},
    })
}

fn expect_a_meeting(lab: &mut Client) {
    for _ in 0..2 {
        let answer = lab.next_answer();
        assert_eq!(answer["result"]["content"][0]["text"], "met", "{answer}");
    }
}

/// Polls until this many blocking handlers have noticed the cancellation; every poll is a round trip.
fn wait_for_stopped(lab: &mut Client, stopped: i64) {
    until("the stop", || lab.call("lab_tally", &json!({})).ok()["stopped"] == stopped);
}

#[test]
fn a_panic_is_answered_with_an_id_and_no_secret() {
    let mut lab = lab(&[]);
    for (tool, arguments) in
        [("lab_panic", json!({"secret": "hunter2"})), ("lab_defect", json!({"secret": "hunter2"}))]
    {
        let result = lab.call(tool, &arguments);
        let error = result.error();
        assert_eq!(error["code"], "INTERNAL", "{error}");
        assert!(error["message"].as_str().unwrap_or_default().contains("logged as"), "{error}");
        assert!(!result.0.to_string().contains("hunter2"), "{error}");
        assert!(!result.0.to_string().contains("/etc/"), "{error}");
    }
    assert_eq!(lab.call("lab_echo", &json!({"text": "still here"})).ok()["text"], "still here");
}

#[test]
fn large_results_are_cut_and_marked_as_truncated() {
    let mut lab = lab(&[]);
    let whole = lab.call("lab_text", &json!({"bytes": 4000}));
    assert_eq!(whole.text().len(), 4000);

    let cut = lab.call("lab_text", &json!({"bytes": 100_000}));
    assert!(cut.text().len() <= 4096, "{}", cut.text().len());
    assert!(cut.text().contains("truncated: true"), "{}", cut.text());
    assert!(cut.text().starts_with('é'));

    let items = lab.call("lab_items", &json!({"count": 5_000}));
    let value = items.clone().ok();
    assert_eq!(value["truncated"], true);
    assert!(value["hint"].is_string());
    assert!(items.text().len() <= 4096, "{}", items.text().len());
    let kept = value["items"].as_array().map_or(0, Vec::len);
    assert!(kept > 100, "only {kept} items kept");
    assert_eq!(value["items"][kept - 1], format!("item {}", kept - 1));
    assert_eq!(items.0["structuredContent"], value);
}

#[test]
fn select_keeps_the_fields_asked_for() {
    let mut lab = lab(&[]);
    let all = lab.call("lab_point", &json!({"x": 1})).ok();
    assert_eq!(all, json!({"x": 1, "y": 2, "label": "here"}));
    let some = lab.call("lab_point", &json!({"x": 1, "fields": ["y", "label"]})).ok();
    assert_eq!(some, json!({"y": 2, "label": "here"}));
    let as_text = lab.call("lab_point", &json!({"x": 1, "fields": "[\"x\"]"})).ok();
    assert_eq!(as_text, json!({"x": 1}));
    let wrong = lab.call("lab_point", &json!({"x": 1, "fields": ["z"]})).error();
    assert_eq!(wrong["path"], "/fields/0");
}

#[test]
fn a_page_has_the_cursor_of_the_next() {
    let mut lab = lab(&[]);
    let mut seen = Vec::new();
    let mut arguments = json!({"count": 7, "limit": 3});
    loop {
        let page = lab.call("lab_pages", &arguments).ok();
        seen.extend(page["items"].as_array().into_iter().flatten().cloned());
        match page.get("next_cursor") {
            Some(cursor) => arguments["cursor"] = cursor.clone(),
            None => break,
        }
    }
    let expected: Vec<Value> = (0..7).map(|n| format!("item {n}").into()).collect();
    assert_eq!(seen, expected);
    let limit = lab.call("lab_pages", &json!({"count": 7, "limit": 6})).error();
    assert_eq!(limit["path"], "/limit");
}

#[test]
fn structured_results_that_are_not_objects_are_wrapped() {
    let mut flat = lab(&[]);
    let result = flat.call("lab_names", &json!({}));
    assert_eq!(result.0["structuredContent"], json!({"result": ["one", "two"]}));
    assert_eq!(result.json(), result.0["structuredContent"]);
    let tools = flat.tools();
    let names = tools.iter().find(|tool| tool["name"] == "lab_names").expect("it is listed");
    assert_eq!(names["outputSchema"]["properties"]["result"]["type"], "array");

    let mut meta = lab(&["--surface", "meta"]);
    let inner = meta.call("execute_read", &json!({"tool": "lab.names"}));
    assert_eq!(inner.json(), json!(["one", "two"]));
    assert!(inner.0.get("structuredContent").is_none());
}

#[test]
fn progress_arrives_in_order() {
    let mut lab = lab(&[]);
    let id = lab.begin(
        "tools/call",
        json!({
            "name": "lab_wait",
            "arguments": {"millis": 8, "steps": 8},
            "_meta": {"progressToken": "p"},
        }),
    );
    lab.finish_call(id);
    let reports = progress(&mut lab, 8);
    for (at, report) in reports.iter().enumerate() {
        assert_eq!(report["progressToken"], "p");
        assert_eq!(report["progress"].as_f64(), Some(at as f64 + 1.0));
        assert_eq!(report["total"].as_f64(), Some(8.0));
    }
}

/// The reports so far. Reports may come after the answer, so the client sends a few more requests.
fn progress(lab: &mut Client, expected: usize) -> Vec<Value> {
    found("all reports", || {
        lab.call("lab_echo", &json!({"text": "x"}));
        let messages = lab.notifications.iter();
        let reports: Vec<Value> = messages
            .filter(|message| message["method"] == "notifications/progress")
            .map(|message| message["params"].clone())
            .collect();
        (reports.len() >= expected).then_some(reports)
    })
}

#[test]
fn a_full_queue_refuses_calls_with_retry_after() {
    let mut lab = lab(&["--concurrency", "1", "--queue", "1"]);
    // One runs and one waits; neither ends by itself. The server chooses which one is refused.
    let ids: Vec<u64> = (0..3).map(|_| lab.begin_call("lab_linger", &json!({}))).collect();
    let refused = lab.next_message();
    let error = &refused["result"]["structuredContent"]["error"];
    assert_eq!(error["code"], "LIMIT_EXCEEDED", "{refused}");
    assert_eq!(error["retryable"], true);
    assert!(error["retry_after"].as_f64().is_some_and(|seconds| seconds > 0.0), "{error}");
    for id in ids.iter().filter(|id| refused["id"] != **id) {
        lab.send(&json!({
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": id},
        }));
    }
    // The handlers become free; every request is a round trip.
    until("a free handler", || {
        let code = lab.call("lab_wait", &json!({"millis": 0})).code();
        assert!(code == "ok" || code == "LIMIT_EXCEEDED", "{code}");
        code == "ok"
    });
}

#[test]
fn the_handlers_of_one_caller_are_limited() {
    let mut lab = lab(&["--per-caller", "2"]);
    let ids: Vec<u64> =
        (0..16).map(|_| lab.begin_call("lab_wait", &json!({"millis": 5}))).collect();
    for id in ids {
        assert_eq!(lab.finish_call(id).text(), "waited");
    }
    assert_eq!(lab.call("lab_tally", &json!({})).ok()["peak"], 2);
}

#[test]
fn the_rate_limit_counts_every_call() {
    let mut lab = lab(&["--rate", "5"]);
    let ids: Vec<u64> = (0..40).map(|_| lab.begin_call("lab_echo", &json!({}))).collect();
    let answers: Vec<_> = ids.into_iter().map(|id| lab.finish_call(id).error()).collect();
    let limited: Vec<&Value> =
        answers.iter().filter(|error| error["code"] == "LIMIT_EXCEEDED").collect();
    assert!(answers.len() - limited.len() >= 5, "the burst is answered");
    assert!(!limited.is_empty(), "the rest is not");
    for error in limited {
        assert!(error["retry_after"].as_f64().is_some_and(|seconds| seconds > 0.0), "{error}");
    }
}

#[test]
fn a_cached_answer_is_reused_until_a_write() {
    let mut lab = lab(&[]);
    let run = |lab: &mut Client, of: &str| lab.call("lab_stamp", &json!({"of": of})).ok();
    let first = run(&mut lab, "a");
    assert_eq!(run(&mut lab, "a"), first);
    assert_ne!(run(&mut lab, "b"), first, "other arguments have another answer");

    // A read that overlaps with a change may see the state before or after it.
    let change = lab.begin_call("lab_touch", &json!({"millis": 1000}));
    let during = run(&mut lab, "a");
    lab.finish_call(change).text();
    let after = run(&mut lab, "a");
    assert_ne!(after, during);
    assert_eq!(run(&mut lab, "a"), after);
}
