//! Endpoints that send more than any answer has, or that never end.

use std::io::Write as _;
use std::thread;
use std::time::Duration;

use futures::future::join;
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolwrit_chat::conversation::{Ended, Limit, TurnOptions};
use toolwrit_chat::provider::Dialect;
use toolwrit_test_servers::http::{HttpServer, unframed_response};

use crate::answers::model;
use crate::answers::{Answer, serve};
use crate::desk::Desk;

fn chunk(tool_calls: &serde_json::Value) -> serde_json::Value {
    json!({ "choices": [{ "index": 0, "delta": { "tool_calls": tool_calls }, "finish_reason": null }] })
}

/// The turn with an endpoint that answers so: how it ended, and the calls that were made.
async fn turn(dialect: Dialect, answer: Answer) -> (Ended, Vec<String>) {
    let server = serve(&[answer]);
    let mut desk = Desk::with("What?\n");
    desk.settings.limits.retries = 0;
    let ended =
        desk.conversation(model(dialect, &server.url("/"))).turn(TurnOptions::default()).await;
    (ended.unwrap(), desk.tools.made())
}

#[tokio::test]
async fn what_is_larger_than_any_answer_is_refused() {
    let event = |text: String| Answer { body: text, ..Answer::events(&[]) };
    let large = |bytes: usize| "x".repeat(bytes);
    let call = |number: usize, bytes: usize| {
        let arguments = json!({ "path": large(bytes) }).to_string();
        let function = json!({ "name": "vault_read", "arguments": arguments });
        chunk(&json!([{ "index": number, "id": format!("call_{number}"), "function": function }]))
    };
    let cases = [
        (event(format!("data: {}", large(9 << 20))), "more than 8 MiB"),
        (event(format!("data: {{}}\n: {}", large(9 << 20))), "more than 8 MiB"),
        (
            event(format!("data: {{\"a\":\"{}\"}}\n\n", large(4 << 20)).repeat(9)),
            "more than 32 MiB",
        ),
        (event(format!("data: {}\n", large(100)).repeat(90_000)), "more than 8 MiB"),
        (
            Answer::done(&(0..9).map(|at| call(at, 1 << 20)).collect::<Vec<_>>()),
            "arguments of its calls have more than 8 MiB",
        ),
        (
            Answer::done(&(0..1_001).map(|at| call(at, 1)).collect::<Vec<_>>()),
            "wants more than 1000 calls",
        ),
    ];
    for (answer, expected) in cases {
        let (ended, made) = turn(Dialect::OpenAi, answer).await;
        let Ended::Failed(message) = ended else { panic!("{ended:?}, expected {expected}") };
        assert!(message.contains(expected) && made.is_empty(), "{message}, expected {expected}");
    }
    let endless = Answer { body: large(9 << 20), ..Answer::lines(&[]) };
    let (ended, _) = turn(Dialect::Ollama, endless).await;
    assert!(matches!(&ended, Ended::Failed(message) if message.contains("8 MiB")), "{ended:?}");
}

/// The number of a call is a name, and no size.
#[tokio::test]
async fn a_call_with_a_high_number_is_one_call() {
    let numbered = |number: u64| {
        let function = json!({ "name": "vault_read", "arguments": "{\"path\":\"a\"}" });
        let end =
            json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] });
        let id = format!("call_{number}");
        Answer::done(&[chunk(&json!([{ "index": number, "id": id, "function": function }])), end])
    };
    for number in [2, 4_000_000_000, u64::MAX] {
        let server = serve(&[numbered(number), Answer::done(&[])]);
        let mut desk = Desk::with("What?\n");
        desk.settings.limits.retries = 0;
        let mut conversation = desk.conversation(model(Dialect::OpenAi, &server.url("/")));
        conversation.turn(TurnOptions::default()).await.unwrap();
        assert_eq!(desk.tools.made(), ["vault.read {\"path\":\"a\"}"]);
    }
}

/// A server that sends something again and again.
struct Endless {
    server: HttpServer,
    /// It has begun to answer.
    begun: mpsc::UnboundedReceiver<()>,
    /// The client has gone.
    gone: mpsc::UnboundedReceiver<()>,
}

impl Endless {
    fn new(beginning: &'static str, again: &'static str) -> Self {
        let ((has_begun, begun), (is_gone, gone)) =
            (mpsc::unbounded_channel(), mpsc::unbounded_channel());
        let server = HttpServer::scripted(move |_, connection| {
            let content_type = [("content-type", "text/event-stream")];
            let mut is_there =
                connection.write_all(&unframed_response(200, &content_type, beginning)).is_ok();
            let _ = has_begun.send(());
            while is_there {
                is_there = connection.write_all(again.as_bytes()).is_ok();
                // Not more than the client reads.
                thread::sleep(Duration::from_millis(1));
            }
            let _ = is_gone.send(());
        });
        Self { server, begun, gone }
    }
}

#[tokio::test]
async fn time_and_cancellation_end_an_answer_without_end() {
    let streams = [
        ("", ": ping\n\n"),
        ("data: {\"choices\":[]}\n\n", "x"),
        ("", "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"Hm.\"}}]}\n\n"),
    ];
    for (beginning, again) in streams {
        let Endless { server, mut gone, .. } = Endless::new(beginning, again);
        let mut desk = Desk::with("What?\n");
        desk.settings.limits.turn = Duration::from_millis(300);
        let ended = desk
            .conversation(model(Dialect::OpenAi, &server.url("/")))
            .turn(TurnOptions::default())
            .await;
        assert_eq!(ended.unwrap(), Ended::Limited(Limit::Time));
        // The connection is closed.
        gone.recv().await.unwrap();

        let Endless { server, mut begun, mut gone } = Endless::new(beginning, again);
        let desk = Desk::with("What?\n");
        let cancellation = CancellationToken::new();
        let options = TurnOptions { cancellation: cancellation.clone(), ..TurnOptions::default() };
        let mut conversation = desk.conversation(model(Dialect::OpenAi, &server.url("/")));
        let cancel = async {
            begun.recv().await.unwrap();
            cancellation.cancel();
        };
        let (ended, ()) = join(conversation.turn(options), cancel).await;
        assert_eq!(ended.unwrap(), Ended::Cancelled);
        gone.recv().await.unwrap();
    }
}

/// An endpoint that sends nothing at all is left after the time of silence.
#[tokio::test]
async fn silence_ends_an_answer() {
    let Endless { server, .. } = Endless::new("data: {\"choices\":[]}\n\n", "");
    let mut desk = Desk::with("What?\n");
    desk.settings.limits.retries = 0;
    desk.settings.limits.silence = Duration::from_millis(200);
    let ended = desk
        .conversation(model(Dialect::OpenAi, &server.url("/")))
        .turn(TurnOptions::default())
        .await;
    assert!(matches!(ended.unwrap(), Ended::Failed(message) if message.contains("said nothing")));
}
