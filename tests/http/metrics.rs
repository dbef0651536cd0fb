//! The server's metrics, and who may read them.

use serde_json::json;
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::vaults;

use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::drivers::socket::Socket;
use toolwrit_tests::program::{lab, toolwrit};
use toolwrit_tests::waiting::until;

/// The value of a series, named with its labels.
fn value(server: &Server, series: &str) -> Option<f64> {
    let text = server.get("/metrics", &[]).body;
    let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.map(|value| value.parse().unwrap())
}

/// Polls until the series has this value.
fn wait_for(server: &Server, series: &str, wanted: f64) {
    until(&format!("{series} to be {wanted}"), || value(server, series) == Some(wanted));
}

#[test]
fn calls_are_counted_by_operation_effect_and_outcome() {
    let home = Home::new();
    let server = home.serve(lab(), &["--surface", "flat"]);
    let client = server.client("");
    assert_eq!(value(&server, "toolwrit_info{server=\"lab\",version=\"0.1.0\"}"), Some(1.0));
    for text in ["one", "two"] {
        client.call("lab_echo", &json!({ "text": text })).ok();
    }
    assert_eq!(client.call("lab_echo", &json!({"txt": "three"})).code(), "VALIDATION_ERROR");
    assert_eq!(client.call("lab_count", &json!({"fail": "not_found"})).code(), "NOT_FOUND");
    assert_eq!(client.call("made_up\"name", &json!({})).code(), "TOOL_NOT_FOUND");

    let calls = |labels: &str| value(&server, &format!("toolwrit_calls_total{{{labels}}}"));
    let echo =
        |outcome| calls(&format!("effect=\"read\",operation=\"lab.echo\",outcome=\"{outcome}\""));
    assert_eq!(echo("ok"), Some(2.0));
    assert_eq!(echo("VALIDATION_ERROR"), Some(1.0));
    assert_eq!(echo("INTERNAL"), None);
    let failed = calls("effect=\"write\",operation=\"lab.count\",outcome=\"NOT_FOUND\"");
    assert_eq!(failed, Some(1.0));
    let unknown = calls("effect=\"none\",operation=\"none\",outcome=\"TOOL_NOT_FOUND\"");
    assert_eq!(unknown, Some(1.0));
    let took = "toolwrit_call_duration_seconds_bucket{operation=\"lab.echo\",le=\"+Inf\"}";
    assert_eq!(value(&server, took), Some(3.0));
    let received = [json!({"text": "one"}), json!({"text": "two"}), json!({"txt": "three"})];
    let received: usize = received.iter().map(|arguments| arguments.to_string().len()).sum();
    let received = received + json!({"fail": "not_found"}).to_string().len() + "{}".len();
    assert_eq!(
        value(&server, "toolwrit_argument_bytes_total").map(|bytes| bytes.to_string()),
        Some(received.to_string())
    );

    let answer = server.get("/metrics", &[]);
    assert_eq!(answer.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    assert!(answer.body.contains("# TYPE toolwrit_call_duration_seconds histogram"));
    assert!(!answer.body.contains("made_up"), "a caller chose a label: {}", answer.body);
}

#[test]
fn the_cache_and_the_audit_are_counted() {
    let home = Home::new();
    let server = home.serve(lab(), &["--surface", "flat"]);
    for _ in 0..3 {
        server.client("").call("lab_stamp", &json!({})).ok();
    }
    assert_eq!(value(&server, "toolwrit_cache_total{result=\"miss\"}"), Some(1.0));
    assert_eq!(value(&server, "toolwrit_cache_total{result=\"hit\"}"), Some(2.0));
    assert_eq!(value(&server, "toolwrit_audit_lost_total"), Some(0.0));
    wait_for(&server, "toolwrit_audit_waiting", 0.0);
}

#[test]
fn running_handlers_and_the_queue_are_counted() {
    let home = Home::new();
    let flags = ["--concurrency", "1", "--queue", "1", "--rate", "1000", "--timeout", "10m"];
    let server = home.serve(lab(), &flags);
    assert_eq!(value(&server, "toolwrit_handlers"), Some(0.0));
    let (mut runs, mut waits) = (Socket::connect(&server), Socket::connect(&server));
    runs.begin_call(Era::Stateless, "lab_linger", &json!({}), true);
    assert!(runs.next_event().is_some(), "the handler reports that it runs");
    assert_eq!(value(&server, "toolwrit_handlers"), Some(1.0));
    waits.begin_call(Era::Stateless, "lab_linger", &json!({}), true);
    wait_for(&server, "toolwrit_waiting", 1.0);
    let refused = server.client("/flat").call("lab_echo", &json!({"text": "x"}));
    assert_eq!(refused.code(), "LIMIT_EXCEEDED");
    assert_eq!(value(&server, "toolwrit_refused_total{limit=\"queue\"}"), Some(1.0));
    assert_eq!(value(&server, "toolwrit_refused_total{limit=\"rate\"}"), Some(0.0));
    drop((runs, waits));
    wait_for(&server, "toolwrit_handlers", 0.0);
    wait_for(&server, "toolwrit_waiting", 0.0);
}

#[test]
fn metrics_need_a_token_and_omit_hidden_operations() {
    let (home, vault) = (Home::new(), vaults::empty());
    let (owner, reader) = (home.token(toolwrit(), "owner"), home.token(toolwrit(), "reader"));
    let server = home.serve(toolwrit(), &["--vault", vault.path().to_str().unwrap()]);
    let client = server.client("/flat").bearing(&owner);
    client.call("vault_write", &json!({"path": "A", "content": "a"})).ok();
    client.call("vault_read", &json!({"path": "A"})).ok();

    assert_eq!(server.get("/metrics", &[]).status, 401);
    let bearing = |token: &str| {
        let token = format!("Bearer {token}");
        server.get("/metrics", &[("authorization", &token)]).body
    };
    assert!(bearing(&owner).contains("operation=\"vault.write\""));
    let shown = bearing(&reader);
    assert!(shown.contains("operation=\"vault.read\""), "{shown}");
    assert!(!shown.contains("vault.write"), "{shown}");
}
