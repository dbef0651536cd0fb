//! Handlers that block their thread: no other call, cancellation or deadline is delayed.

use std::collections::HashSet;
use std::thread::available_parallelism;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{CallResult, Client, Era, User};
use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::drivers::socket::Socket;
use toolwrit_tests::program::lab;
use toolwrit_tests::waiting::until;

use super::serve;

/// More than the runtime has workers.
fn many() -> usize {
    2 * available_parallelism().map_or(1, usize::from) + 1
}

/// All of them run at once, and none ends by its limit.
const ROOMY: [&str; 4] = ["--concurrency", "64", "--timeout", "10m"];

/// A handler blocks when it is polled first, or when a timer wakes it.
const BEGINNINGS: [Value; 2] = [Value::Null, Value::Bool(true)];

fn stall(beginning: &Value) -> Value {
    match beginning {
        Value::Null => json!({}),
        woken => json!({ "woken": woken }),
    }
}

/// Repeats a request until the laboratory's count has this value; every request is a round trip.
fn poll_until(count: &str, expected: usize, mut ask: impl FnMut() -> Value) {
    until(&format!("{count} to be {expected}"), || ask()[count] == expected);
}

#[test]
fn over_standard_streams_blocked_threads_delay_nothing_else() {
    for beginning in &BEGINNINGS {
        let mut client = serve(&ROOMY);
        let blocked: Vec<u64> =
            (0..many()).map(|_| client.begin_call("lab_stall", &stall(beginning))).collect();
        poll_until("running", many(), || client.call("lab_tally", &json!({})).ok());

        client.request("ping", json!({}));
        assert_eq!(client.call("lab_wait", &json!({"millis": 1})).text(), "waited");
        assert_eq!(client.call("lab_hasty", &json!({"millis": 60_000})).code(), "TIMEOUT");
        assert_eq!(client.call("lab_jot", &json!({})).ok()["result"], 1);
        let lingering = client.begin_call("lab_linger", &json!({}));
        poll_until("running", many() + 1, || client.call("lab_tally", &json!({})).ok());
        for id in [lingering, blocked[0]] {
            client.send(&json!({
                "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id},
            }));
        }
        poll_until("stopped", 1, || client.call("lab_tally", &json!({})).ok());
        assert_eq!(client.call("lab_tally", &json!({})).ok()["running"], many());

        client.call("lab_release", &json!({})).text();
        for id in &blocked[1..] {
            assert_eq!(client.finish_call(*id).text(), "released");
        }
        let (code, rest) = client.close();
        assert_eq!((code, rest), (Some(0), Vec::new()), "what was cancelled is not answered");
    }
}

/// More calls than a tokio task may start before it must yield.
const BURST: u64 = 400;

#[test]
fn a_blocked_thread_delays_no_call_of_a_burst() {
    let mut client = serve(&ROOMY);
    let line = |id: u64, tool: &str| {
        let call = json!({
            "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": { "name": tool, "arguments": {} },
        });
        format!("{call}\n")
    };
    let blocks = |id: &u64| id % 50 == 30;
    let tool = |id| if blocks(&id) { "lab_stall" } else { "lab_stamp" };
    let ids = 1_000..1_000 + BURST;
    let lines: String = ids.clone().map(|id| line(id, tool(id))).collect();
    client.send_raw(lines.trim_end().as_bytes());

    let mut unanswered: HashSet<u64> = ids.clone().filter(|id| !blocks(id)).collect();
    while !unanswered.is_empty() {
        let answer = client.next_answer();
        assert!(unanswered.remove(&answer["id"].as_u64().unwrap()), "{answer}");
    }
    client.call("lab_release", &json!({})).text();
    for id in ids.filter(blocks) {
        assert_eq!(client.finish_call(id).text(), "released");
    }
}

#[test]
fn progress_leaves_before_its_handler_blocks() {
    let mut client = serve(&[]);
    let call = json!({
        "name": "lab_stall", "arguments": {}, "_meta": { "progressToken": "p" },
    });
    let id = client.begin("tools/call", call);
    let message = client.next_message();
    assert_eq!(message["params"]["progressToken"], "p", "{message}");
    client.call("lab_release", &json!({})).text();
    assert_eq!(client.finish_call(id).text(), "released");
}

#[test]
fn over_http_blocked_threads_delay_nothing_else() {
    let home = Home::new();
    for (era, beginning) in Era::ALL.into_iter().zip(&BEGINNINGS) {
        let server = home.serve(lab(), &[&["--surface", "flat"], &ROOMY[..]].concat());
        let begin = |tool, arguments: &Value| {
            let mut socket = Socket::connect(&server);
            socket.begin_call(era, tool, arguments, false);
            socket
        };
        let mut blocked: Vec<Socket> =
            (0..many()).map(|_| begin("lab_stall", &stall(beginning))).collect();
        let client = server.client("").in_era(era);
        let tally = || client.call("lab_tally", &json!({})).ok();
        poll_until("running", many(), tally);

        assert_eq!(client.call("lab_wait", &json!({"millis": 1})).text(), "waited");
        assert_eq!(client.call("lab_hasty", &json!({"millis": 60_000})).code(), "TIMEOUT");
        assert_eq!(client.call("lab_jot", &json!({})).ok()["result"], 1);
        if era == Era::Stateless {
            // In this revision a disconnect cancels.
            let lingering = begin("lab_linger", &json!({}));
            poll_until("running", many() + 1, tally);
            drop(lingering);
            poll_until("stopped", 1, tally);
        }
        assert_eq!(tally()["running"], many());

        client.call("lab_release", &json!({})).text();
        for socket in &mut blocked {
            assert!(socket.answer().unwrap().body.contains("released"));
        }
    }
}

/// An answer of a client is read however many calls wait for their clients.
#[test]
fn calls_that_wait_for_their_client_do_not_stop_the_reading() {
    const CALLS: usize = 1_500;
    let flags = ["serve", "--surface", "flat"];
    let mut client = Client::connect_for(User::Agrees, lab(), &flags, Era::Initialize);
    for _ in 0..CALLS {
        client.begin_call("lab_melt", &json!({}));
    }
    let (questions, refused): (Vec<Value>, Vec<Value>) = (0..CALLS)
        .map(|_| client.next_message())
        .partition(|message| message["method"] == "elicitation/create");
    assert!(!questions.is_empty() && !refused.is_empty(), "{} questions", questions.len());
    for answer in refused {
        assert_eq!(CallResult(answer["result"].clone()).code(), "LIMIT_EXCEEDED");
    }
    for question in &questions {
        let yes = json!({"action": "accept", "content": {}});
        client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": yes}));
    }
    for _ in &questions {
        let answer = client.next_message();
        assert!(answer["result"].is_object(), "{answer}");
    }
}
