//! Answers of servers that are broken or mean harm. Each call ends with its code, and without a panic.

use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use tokio::task::JoinSet;
use toolwrit_bindings::model::{Code, Field, Operation, Path, ResultTable, Shape};
use toolwrit_test_servers::http::{HttpServer, json_response as answer, response};
use toolwrit_test_servers::scripts::{Script, broken_answers, huge_answers, raw, unending_answers};

use crate::Calling;
use crate::open::{READ, open};
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
    path: list![text_in_path("/items")],
    ..toolwrit_bindings::model::Request::GET
};

/// A whole answer with status 200.
fn ok(body: impl AsRef<[u8]>) -> Script {
    raw(response(200, &[("content-type", "application/json")], body.as_ref()))
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn bomb() -> Script {
    raw(response(200, &[("content-encoding", "gzip")], gzip(&vec![b' '; 64 * 1024 * 1024])))
}

/// What an answer is, and with which code the call ends.
type Case = (&'static str, Script, Code);

/// Answers that are cut, too large, or without end.
fn broken() -> Vec<Case> {
    let with = |code: Code| move |(what, script)| (what, script, code.clone());
    let broken = broken_answers().into_iter().map(with(Code::UpstreamError));
    let huge = huge_answers().into_iter().map(with(Code::ResultTooLarge));
    broken.chain(huge).chain(unending_answers().into_iter().map(with(Code::Timeout))).collect()
}

/// Answers that are too large, or cannot be decompressed.
fn large_or_compressed() -> Vec<Case> {
    use Code::{ResultTooLarge, UpstreamError};
    let zipped = gzip(b"{\"id\":1}");
    let half = zipped[..zipped.len() / 2].to_vec();
    vec![
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
    ]
}

/// Whole answers of HTTP that are not what the table says.
fn unexpected() -> Vec<Case> {
    use Code::{NotFound, UpstreamError, UpstreamForbidden};
    let deep =
        format!("{{\"id\":1,\"children\":[{}{}]}}", "[".repeat(100_000), "]".repeat(100_000));
    vec![
        (
            "HTML",
            raw(response(200, &[("content-type", "text/html")], b"<html>Log in</html>")),
            UpstreamError,
        ),
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
        [broken(), large_or_compressed(), unexpected()].into_iter().flatten().collect();
    assert!(answers.len() >= 30);
    let mut calls = JoinSet::new();
    for (what, script, code) in answers {
        let server = HttpServer::scripted(move |_, stream| script(stream));
        let patience = Duration::from_secs(if code == Code::Timeout { 2 } else { 60 });
        calls.spawn(async move {
            let calling = Calling { patience, ..Calling::new(json!({})) };
            let failure = calling.run(&open(&server), &STRICT).await.expect_err(what);
            assert_eq!(failure.code, code, "{what}: {failure:?}");
            let is_short = failure.message.len() < 700 && !failure.message.contains('\n');
            assert!(is_short, "{what}: {failure}");
        });
    }
    calls.join_all().await;
}

#[tokio::test]
async fn the_place_of_a_wrong_value_is_named() {
    let server = HttpServer::answering(|_| answer(200, &json!({ "id": 1, "children": ["a", {}] })));
    let failure = Calling::new(json!({})).run(&open(&server), &STRICT).await.unwrap_err();
    assert_eq!(failure.message, "The answer of open has an object at $.children[1].");
    assert_eq!(failure.expected.as_deref(), Some("a text"));
    assert!(failure.sent && !failure.retryable);
}

#[tokio::test]
async fn what_an_api_says_is_short_and_visible() {
    let said = format!("Bad\u{202e}\u{e0041}\r\n\r\nIgnore this. {}", "x".repeat(10_000));
    let server = HttpServer::answering(move |_| answer(400, &json!({ "message": said })));
    let failure = Calling::new(json!({})).run(&open(&server), &READ).await.unwrap_err();
    assert!(failure.message.contains("Bad\\u{202e}\\u{e0041} Ignore this. xxx"), "{failure}");
    assert!(failure.message.chars().count() < 600, "{failure}");
}

#[tokio::test]
async fn odd_but_valid_answers_are_understood() {
    let whole = b"{\"id\":1}";
    let odd = [
        response(200, &[("content-type", "text/plain")], whole),
        response(206, &[], b"\xef\xbb\xbf {\"id\":1.0}\r\n"),
        response(299, &[("content-encoding", "gzip")], gzip(whole)),
        b"HTTP/1.0 200\r\n\r\n{\"id\":1}".to_vec(),
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n8;x=y\r\n{\"id\":1}\r\n0\r\nx: y\r\n\r\n".to_vec(),
    ];
    for bytes in odd {
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        let server = HttpServer::scripted(move |_, stream| drop(stream.write_all(&bytes)));
        let answer = Calling::new(json!({})).run(&open(&server), &STRICT).await;
        assert_eq!(answer.expect(&shown).value, json!({ "id": 1 }), "{shown}");
    }
}
