//! Both protocol revisions, with independent requests and without sessions.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::drivers::socket::Socket;
use toolwrit_tests::program::lab;
use toolwrit_tests::waiting::until;

fn initialize_request() -> Value {
    json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    })
}

#[test]
fn both_eras_initialize_list_and_call() {
    let home = Home::new();
    let server = home.serve(lab(), &["--surface", "flat"]);
    let began = server.client("").request("initialize", initialize_request());
    assert_eq!(began.result()["serverInfo"]["name"], "lab");
    assert_eq!(began.result()["protocolVersion"], "2025-11-25");
    assert!(began.headers.get("mcp-session-id").is_none(), "{began:?}");
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(server.post("", &[], initialized).status, 202);

    let stateless = server.client("").in_era(Era::Stateless);
    let discovered = stateless.request("server/discover", json!({})).result();
    let versions = discovered["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&"2026-07-28".into()) && versions.contains(&"2025-11-25".into()));

    let lists = Era::ALL.map(|era| {
        let client = server.client("").in_era(era);
        assert_eq!(client.call("lab_echo", &json!({"text": "hi"})).ok()["text"], "hi");
        assert_eq!(client.call("lab_echo", &json!({})).code(), "VALIDATION_ERROR");
        assert_eq!(client.call("no_such", &json!({})).code(), "TOOL_NOT_FOUND");
        client.tools()
    });
    assert_eq!(lists[0], lists[1]);
    assert!(lists[0].contains(&"lab_echo".to_owned()));
}

#[test]
fn progress_arrives_in_order_before_the_result() {
    let home = Home::new();
    let server = home.serve(lab(), &["--surface", "flat"]);
    for era in Era::ALL {
        let mut socket = Socket::connect(&server);
        socket.begin_call(era, "lab_wait", &json!({"millis": 50, "steps": 20}), true);
        for step in 1..=20 {
            let event = socket.next_event().unwrap();
            assert_eq!(event["method"], "notifications/progress", "{era:?}: {event}");
            assert_eq!(event["params"]["progressToken"], "p");
            assert_eq!(event["params"]["progress"].as_f64(), Some(f64::from(step)), "{event}");
        }
        let result = socket.next_event().unwrap();
        assert_eq!(result["result"]["content"][0]["text"], "waited", "{era:?}: {result}");
        assert_eq!(socket.next_event(), None);
    }
}

/// In the revision in which a disconnect cancels.
#[test]
fn a_disconnect_ends_the_handler() {
    let home = Home::new();
    // Its own limit is not what ends the handler.
    let server = home.serve(lab(), &["--surface", "flat", "--timeout", "10m"]);
    let tally = || server.client("").call("lab_tally", &json!({})).ok();
    let ended = |stopped| {
        let tally = tally();
        tally["stopped"] == stopped && tally["running"] == 0
    };
    let wait = |stopped: u64| until("their end", || ended(stopped));
    let era = Era::Stateless;
    // With progress the answer is a stream, which has begun when the first report arrives.
    let mut streaming = Socket::connect(&server);
    streaming.begin_call(era, "lab_linger", &json!({}), true);
    assert_eq!(streaming.next_event().unwrap()["params"]["message"], "lingering");
    drop(streaming);
    wait(1);

    // Without progress nothing has been answered yet; a second running handler shows that both run.
    let (mut first, mut second) = (Socket::connect(&server), Socket::connect(&server));
    first.begin_call(era, "lab_linger", &json!({}), false);
    second.begin_call(era, "lab_linger", &json!({}), false);
    until("both", || tally()["running"] == 2);
    drop((first, second));
    wait(3);
}

#[test]
fn streams_on_a_kept_connection_do_not_wait_for_acknowledgement() {
    let home = Home::new();
    let server = home.serve(lab(), &["--surface", "flat"]);
    let mut socket = Socket::connect(&server);
    let mut took = || {
        let began = Instant::now();
        socket.begin_call(Era::Initialize, "lab_wait", &json!({"millis": 0}), true);
        while socket.next_event().is_some() {}
        began.elapsed()
    };
    // Nagle's algorithm with delayed acknowledgements would add 40 ms to each.
    assert!((0..200).any(|_| took() < Duration::from_millis(30)), "all of them waited");
}

#[test]
fn an_idempotency_key_may_come_in_a_header() {
    let home = Home::new();
    let server = home.serve(lab(), &["--surface", "flat"]);
    for era in Era::ALL {
        let name = format!("{era:?}");
        let client = server.client("").in_era(era).with("idempotency-key", &name);
        let first = client.call("lab_count", &json!({})).ok();
        assert_eq!(client.call("lab_count", &json!({})).ok(), first);
        let other = server.client("").in_era(era).with("idempotency-key", &format!("{name} 2"));
        assert_ne!(other.call("lab_count", &json!({})).ok(), first);
    }
}

#[test]
fn a_method_of_older_revisions_is_refused_with_the_revision() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    let refused = server.client("").in_era(Era::Stateless).request("initialize", json!({}));
    assert_eq!((refused.status, &refused.error()["code"]), (404, &json!(-32601)));
    let message = "there is no method `initialize` in revision 2026-07-28";
    assert_eq!(refused.error()["message"], message);
}
