//! What an upstream repeats of the secrets with which it is reached.

use std::sync::{Arc, Mutex};

use futures::future::BoxFuture;
use serde_json::{Value, json};
use toolwrit_test_servers::http::json_response;
use toolwrit_test_servers::mcp::text_result;
use toolwrit_upstreams::{AskUser, Code, Progress, Question, State, Supervisor, Upstream, User};

use crate::remotes::{local, serve, until};
use crate::{Calling, command, definition, ready, text, within};

const SECRET: &str = "tok-hidden/1?";

/// The scripted server with a secret, which its name tells.
fn supervise() -> Upstream {
    let mut definition = definition(command("usual").with_variable("API_TOKEN", SECRET));
    definition.asks_users = true;
    Supervisor::default().supervise(definition)
}

fn repeat(way: &'static str) -> Calling {
    Calling::new("repeat").with("way", way)
}

#[tokio::test(flavor = "multi_thread")]
async fn results_do_not_repeat_a_secret() {
    let upstream = supervise();
    // As it is, percent-encoded, and in the header of a user: `Basic user:tok-hidden/1?`.
    for (form, shown) in [
        ("is SECRET, yes", "is ***, yes"),
        ("?key=tok-hidden%2F1%3F&x", "?key=***&x"),
        ("Basic dXNlcjp0b2staGlkZGVuLzE/", "Basic dXNlcjp***"),
        ("ordinary", "ordinary"),
    ] {
        let answer = repeat("result").with("form", form).on(&upstream).await.unwrap();
        let resource = &answer.content[1]["resource"]["text"];
        assert_eq!(text(&answer), shown);
        assert_eq!(*resource, shown);
        assert_eq!(answer.structured, Some(json!({ shown: [{ "deep": shown }] })));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_do_not_repeat_a_secret() {
    let upstream = supervise();
    for way in ["error", "fault"] {
        let failure = repeat(way).with("form", "bad SECRET").on(&upstream).await.unwrap_err();
        assert!(failure.message.ends_with(": bad ***"), "{failure}");
    }
    // A secret at the limit of the length is not cut in two.
    let long = format!("{}SECRET", "x".repeat(495));
    let failure = repeat("error").with("form", long).on(&upstream).await.unwrap_err();
    assert!(!failure.message.contains("tok"), "{failure}");
}

/// Keeps what it is asked, and declines.
struct Listening(Arc<Mutex<Vec<Question>>>);

impl AskUser for Listening {
    fn who(&self) -> String {
        "anna".to_owned()
    }

    fn ask(&self, question: Question) -> BoxFuture<'_, Option<Value>> {
        self.0.lock().unwrap().push(question);
        Box::pin(std::future::ready(None))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_and_questions_do_not_repeat_a_secret() {
    let upstream = supervise();
    let said = Arc::new(Mutex::new(Vec::new()));
    let mut calling = repeat("progress").with("form", "at SECRET");
    let sink = said.clone();
    calling.progress = Some(Arc::new(move |progress: Progress| {
        sink.lock().unwrap().push(progress.message.unwrap());
    }));
    calling.on(&upstream).await.unwrap();
    assert_eq!(*said.lock().unwrap(), ["at ***"]);

    let asked = Arc::new(Mutex::new(Vec::new()));
    let mut calling = repeat("question").with("form", "for SECRET");
    calling.user = User::Present(Arc::new(Listening(asked.clone())));
    calling.on(&upstream).await.unwrap();
    let asked = asked.lock().unwrap();
    assert_eq!(asked[0].message, "for ***");
    assert_eq!(asked[0].schema["properties"]["name"]["title"], "for ***");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_words_do_not_repeat_a_secret() {
    let upstream = supervise();
    ready(&upstream).await;
    repeat("death").with("form", "wrong: SECRET").on(&upstream).await.unwrap_err();
    let status = within(upstream.until(|status| status.output.is_some())).await;
    assert_eq!(status.output.as_deref(), Some("wrong: ***"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_over_http_repeats_no_header() {
    let server = serve(|message, request| {
        let token = request.header("authorization").unwrap_or_default();
        let said = format!("bad authorization: {token}");
        let answer = |status, key: &str, value: Value| {
            let mut answer = json!({ "jsonrpc": "2.0", "id": message["id"] });
            answer[key] = value;
            Some(json_response(status, &answer))
        };
        match message["params"]["arguments"]["way"].as_str() {
            Some("result") => answer(200, "result", text_result(&said)),
            Some("error") => answer(200, "error", json!({ "code": 1, "message": said })),
            Some(_) => answer(418, "result", json!({ "said": said })),
            None if message["method"] == "tools/list" => {
                let schema = json!({ "type": "object" });
                let tool = json!({ "name": "echo", "description": said, "inputSchema": schema });
                answer(200, "result", json!({ "tools": [tool] }))
            }
            None => None,
        }
    });
    let remote = local(server.url("/mcp")).with_header("Authorization", "Bearer tok-hidden-1");
    let upstream = crate::remotes::supervise(remote);
    until(State::Ready, &upstream).await;
    let tools = upstream.tools().unwrap();
    let description = tools.get("echo").unwrap().description().unwrap().to_lowercase();
    assert_eq!(description, "bad authorization: bearer ***");
    let answer = Calling::new("echo").with("way", "result").on(&upstream).await.unwrap();
    assert_eq!(text(&answer).to_lowercase(), "bad authorization: bearer ***");
    for way in ["error", "status"] {
        let failure = Calling::new("echo").with("way", way).on(&upstream).await.unwrap_err();
        assert_eq!(failure.code, Code::UpstreamError);
        let said = failure.message.to_lowercase();
        assert!(said.contains("bearer ***") && !said.contains("hidden"), "{failure}");
    }
}
