//! Nothing is sent twice, unless nothing happened or it does not matter.

use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::net::TcpSocket;
use toolwrit_bindings::model::{
    Code, Effect, Method, Operation, Path, Request, ResultTable, Shape,
};
use toolwrit_bindings::{CircuitOptions, ConnectionOptions};
use toolwrit_test_servers::http::{HttpServer, json_response as answer, response, wait_for_end};

use crate::open::{ADD, OPEN, READ, SET, open, open_with};
use crate::tables::*;
use crate::{Calling, call, connect_with, options, value};

/// What is said of a write that may have been carried out.
const MAY_BE_DONE: &str = "The change may have been made. Read before you repeat it.";

#[tokio::test]
async fn reads_and_idempotent_writes_are_sent_again() {
    for operation in [&READ, &SET] {
        for status in [408, 429, 500, 502, 503, 504] {
            let server = HttpServer::in_turn(vec![
                answer(status, &json!({})),
                answer(status, &json!({})),
                answer(200, &json!("there")),
            ]);
            assert_eq!(value(&open(&server), operation).await, Ok("there".into()), "{status}");
            assert_eq!(server.lines().len(), 3);
        }
    }
}

#[tokio::test]
async fn a_request_is_sent_again_a_few_times_only() {
    let server = HttpServer::answering(|_| answer(503, &json!({ "message": "Down." })));
    let failure = value(&open(&server), &READ).await.unwrap_err();
    assert_eq!(failure.code, Code::UpstreamError);
    assert!(failure.retryable);
    assert_eq!(server.lines().len(), 3);
}

#[tokio::test]
async fn what_would_fail_again_is_sent_once() {
    for status in [301, 400, 401, 403, 404, 405, 409, 410, 412, 415, 418, 422, 501, 505] {
        let server = HttpServer::answering(move |_| answer(status, &json!({})));
        let failure = value(&open(&server), &READ).await.unwrap_err();
        assert!(!failure.retryable, "{status}");
        assert_eq!(server.lines().len(), 1, "{status}");
        if status == 401 {
            let hint = "The author of the manifest gives the provider `auth`; it has none.";
            assert_eq!(failure.hint.as_deref(), Some(hint));
        }
    }
}

#[tokio::test]
async fn other_writes_are_never_sent_again() {
    for status in [408, 429, 500, 502, 503, 504] {
        let server = HttpServer::answering(move |_| answer(status, &json!({})));
        let failure = value(&open(&server), &ADD).await.unwrap_err();
        assert!(failure.sent, "{status}");
        assert_eq!(failure.retryable, status == 429, "only a limit says that nothing was done");
        assert_eq!(failure.hint.as_deref() == Some(MAY_BE_DONE), status != 429, "{failure:?}");
        assert_eq!(server.lines().len(), 1, "{status}");
    }
    let cut_off: [&[u8]; 3] =
        [b"", b"HTTP/1.1 201 Created\r\n", b"HTTP/1.1 201 Created\r\ncontent-length: 9\r\n\r\n{"];
    for bytes in cut_off {
        let server = HttpServer::scripted(move |_, stream| drop(stream.write_all(bytes)));
        let failure = value(&open(&server), &ADD).await.unwrap_err();
        assert_eq!(failure.code, Code::UpstreamError);
        assert!(failure.sent && !failure.retryable, "{failure:?}");
        assert_eq!(failure.hint.as_deref(), Some(MAY_BE_DONE));
        assert_eq!(server.lines().len(), 1);
    }
}

#[tokio::test]
async fn a_write_is_not_sent_again_on_a_connection_that_ended_meanwhile() {
    let server = HttpServer::scripted(|_, stream| {
        let whole = answer(200, &json!(1));
        // The answer lets the connection be used again, and then it ends.
        drop(stream.write_all(&whole));
    });
    let open = open(&server);
    for done in 1..=20 {
        let outcome = value(&open, &ADD).await;
        assert!(server.lines().len() <= done, "{outcome:?}");
    }
}

#[tokio::test]
async fn without_a_connection_any_request_is_made_again() {
    // A socket that does not listen keeps its port from others.
    let silent = TcpSocket::new_v4().unwrap();
    silent.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    let circuit = CircuitOptions { failures: 3, pause: Duration::from_hours(1) };
    let open =
        connect_with(&OPEN, &json!({ "url": url }), &ConnectionOptions { circuit, ..options() });
    let failure = value(&open, &ADD).await.unwrap_err();
    assert_eq!(failure.code, Code::UpstreamError);
    assert_eq!(failure.message, "open cannot be reached: the connection is refused.");
    assert!(failure.retryable && !failure.sent, "{failure:?}");
    let failure = value(&open, &ADD).await.unwrap_err();
    assert_eq!(failure.code, Code::ProviderUnavailable, "one call has failed three times");
}

#[tokio::test]
async fn a_failure_remembers_that_an_earlier_attempt_was_sent() {
    let server = HttpServer::answering(|_| answer(503, &json!({})));
    let circuit = CircuitOptions { failures: 1, pause: Duration::from_hours(1) };
    let open = open_with(&server, &ConnectionOptions { circuit, ..options() });
    let failure = value(&open, &SET).await.unwrap_err();
    assert_eq!(failure.code, Code::ProviderUnavailable, "the second attempt is not made");
    assert!(failure.sent);
    assert_eq!(server.lines().len(), 1);
}

#[tokio::test]
async fn a_pause_that_the_api_asks_for_is_kept_or_reported() {
    let wait =
        |status, pause: &'static str| move || response(status, &[("retry-after", pause)], b"{}");
    let server = HttpServer::in_turn(vec![wait(429, "1")(), answer(200, &json!(1))]);
    let begun = Instant::now();
    assert_eq!(value(&open(&server), &READ).await, Ok(json!(1)));
    assert!(begun.elapsed() >= Duration::from_secs(1), "{:?}", begun.elapsed());

    for (status, code) in [(429, Code::LimitExceeded), (503, Code::UpstreamError)] {
        let server = HttpServer::in_turn(vec![wait(status, "3600")()]);
        let failure = value(&open(&server), &READ).await.unwrap_err();
        assert_eq!((&failure.code, failure.retry_after), (&code, Some(Duration::from_hours(1))));
        assert_eq!(server.lines().len(), 1, "the deadline comes first");
    }
    let dates = [("Wed, 21 Oct 2015 07:28:00 GMT", Some(Duration::ZERO)), ("soon", None)];
    for (date, pause) in dates {
        let server = HttpServer::in_turn(vec![wait(429, date)()]);
        let failure = value(&open(&server), &ADD).await.unwrap_err();
        assert_eq!(failure.retry_after, pause, "{date}");
    }
}

#[tokio::test]
async fn a_write_that_gets_no_answer_may_have_been_done() {
    for (operation, may_be_done) in [(&READ, false), (&ADD, true)] {
        let server = HttpServer::scripted(|_, stream| {
            wait_for_end(stream);
        });
        let open = open(&server);
        let patience = Duration::from_secs(5);
        let late = Calling { patience, ..Calling::new(json!({})) };
        let failure = late.run(&open, operation).await.unwrap_err();
        assert_eq!(failure.code, Code::Timeout);
        assert_eq!((failure.sent, failure.retryable), (may_be_done, !may_be_done));
        assert_eq!(failure.hint.is_some_and(|hint| hint.contains("may have been")), may_be_done);
        assert_eq!(server.lines().len(), 1);
    }
}

#[tokio::test]
async fn a_cancelled_call_ends_at_once() {
    let (told, mut arrived) = tokio::sync::mpsc::unbounded_channel();
    let server = HttpServer::scripted(move |_, stream| {
        told.send(()).unwrap();
        wait_for_end(stream);
    });
    let open = open(&server);
    let calling = Calling::new(json!({}));
    let cancel = async {
        arrived.recv().await.unwrap();
        calling.cancellation.cancel();
    };
    let (outcome, ()) = tokio::join!(calling.run(&open, &ADD), cancel);
    let failure = outcome.unwrap_err();
    assert_eq!((&failure.code, failure.sent), (&Code::Cancelled, true));

    let before = Calling::new(json!({}));
    before.cancellation.cancel();
    let failure = before.run(&open, &ADD).await.unwrap_err();
    assert_eq!((&failure.code, failure.sent), (&Code::Cancelled, false));
    assert_eq!(server.lines().len(), 1);
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let target = HttpServer::answering(|_| answer(200, &json!("secret")));
    for status in [301, 302, 303, 307, 308] {
        let url = target.url("/api");
        let server = HttpServer::answering(move |_| response(status, &[("location", &url)], b""));
        let failure = call(&open(&server), &READ, json!({})).await.unwrap_err();
        assert_eq!(failure.code, Code::UpstreamError);
        assert!(failure.hint.unwrap().contains("redirects"));
    }
    assert_eq!(target.lines(), Vec::<String>::new());
}

/// A write whose result has a required field, a list and an optional one.
static MAKE: Operation = Operation {
    id: text("things.make"),
    effect: Effect::Write,
    idempotent: false,
    request: Request { method: Method::Post, path: list![text_in_path("/things")], ..Request::GET },
    result: Some(ResultTable {
        read: body(list![Path::ROOT]),
        shape: Shape::Object(list![
            field("id", Shape::Integer),
            field("name", Shape::Text),
            field("tags", list_of(const { &Shape::Text })),
        ]),
    }),
    ..Operation::BARE
};

#[tokio::test]
async fn an_answer_to_a_change_is_read_as_far_as_it_can_be() {
    let tags = || json!(["a"]);
    for (sent, kept) in [
        (json!({ "id": 7, "name": null, "tags": ["a"] }), json!({ "id": 7, "tags": tags() })),
        (json!({ "id": 7, "name": 8, "tags": ["a"] }), json!({ "id": 7, "tags": tags() })),
        (
            json!({ "id": "7", "name": "n", "tags": ["a", 1] }),
            json!({ "name": "n", "tags": tags() }),
        ),
        (json!({ "other": true }), json!({})),
    ] {
        let server = HttpServer::answering(move |_| answer(201, &sent));
        let mut made = value(&open(&server), &MAKE).await.unwrap();
        let why = made.as_object_mut().unwrap().shift_remove("incomplete").unwrap();
        assert!(why.as_str().unwrap().ends_with(MAY_BE_DONE), "{why}");
        assert_eq!(made, kept);
    }
}

#[tokio::test]
async fn a_change_whose_answer_cannot_be_read_may_have_been_made() {
    let html = response(200, &[("content-type", "text/html")], b"<p>Thanks!</p>");
    let huge = format!("{{\"id\":\"{}\"}}", "x".repeat(9 << 20));
    let answers = [
        html,
        answer(201, &json!([1])),
        answer(200, &json!("made")),
        response(201, &[], huge.as_bytes()),
        response(303, &[("location", "/things/7")], b""),
    ];
    for answered in answers {
        let server = HttpServer::answering(move |_| answered.clone());
        let failure = value(&open(&server), &MAKE).await.unwrap_err();
        assert!(failure.sent && !failure.retryable, "{failure:?}");
        assert_eq!(failure.hint.as_deref(), Some(MAY_BE_DONE));
        assert_eq!(server.lines().len(), 1);
    }
}

#[tokio::test]
async fn an_answer_without_content_is_a_success() {
    let reading = Operation { effect: Effect::Read, idempotent: true, ..MAKE.clone() };
    let listing = Operation {
        result: Some(ResultTable {
            read: body(list![Path::ROOT]),
            shape: list_of(const { &Shape::Integer }),
        }),
        ..reading.clone()
    };
    for (status, content) in [(204, ""), (205, ""), (200, ""), (202, " \r\n"), (205, "null")] {
        let server = HttpServer::answering(move |_| response(status, &[], content));
        let open = open(&server);
        assert_eq!(value(&open, &MAKE).await, Ok(json!(null)), "{status}");
        assert_eq!(value(&open, &reading).await, Ok(json!(null)), "{status}");
        assert_eq!(value(&open, &listing).await, Ok(json!([])), "{status}");
    }
    let named = Operation {
        result: Some(ResultTable {
            read: body(list![Path::ROOT]),
            shape: Shape::Object(list![field_at("etag", header("etag"), Shape::Text)]),
        }),
        ..MAKE.clone()
    };
    let server = HttpServer::answering(|_| response(204, &[("etag", "\"7\"")], ""));
    assert_eq!(value(&open(&server), &named).await, Ok(json!({ "etag": "\"7\"" })));
}
