//! Accounts share the handlers: one account cannot use all of them.

use serde_json::json;
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::drivers::http::{Home, Server, message};
use toolwrit_tests::drivers::socket::Socket;
use toolwrit_tests::program::lab;
use toolwrit_tests::waiting::until;

/// More calls than may run at once.
const CALLS: u32 = 8;

/// A call that runs until its connection is closed.
fn begin(server: &Server, token: &str) -> Socket {
    let params = json!({"name": "lab_linger", "arguments": {}});
    let (body, headers) = message(Era::Initialize, "tools/call", params);
    let (name, value) = &headers[0];
    let body = body.to_string();
    let mut socket = Socket::connect(server);
    socket.write(format!(
        "POST /mcp/flat HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nauthorization: Bearer {token}\r\n\
         {name}: {value}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    ));
    socket
}

/// The number of running and of waiting calls.
fn calls(server: &Server, token: &str) -> (u32, u32) {
    let bearer = format!("Bearer {token}");
    let text = server.get("/metrics", &[("authorization", &bearer)]).body;
    let value = |series: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {series}: {text}")).parse().unwrap()
    };
    (value("toolwrit_handlers"), value("toolwrit_waiting"))
}

#[test]
fn long_calls_of_one_account_leave_capacity_for_others() {
    let home = Home::new();
    let busy = home.token(lab(), "owner");
    let made = ["token", "new", "--role", "owner", "--name", "other"];
    let other = home.command(lab(), &made).output().unwrap();
    let other = String::from_utf8(other.stdout).unwrap().trim().to_owned();
    let server = home.serve(lab(), &["--surface", "flat"]);
    let held: Vec<Socket> = (0..CALLS).map(|_| begin(&server, &busy)).collect();
    until("half of the four places to be taken", || calls(&server, &other) == (2, CALLS - 2));
    server.client("").bearing(&other).call("lab_tally", &json!({})).ok();
    let (_, waiting) = calls(&server, &other);
    assert_eq!(waiting, CALLS - 2, "none of them has ended");
    drop(held);
}
