//! Responses over HTTP that are no answers: the call ends at once, with what the server said.

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::mpsc::channel;

use serde_json::{Value, json};
use toolwrit_test_servers::http::{
    HttpServer, ReceivedRequest, response, unframed_response, wait_for_end,
};
use toolwrit_test_servers::mcp::{over_http, text_result};
use toolwrit_upstreams::Code;

use crate::remotes::{answer_usual, local, serve, supervise};
use crate::{Calling, text, text_of, within};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// A response to a call, in which `ID` stands for the id of the request.
struct Scripted {
    status: u16,
    media_type: &'static str,
    body: &'static str,
}

const fn scripted(status: u16, media_type: &'static str, body: &'static str) -> Scripted {
    Scripted { status, media_type, body }
}

impl Scripted {
    fn body_for(&self, message: &Value) -> String {
        self.body.replace("ID", &message["id"].to_string())
    }
}

/// A server that answers a call with the response that its argument `case` numbers.
fn server(all: &'static [Scripted]) -> HttpServer {
    serve(move |message, _| {
        let case = message["params"]["arguments"]["case"].as_u64()?;
        let scripted = &all[usize::try_from(case).unwrap()];
        let headers = [("content-type", scripted.media_type)];
        let headers = if scripted.media_type.is_empty() { &[][..] } else { &headers };
        Some(response(scripted.status, headers, scripted.body_for(message)))
    })
}

const ERROR_OF_NULL: &str =
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"the moon is full"}}"#;
const ERROR_WITHOUT_ID: &str =
    r#"{"error":{"message":"the moon is full","code":-32600},"jsonrpc":"2.0"}"#;
const ERROR_OF_ANOTHER: &str =
    r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"the moon is full"}}"#;

static REFUSALS: [Scripted; 24] = [
    scripted(400, JSON, ERROR_OF_NULL),
    scripted(403, JSON, ERROR_OF_NULL),
    scripted(404, JSON, ERROR_OF_NULL),
    scripted(422, JSON, ERROR_WITHOUT_ID),
    scripted(406, JSON, ERROR_OF_ANOTHER),
    scripted(500, JSON, ERROR_OF_NULL),
    scripted(503, "application/json; charset=utf-8", ERROR_OF_NULL),
    scripted(200, JSON, ERROR_OF_NULL),
    scripted(200, JSON, ERROR_WITHOUT_ID),
    scripted(200, "Application/JSON", ERROR_OF_ANOTHER),
    scripted(
        200,
        EVENTS,
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"the moon is full\"}}\n\n",
    ),
    scripted(200, EVENTS, "data: the moon is full\n\n"),
    scripted(200, EVENTS, ": nothing\n\n"),
    scripted(
        200,
        EVENTS,
        "data: {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{\"content\":[]}}\n\n",
    ),
    scripted(418, "text/plain", "the moon is full"),
    scripted(502, "text/html", "<h1>the moon is full</h1>"),
    scripted(200, "text/html", "<h1>the moon is full</h1>"),
    scripted(200, JSON, "the moon is full"),
    scripted(200, JSON, "{\"ok\":true}"),
    scripted(200, JSON, ""),
    scripted(200, "", ""),
    scripted(202, "", ""),
    scripted(204, "", ""),
    scripted(200, JSON, r#"{"jsonrpc":"2.0","id":"9000","result":{"content":[]}}"#),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_call_ends_with_what_the_server_said() {
    let server = server(&REFUSALS);
    let upstream = supervise(local(server.url("/mcp")));
    for (case, Scripted { status, media_type, body }) in REFUSALS.iter().enumerate() {
        let failure = Calling::new("echo").with("case", case).on(&upstream).await.unwrap_err();
        assert_eq!(failure.code, Code::UpstreamError, "{status} {media_type} {body}: {failure}");
        let said = !body.contains("moon") || failure.message.contains("the moon is full");
        assert!(said, "{status} {media_type} {body}: {failure}");
    }
    let requests = server.requests();
    let calls = requests.iter().filter(|request| request.text().contains("\"tools/call\""));
    assert_eq!(calls.count(), REFUSALS.len(), "none is made twice");
}

static ANSWERS: [Scripted; 7] = [
    scripted(
        200,
        JSON,
        r#"{"jsonrpc":"2.0","id":"ID","result":{"content":[{"type":"text","text":"read"}]}}"#,
    ),
    scripted(
        200,
        JSON,
        r#"{"jsonrpc":"2.0","id":ID.0,"result":{"content":[{"type":"text","text":"read"}]}}"#,
    ),
    scripted(
        200,
        JSON,
        r#"[{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"read"}]}}]"#,
    ),
    scripted(
        201,
        "text/plain",
        r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"read"}]}}"#,
    ),
    scripted(
        200,
        EVENTS,
        "event: ping\ndata: {}\n\ndata: {}\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"read\"}]}}\n\n",
    ),
    scripted(
        200,
        EVENTS,
        "data: hello\r\rid: 1\revent:\rdata: {\"jsonrpc\":\"2.0\",\"id\":ID,\rdata: \"result\":{\"content\":[{\"type\":\"text\",\"text\":\"read\"}]}}\r\r",
    ),
    scripted(
        200,
        "text/event-stream;charset=utf-8",
        "data:{\"jsonrpc\":\"2.0\",\"method\":\"notifications/vendor\"}\n\ndata:{\"jsonrpc\":\"2.0\",\"id\":\"ID\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"read\"}]}}\n\n",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_in_an_unusual_form_is_read() {
    let server = server(&ANSWERS);
    let upstream = supervise(local(server.url("/mcp")));
    for (case, scripted) in ANSWERS.iter().enumerate() {
        let answer = Calling::new("echo").with("case", case).on(&upstream).await.unwrap();
        assert_eq!(text(&answer), "read", "{}", scripted.body);
    }
}

/// Events that come before the first answer of a server, and those of unknown kinds.
#[tokio::test(flavor = "multi_thread")]
async fn events_that_are_no_messages_are_skipped() {
    let server = serve(|_, request| {
        let noise =
            "event: ping\ndata: {}\n\ndata: {}\n\nevent: heartbeat\ndata: ok\n\ndata: now\n\n";
        let whole = over_http(request, answer_usual);
        let body = String::from_utf8(whole).unwrap();
        let (_, body) = body.split_once("\r\n\r\n").unwrap();
        let events = format!("{noise}{body}\n");
        Some(response(
            200,
            &[("content-type", EVENTS)],
            if body.is_empty() { String::new() } else { events },
        ))
    });
    assert_eq!(text_of("echo", &supervise(local(server.url("/events")))).await, "answered");
}

/// A stream that stays open after the answer, or instead of it, does not hold up the call.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_need_not_end() {
    for (event, said) in [
        (ERROR_OF_NULL, "the moon is full"),
        (r#"{"jsonrpc":"2.0","id":null,"result":{"content":[]}}"#, "no message of MCP"),
        (r#"{"jsonrpc":"2.0","id":"other","result":{"content":[]}}"#, "of another request"),
    ] {
        let server = HttpServer::scripted(move |request, stream| {
            let message: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            if message["method"] == "tools/call" {
                let head = unframed_response(
                    200,
                    &[("content-type", EVENTS)],
                    format!("data: {event}\n\n"),
                );
                let _ = stream.write_all(&head);
                return wait_for_end(stream);
            }
            answer(request, stream);
        });
        let upstream = supervise(local(server.url("/mcp")));
        let failure = Calling::new("echo").on(&upstream).await.unwrap_err();
        assert_eq!(failure.code, Code::UpstreamError, "{event}: {failure}");
        assert!(failure.message.contains(said), "{event}: {failure}");
    }
}

/// Some servers accept a call, and answer on the stream of the session.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_may_come_on_the_stream_of_the_session() {
    let (sender, calls) = channel::<Value>();
    let calls = Mutex::new(Some(calls));
    let server = HttpServer::scripted(move |request, stream| {
        let message: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        if message["method"] == "tools/call" {
            let _ = stream.write_all(&unframed_response(202, &[], ""));
            let _ = sender.send(message["id"].clone());
        } else if request.method == "GET" {
            let Some(calls) = calls.lock().unwrap().take() else { return };
            let head = unframed_response(200, &[("content-type", EVENTS)], ": open\n\n");
            let _ = stream.write_all(&head);
            for id in calls {
                let result = text_result("later");
                let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result });
                let _ = stream.write_all(format!("data: {answer}\n\n").as_bytes());
            }
        } else if message["method"] == "server/discover" {
            let _ = stream.write_all(&unframed_response(404, &[], ""));
        } else {
            answer(request, stream);
        }
    });
    let upstream = supervise(local(server.url("/mcp")));
    // The stream opens after the handshake.
    let answered = async {
        loop {
            if let Ok(answer) = Calling::new("echo").on(&upstream).await {
                return text(&answer).to_owned();
            }
        }
    };
    assert_eq!(within(answered).await, "later");
}

/// A stream of events that ends before its answer is continued only if the server can say from where.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_cannot_be_continued_ends_the_call() {
    for status in [200, 400, 404, 405, 501] {
        let server = HttpServer::scripted(move |request, stream| {
            let message: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            if message["method"] == "tools/call" {
                let cut = unframed_response(
                    200,
                    &[("content-type", EVENTS)],
                    "id: 1\nretry: 1\ndata:\n\n",
                );
                let _ = stream.write_all(&cut);
            } else if request.method == "GET" {
                let no = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": 1, "message": "no" } });
                let no = unframed_response(status, &[("content-type", JSON)], no.to_string());
                let _ = stream.write_all(&no);
            } else {
                answer(request, stream);
            }
        });
        let upstream = supervise(local(server.url("/mcp")));
        let failure = Calling::new("echo").on(&upstream).await.unwrap_err();
        assert_eq!(failure.code, Code::UpstreamError, "{status}: {failure}");
    }
}

fn answer(request: &ReceivedRequest, stream: &mut TcpStream) {
    let usual = over_http(request, answer_usual);
    let close = "\r\nconnection: close\r\nmcp-session-id: one\r\n";
    let usual = String::from_utf8(usual).unwrap().replacen("\r\n", close, 1);
    let _ = stream.write_all(usual.as_bytes());
}
