//! Requests that are slow or never end.

use std::net::Shutdown;

use toolwrit_tests::drivers::socket::Socket;

use crate::hostile::transport::Http;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const PONG: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
const HEAD: &str = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                    accept: application/json, text/event-stream\r\nconnection: close\r\n";

#[test]
fn a_request_byte_by_byte_is_answered() {
    let transport = Http::open();
    let mut socket = Socket::connect(&transport.server);
    for byte in format!("{HEAD}content-length: 40\r\n\r\n{PING}").bytes() {
        socket.write([byte]);
        if byte == b'\n' {
            transport.still_serves("a line of a head");
        }
    }
    assert_eq!(socket.answer().unwrap().body, PONG);
}

/// The bytes before the client becomes silent, and the answer after the timeout.
#[test]
fn a_silent_client_is_disconnected() {
    let transport = Http::open();
    let chunked = "transfer-encoding: chunked\r\n\r\n";
    let late = r#"{"error":{"message":"the body did not arrive within 10 s"}}"#;
    let rows = [
        (String::new(), None),
        ("POST /mcp HT".to_owned(), None),
        (HEAD.to_owned(), None),
        (format!("{HEAD}content-length: 40\r\n\r\n"), Some((408, late))),
        (format!("{HEAD}content-length: 40\r\n\r\n{}", &PING[..39]), Some((408, late))),
        (format!("{HEAD}content-length: 9999999999\r\n\r\n{PING}"), Some((408, late))),
        (format!("{HEAD}{chunked}28\r\n{PING}\r\n"), Some((408, late))),
        (format!("{HEAD}{chunked}28\r\n{}", &PING[..10]), Some((408, late))),
    ];
    let mut sockets: Vec<Socket> =
        rows.iter().map(|_| Socket::connect(&transport.server)).collect();
    for ((sent, _), socket) in rows.iter().zip(&mut sockets) {
        socket.write(sent);
        transport.still_serves(sent);
    }
    for ((sent, expected), mut socket) in rows.iter().zip(sockets) {
        if let Some((status, body)) = expected {
            let answer = socket.answer().unwrap();
            assert_eq!((answer.status, answer.body.as_str()), (*status, *body), "{sent}");
        }
        assert!(socket.is_ended(), "{sent}");
    }
    transport.still_serves("all of them");
}

#[test]
fn a_body_without_end_is_refused() {
    let transport = Http::open();
    let mut socket = Socket::connect(&transport.server);
    socket.write(format!("{HEAD}transfer-encoding: chunked\r\n\r\n"));
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    // Until the server stops reading.
    while socket.try_write(chunk.as_bytes()).is_ok() {}
    transport.still_serves("a body without end");
}

#[test]
fn an_incomplete_body_is_refused() {
    let transport = Http::open();
    for (sent, body) in [
        (format!("{HEAD}content-length: 40\r\n\r\n{}", &PING[..39]), BROKEN_OFF),
        (format!("{HEAD}transfer-encoding: chunked\r\n\r\n28\r\n{PING}\r\n"), BROKEN_OFF),
    ] {
        let mut socket = Socket::connect(&transport.server);
        socket.write(&sent);
        socket.shutdown(Shutdown::Write);
        let answer = socket.answer().unwrap();
        assert_eq!((answer.status, answer.body.as_str()), (400, body), "{sent}");
        transport.still_serves(&sent);
    }
}

const BROKEN_OFF: &str =
    r#"{"error":{"message":"the body is incomplete: error reading a body from connection"}}"#;
