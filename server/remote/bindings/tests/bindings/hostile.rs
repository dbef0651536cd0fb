//! Answers of servers that are broken or mean harm. Each call ends with its code, and without a panic.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use tokio::task::JoinSet;
use toolwrit_bindings::model::{Code, Field, Operation, Path, ResultTable, Shape};

use crate::Calling;
use crate::open::{READ, open};
use crate::server::{Server, json as answer, response, wait_for_end};
use crate::tables::*;

/// A result with a field, so that an answer must have it.
static STRICT: Operation = Operation {
    request: READ_REQUEST,
    result: Some(ResultTable {
        read: body(list![Path::ROOT]),
        shape: Shape::Object(list![
            Field { name: text("id"), optional: false, read: None, shape: Shape::Integer },
            Field {
                name: text("children"),
                optional: true,
                read: None,
                shape: list_of(const { &Shape::Text }),
            },
        ]),
    }),
    ..Operation::BARE
};

const READ_REQUEST: toolwrit_bindings::model::Request = toolwrit_bindings::model::Request {
    path: list![at("/items")],
    ..toolwrit_bindings::model::Request::GET
};

type Script = Box<dyn Fn(&mut TcpStream) + Send + Sync>;

/// Writes bytes, and ends the connection.
fn raw(bytes: impl Into<Vec<u8>>) -> Script {
    let bytes = bytes.into();
    Box::new(move |stream| drop(stream.write_all(&bytes)))
}

/// A whole answer with status 200.
fn ok(body: impl AsRef<[u8]>) -> Script {
    raw(response(200, &[("content-type", "application/json")], body.as_ref()))
}

/// How often a repeated text is written at once.
const PIECES: usize = 500;

/// Writes the same text until the client leaves.
fn endless(head: &'static str, piece: &str) -> Script {
    let piece = piece.repeat(PIECES).into_bytes();
    Box::new(move |stream| {
        let mut is_there = stream.write_all(head.as_bytes()).is_ok();
        while is_there {
            is_there = stream.write_all(&piece).is_ok();
        }
    })
}

/// Writes bytes, and then nothing, until the client leaves.
fn stuck(head: &'static str) -> Script {
    Box::new(move |stream| {
        let _ = stream.write_all(head.as_bytes());
        wait_for_end(stream);
    })
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn bomb() -> Script {
    raw(response(200, &[("content-encoding", "gzip")], &gzip(&vec![b' '; 64 * 1024 * 1024])))
}

const HEAD: &str = "HTTP/1.1 200 OK\r\n";
const CHUNKED: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
const LENGTH: &str = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"id\":";

/// What an answer is, and with which code the call ends.
type Case = (&'static str, Script, Code);

/// Answers that are not HTTP, or end too early.
fn broken() -> Vec<Case> {
    use Code::UpstreamError;
    vec![
        ("nothing", raw(""), UpstreamError),
        ("not HTTP", raw("SSH-2.0-OpenSSH_9.6\r\n"), UpstreamError),
        ("HTTP/0.9", raw("{\"id\":1}"), UpstreamError),
        ("another version", raw("HTTP/9.9 200 OK\r\n\r\n{\"id\":1}"), UpstreamError),
        ("no number as status", raw("HTTP/1.1 OK 200\r\n\r\n"), UpstreamError),
        ("half a head", raw(HEAD), UpstreamError),
        ("half a body", raw(LENGTH), UpstreamError),
        ("half a chunk", raw(format!("{CHUNKED}ff\r\n{{\"id\":")), UpstreamError),
        (
            "no number as chunk size",
            raw(format!("{CHUNKED}zz\r\n{{}}\r\n0\r\n\r\n")),
            UpstreamError,
        ),
        ("a huge chunk size", raw(format!("{CHUNKED}ffffffffffffffff\r\n{{}}")), UpstreamError),
        (
            "two lengths",
            raw(format!("{HEAD}content-length: 8\r\ncontent-length: 9\r\n\r\n{{\"id\":1}}")),
            UpstreamError,
        ),
        (
            "a negative length",
            raw(format!("{HEAD}content-length: -8\r\n\r\n{{\"id\":1}}")),
            UpstreamError,
        ),
        (
            "a NUL in a header",
            raw(format!("{HEAD}x: a\0b\r\ncontent-length: 8\r\n\r\n{{\"id\":1}}")),
            UpstreamError,
        ),
    ]
}

/// Answers that do not end, or are too large, or cannot be decompressed.
fn endless_or_compressed() -> Vec<Case> {
    use Code::{ResultTooLarge, Timeout, UpstreamError};
    let zipped = gzip(b"{\"id\":1}");
    let half = zipped[..zipped.len() / 2].to_vec();
    vec![
        (
            "endless headers",
            endless(HEAD, "x: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n"),
            UpstreamError,
        ),
        (
            "a header without end",
            endless("HTTP/1.1 200 OK\r\nx: ", "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"),
            UpstreamError,
        ),
        (
            "an endless body",
            endless(
                CHUNKED,
                "40\r\n                                                                \r\n",
            ),
            ResultTooLarge,
        ),
        (
            "an endless body without length",
            endless("HTTP/1.1 200 OK\r\n\r\n", "                "),
            ResultTooLarge,
        ),
        ("a compressed bomb", bomb(), ResultTooLarge),
        (
            "few bytes with many values that are wanted",
            raw(response(
                200,
                &[],
                format!("{{\"id\":1,\"children\":[{}1]}}", "1,".repeat(300_000)).as_bytes(),
            )),
            ResultTooLarge,
        ),
        (
            "half of something compressed",
            raw(response(200, &[("content-encoding", "gzip")], &half)),
            UpstreamError,
        ),
        (
            "not compressed",
            raw(response(200, &[("content-encoding", "gzip")], b"{\"id\":1}")),
            UpstreamError,
        ),
        (
            "an unknown encoding",
            raw(response(200, &[("content-encoding", "zstd")], b"\x28\xb5\x2f\xfd")),
            UpstreamError,
        ),
        ("no answer", stuck(""), Timeout),
        ("a head without end", stuck(HEAD), Timeout),
        ("a body without end", stuck(LENGTH), Timeout),
        ("only provisional answers", endless("", "HTTP/1.1 103 Early Hints\r\n\r\n"), Timeout),
    ]
}

/// Whole answers of HTTP that are not what the table says.
fn unexpected() -> Vec<Case> {
    use Code::{NotFound, ResultTooLarge, Timeout, UpstreamError, UpstreamForbidden};
    let deep =
        format!("{{\"id\":1,\"children\":[{}{}]}}", "[".repeat(100_000), "]".repeat(100_000));
    vec![
        (
            "HTML",
            raw(response(200, &[("content-type", "text/html")], b"<html>Log in</html>")),
            UpstreamError,
        ),
        ("no content", raw(response(204, &[], b"")), UpstreamError),
        ("an empty body", ok(""), UpstreamError),
        ("spaces", ok(" \r\n "), UpstreamError),
        ("half of JSON", ok("{\"id\":1"), UpstreamError),
        ("two JSON documents", ok("{\"id\":1}{\"id\":2}"), UpstreamError),
        ("deep JSON", ok(deep), UpstreamError),
        ("no UTF-8", ok(b"{\"id\":1,\"x\":\"\xff\xfe\"}"), UpstreamError),
        ("half a surrogate", ok("{\"id\":1,\"children\":[\"\\ud800\"]}"), UpstreamError),
        ("no object", ok("[1,2]"), UpstreamError),
        ("null", ok("null"), UpstreamError),
        ("a field is missing", ok("{\"name\":1}"), UpstreamError),
        ("a field is null", ok("{\"id\":null}"), UpstreamError),
        ("a field has another type", ok("{\"id\":\"1\"}"), UpstreamError),
        ("a field is not whole", ok("{\"id\":1.5}"), UpstreamError),
        ("a field is huge", ok("{\"id\":1e300}"), UpstreamError),
        ("an element has another type", ok("{\"id\":1,\"children\":[\"a\",{}]}"), UpstreamError),
        (
            "an error as HTML",
            raw(response(404, &[("content-type", "text/html")], b"<html>")),
            NotFound,
        ),
        ("an error without end", stuck("HTTP/1.1 500 Oh\r\ncontent-length: 100\r\n\r\n"), Timeout),
        (
            "an error that is too large",
            endless("HTTP/1.1 403 No\r\n\r\n", "                "),
            ResultTooLarge,
        ),
        (
            "an error with another body",
            raw(response(403, &[], b"{\"message\":{\"a\":[1]}}")),
            UpstreamForbidden,
        ),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_answer_has_its_code() {
    let answers: Vec<Case> =
        [broken(), endless_or_compressed(), unexpected()].into_iter().flatten().collect();
    assert!(answers.len() >= 30);
    let mut calls = JoinSet::new();
    for (what, script, code) in answers {
        let server = Server::scripted(move |_, stream| {
            script(stream);
            false
        });
        let patience = Duration::from_secs(if code == Code::Timeout { 2 } else { 60 });
        calls.spawn(async move {
            let calling = Calling { patience, ..Calling::new(json!({})) };
            let failure = calling.of(&open(&server), &STRICT).await.expect_err(what);
            assert_eq!(failure.code, code, "{what}: {failure:?}");
            let is_short = failure.message.len() < 700 && !failure.message.contains('\n');
            assert!(is_short, "{what}: {failure}");
        });
    }
    calls.join_all().await;
}

#[tokio::test]
async fn the_place_of_a_wrong_value_is_named() {
    let server = Server::answering(|_| answer(200, &json!({ "id": 1, "children": ["a", {}] })));
    let failure = Calling::new(json!({})).of(&open(&server), &STRICT).await.unwrap_err();
    assert_eq!(failure.message, "The answer of open has an object at $.children[1].");
    assert_eq!(failure.expected.as_deref(), Some("a text"));
    assert!(failure.sent && !failure.retryable);
}

#[tokio::test]
async fn what_an_api_says_is_short_and_visible() {
    let said = format!("Bad\u{202e}\u{e0041}\r\n\r\nIgnore this. {}", "x".repeat(10_000));
    let server = Server::answering(move |_| answer(400, &json!({ "message": said })));
    let failure = Calling::new(json!({})).of(&open(&server), &READ).await.unwrap_err();
    assert!(failure.message.contains("Bad\\u{202e}\\u{e0041} Ignore this. xxx"), "{failure}");
    assert!(failure.message.chars().count() < 600, "{failure}");
}

#[tokio::test]
async fn odd_but_valid_answers_are_understood() {
    let whole = b"{\"id\":1}";
    let odd = [
        response(200, &[("content-type", "text/plain")], whole),
        response(206, &[], b"\xef\xbb\xbf {\"id\":1.0}\r\n"),
        response(299, &[("content-encoding", "gzip")], &gzip(whole)),
        b"HTTP/1.0 200\r\n\r\n{\"id\":1}".to_vec(),
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n8;x=y\r\n{\"id\":1}\r\n0\r\nx: y\r\n\r\n".to_vec(),
    ];
    for bytes in odd {
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        let server = Server::scripted(move |_, stream| stream.write_all(&bytes).is_err());
        let answer = Calling::new(json!({})).of(&open(&server), &STRICT).await;
        assert_eq!(answer.expect(&shown).value, json!({ "id": 1 }), "{shown}");
    }
}
