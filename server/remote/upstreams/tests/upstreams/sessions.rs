//! Servers over HTTP that forget their sessions, as they do when they are started again.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolwrit_test_servers::http::{HttpServer, ReceivedRequest, json_response, response};
use toolwrit_test_servers::mcp::over_http;
use toolwrit_upstreams::{Code, Upstream};

use crate::remotes::{answer_usual, local, supervise};
use crate::{Calling, text, within};

/// A server that keeps sessions, and what it has done.
#[derive(Default)]
struct Served {
    begun: usize,
    known: HashSet<String>,
    calls: usize,
    /// Whether it has another tool since.
    has_more: bool,
}

type Refuse = fn() -> Vec<u8>;

fn error(status: u16, id: &Value, message: &str) -> Vec<u8> {
    let error = json!({ "code": -32000, "message": message });
    json_response(status, &json!({ "jsonrpc": "2.0", "id": id, "error": error }))
}

fn serve(served: &Arc<Mutex<Served>>, refuse: Refuse) -> HttpServer {
    let served = served.clone();
    HttpServer::answering(move |request| answer(&mut served.lock().unwrap(), refuse, request))
}

fn answer(served: &mut Served, refuse: Refuse, request: &ReceivedRequest) -> Vec<u8> {
    let message: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let session = request.header("mcp-session-id");
    match message["method"].as_str() {
        Some("initialize") => {
            served.begun += 1;
            let session = format!("session-{}", served.begun);
            served.known.insert(session.clone());
            let usual = String::from_utf8(over_http(request, answer_usual)).unwrap();
            let header = format!("\r\nmcp-session-id: {session}\r\n");
            return usual.replacen("\r\n", &header, 1).into_bytes();
        }
        Some("server/discover") => return error(200, &message["id"], "no such method"),
        _ if session.is_none_or(|session| !served.known.contains(session)) => return refuse(),
        Some("tools/call") => served.calls += 1,
        Some("tools/list") if served.has_more => {
            let tool = |name| json!({ "name": name, "inputSchema": { "type": "object" } });
            let result = json!({ "tools": [tool("echo"), tool("more")] });
            return json_response(
                200,
                &json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }),
            );
        }
        _ => {}
    }
    over_http(request, answer_usual)
}

async fn call(
    is_repeatable: bool,
    upstream: &Upstream,
) -> Result<String, toolwrit_upstreams::Failure> {
    let answer = Calling { is_repeatable, ..Calling::new("echo") }.on(upstream).await?;
    Ok(text(&answer).to_owned())
}

const REFUSALS: [Refuse; 6] = [
    || error(400, &Value::Null, "Bad Request: No valid session ID provided"),
    || error(400, &Value::Null, "Bad Request: Server not initialized"),
    || error(400, &json!("server-error"), "Invalid or expired Session"),
    || response(400, &[("content-type", "text/plain")], "Invalid or missing session ID"),
    || error(404, &Value::Null, "Session not found"),
    || response(404, &[], ""),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_may_be_repeated_is_made_in_another_session() {
    for (at, refuse) in REFUSALS.into_iter().enumerate() {
        let seen = Arc::<Mutex<Served>>::default();
        let server = serve(&seen, refuse);
        let upstream = supervise(local(server.url("/mcp")));
        assert_eq!(call(true, &upstream).await.unwrap(), "answered");
        for times in 2..4 {
            seen.lock().unwrap().known.clear();
            assert_eq!(call(true, &upstream).await.unwrap(), "answered", "{at}");
            assert_eq!(seen.lock().unwrap().calls, times, "{at}");
        }
        assert_eq!(upstream.status().starts, 1, "{at}");
    }
}

/// MCP has the status 404 for sessions that have ended. With another status, nobody knows what the server did.
#[tokio::test(flavor = "multi_thread")]
async fn another_call_is_made_again_only_where_mcp_says_that_it_was_refused() {
    for (at, refuse) in REFUSALS.into_iter().enumerate() {
        let seen = Arc::<Mutex<Served>>::default();
        let server = serve(&seen, refuse);
        let upstream = supervise(local(server.url("/mcp")));
        assert_eq!(call(false, &upstream).await.unwrap(), "answered");
        seen.lock().unwrap().known.clear();
        let again = call(false, &upstream).await;
        if at < 4 {
            let failure = again.unwrap_err();
            assert_eq!(failure.code, Code::UpstreamError);
            assert!(failure.message.contains("its session had ended"), "{failure}");
            assert_eq!(
                failure.hint.as_deref(),
                Some("The next call begins another session. Call again.")
            );
            assert_eq!(call(false, &upstream).await.unwrap(), "answered");
        } else {
            assert_eq!(again.unwrap(), "answered");
        }
        assert_eq!(seen.lock().unwrap().calls, 2, "{at}");
    }
}

/// Such a server is not asked again and again.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_knows_no_session_says_so_to_the_caller() {
    for refuse in REFUSALS {
        let seen = Arc::<Mutex<Served>>::default();
        let forgetful = seen.clone();
        let server = HttpServer::answering(move |request| {
            let served = &mut forgetful.lock().unwrap();
            let message: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            if message["method"] == "tools/call" {
                served.known.clear();
            }
            answer(served, refuse, request)
        });
        let upstream = supervise(local(server.url("/mcp")));
        let failure = call(true, &upstream).await.unwrap_err();
        assert_eq!(failure.code, Code::UpstreamError);
        let said = String::from_utf8(refuse()).unwrap().to_lowercase();
        let word = ["session", "initialized"].into_iter().find(|word| said.contains(word));
        let word = word.unwrap_or("404");
        assert!(failure.message.to_lowercase().contains(word), "{failure}");
        let calls = server
            .requests()
            .iter()
            .filter(|request| request.text().contains("\"tools/call\""))
            .count();
        assert_eq!(calls, 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_read_again_in_another_session() {
    let seen = Arc::<Mutex<Served>>::default();
    let server = serve(&seen, REFUSALS[0]);
    let upstream = supervise(local(server.url("/mcp")));
    assert_eq!(call(true, &upstream).await.unwrap(), "answered");
    *seen.lock().unwrap() = Served { has_more: true, begun: 1, ..Served::default() };
    assert_eq!(call(true, &upstream).await.unwrap(), "answered");
    within(upstream.until(|status| status.tools == 2)).await;
}
