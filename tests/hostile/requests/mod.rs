//! Requests over HTTP as bytes: false heads, bodies with an invalid length, paths that climb. The
//! connection is closed after the last answer, so a second answer would be noticed.

mod headers;
mod lengths;
mod line;
mod source;

use toolwrit_tests::drivers::socket::Socket;

use crate::hostile::transport::{Http, shown};

/// The request and the exact answer: status and body.
struct Row {
    sent: Vec<u8>,
    answer: Option<(u16, &'static str)>,
}

fn row(sent: impl Into<Vec<u8>>, status: u16, body: &'static str) -> Row {
    Row { sent: sent.into(), answer: Some((status, body)) }
}

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const PONG: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
/// An empty body: the request is too invalid for any part of it to be used.
const NO_WORD: &str = "";
const NO_HOST: &str = r#"{"error":{"message":"a request needs one well-formed Host header"}}"#;

/// A ping in its parts; the lines of the head with their line endings.
#[derive(Clone)]
struct Request<'a> {
    line: &'a str,
    host: &'a str,
    content: &'a str,
    accept: &'a str,
    length: &'a str,
    more: &'a str,
    body: &'a str,
}

const NORMAL: Request = Request {
    line: "POST /mcp HTTP/1.1",
    host: "host: localhost\r\n",
    content: "content-type: application/json\r\n",
    accept: "accept: application/json, text/event-stream\r\n",
    length: "content-length: 40\r\n",
    more: "",
    body: PING,
};

impl From<Request<'_>> for Vec<u8> {
    fn from(request: Request<'_>) -> Self {
        let Request { line, host, content, accept, length, more, body } = request;
        let head = format!("{line}\r\n{host}{content}{accept}{length}{more}connection: close\r\n");
        format!("{head}\r\n{body}").into_bytes()
    }
}

fn with(more: &str) -> Request<'_> {
    Request { more, ..NORMAL }
}

/// The request with a byte replaced, for bytes that are not text.
fn with_byte(request: Request<'_>, mark: u8, byte: u8) -> Vec<u8> {
    let bytes: Vec<u8> = request.into();
    bytes.into_iter().map(|b| if b == mark { byte } else { b }).collect()
}

#[test]
fn every_request_gets_the_expected_answer() {
    let transport = Http::open();
    let tables = [
        source::hosts,
        source::origins,
        headers::types,
        headers::protocol,
        headers::heads,
        line::methods,
        line::paths,
        lengths::lengths,
    ];
    for Row { sent, answer } in tables.iter().flat_map(|table| table()) {
        let shown = shown(&sent);
        let mut socket = Socket::connect(&transport.server);
        // The server may answer and close the connection before all of it is sent.
        let _ = socket.try_write(&sent);
        let came = socket.answer();
        let came = came.as_ref().map(|answer| (answer.status, answer.body.as_str()));
        assert_eq!(came, answer, "{shown}");
        assert!(socket.is_ended(), "the connection goes on after {shown}");
        transport.still_serves(&shown);
    }
}
