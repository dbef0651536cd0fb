//! The trace of a call is read from the request and logged.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::CallResult;

use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::program::lab;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";

fn serve(home: &Home) -> Server {
    let arguments = ["serve", "--http", "127.0.0.1:0", "--surface", "flat"];
    let mut command = home.command(lab(), &arguments);
    command.env("TOOLWRIT_LOG", "info");
    Server::start(command)
}

/// Calls an operation that returns its trace.
fn traced(server: &Server, headers: &[(&str, &str)], meta: &Value) -> String {
    let client = headers.iter().fold(server.client(""), |client, (n, v)| client.with(n, v));
    let params = json!({"name": "lab_trace", "arguments": {}, "_meta": meta});
    CallResult(client.request("tools/call", params).result()).text().to_owned()
}

#[test]
fn the_trace_is_read_from_meta_or_a_header() {
    let home = Home::new();
    let server = serve(&home);
    let parent = format!("00-{TRACE}-{SPAN}-01");
    let other = format!("00-{}-{SPAN}-00", "1".repeat(32));
    assert_eq!(traced(&server, &[], &json!({ "traceparent": parent })), parent);
    assert_eq!(traced(&server, &[("traceparent", &other)], &json!({})), other);
    // `_meta` beats the header.
    let both = traced(&server, &[("traceparent", &other)], &json!({ "traceparent": parent }));
    assert_eq!(both, parent);
    for none in [json!({}), json!({"traceparent": "nonsense"}), json!({"traceparent": 7})] {
        assert_eq!(traced(&server, &[], &none), "none", "{none}");
    }
    let log = server.stop();
    let logged = format!("trace_id={TRACE} span_id={SPAN}");
    assert_eq!(log.matches(&logged).count(), 2, "{log}");
    assert_eq!(log.matches("trace_id=").count(), 3, "{log}");
}
