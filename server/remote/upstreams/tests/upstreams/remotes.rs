//! Upstreams over HTTP, and addresses that may not be reached.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use toolwrit_upstreams::model::{Definition, Endpoint, Remote};
use toolwrit_upstreams::{Code, State, Status, Supervisor, Upstream};

use crate::{Calling, definition, text_of, within};

/// Answers a JSON-RPC request, with a result, or with a `result` or an `error` and a `status`; or with a status and a header.
pub(crate) type Answer =
    Arc<dyn Fn(&Value, &str) -> Result<Value, (u16, &'static str)> + Send + Sync>;

/// A server on this machine. Returns its address. At the path `/events` it answers with streams of events.
pub(crate) async fn serve(answer: Answer) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(connection(stream, answer.clone()));
        }
    });
    address
}

async fn connection(stream: TcpStream, answer: Answer) -> Option<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let (mut head, mut length) = (String::new(), 0);
        while !head.ends_with("\r\n\r\n") {
            let begin = head.len();
            if stream.read_line(&mut head).await.ok()? == 0 {
                return None;
            }
            let line = head[begin..].to_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.ok()?;
        let request = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let response = match request["id"].is_null() {
            true if head.starts_with("POST") => response(202, "", ""),
            true => response(405, "", ""),
            false => match answer(&request, &head) {
                Ok(result) => {
                    let mut message = json!({ "jsonrpc": "2.0", "id": request["id"] });
                    // A message with a status stands for itself.
                    let status = result.get("status").and_then(Value::as_u64);
                    let mut parts =
                        if status.is_some() { result } else { json!({ "result": result }) };
                    for key in ["result", "error"] {
                        let part = parts.get_mut(key).map(Value::take);
                        message.as_object_mut()?.extend(part.map(|part| (key.to_owned(), part)));
                    }
                    let status = u16::try_from(status.unwrap_or(200)).ok()?;
                    if head.starts_with("POST /events ") {
                        let event = format!(": hello\n\ndata: {message}\n\n");
                        response(200, "content-type: text/event-stream\r\n", &event)
                    } else {
                        response(status, "content-type: application/json\r\n", &message.to_string())
                    }
                }
                Err((status, header)) => response(status, header, ""),
            },
        };
        stream.write_all(response.as_bytes()).await.ok()?;
    }
}

fn response(status: u16, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status} Status\r\n{headers}content-length: {length}\r\n\r\n{body}")
}

/// A server of the handshake, with one tool.
pub(crate) fn usual(request: &Value) -> Result<Value, (u16, &'static str)> {
    match request["method"].as_str().unwrap() {
        "initialize" => Ok(json!({
            "protocolVersion": "2025-06-18", "capabilities": { "tools": {} },
            "serverInfo": { "name": "remote", "version": "1" },
        })),
        "tools/list" => Ok(json!({ "tools": [{
            "name": "echo", "inputSchema": { "type": "object" }, "region": "here",
        }] })),
        "tools/call" => Ok(json!({ "content": [{ "type": "text", "text": "answered" }] })),
        "ping" => Ok(json!({})),
        _ => Err((404, "")),
    }
}

pub(crate) fn supervise(remote: Remote) -> Upstream {
    let timing = definition(crate::command("usual")).timing;
    let definition = Definition { timing, ..Definition::new("remote", Endpoint::Remote(remote)) };
    Supervisor::default().supervise(definition)
}

pub(crate) fn local(address: String) -> Remote {
    Remote::new(address).within("127.0.0.1".parse().unwrap())
}

pub(crate) async fn until(state: State, upstream: &Upstream) -> Status {
    let status = within(upstream.until(|status| status.state == state)).await;
    assert_eq!(status.state, state, "{status:?}");
    status
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remote_upstream_is_called_with_its_headers() {
    let address = serve(Arc::new(|request, head| {
        let authorized = head.to_lowercase().contains("\r\nauthorization: bearer s3cret\r\n");
        if authorized { usual(request) } else { Err((401, "www-authenticate: Bearer\r\n")) }
    }))
    .await;
    let authorized = local(address.clone()).with_header("Authorization", "Bearer s3cret");
    assert_eq!(text_of("echo", &supervise(authorized)).await, "answered");
    let refused = supervise(local(address));
    let status = until(State::Refused, &refused).await;
    let reason = "It requires credentials, and has none: set `token` or `oauth`.";
    assert_eq!(status.reason.as_deref(), Some(reason));
    assert!(status.retry_in().unwrap() > Duration::from_mins(4));
    let failure = Calling::new("echo").on(&refused).await.unwrap_err();
    assert_eq!(failure.code, Code::ProviderUnavailable);
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_of_tools_are_whole() {
    let address = serve(Arc::new(|request, _| usual(request))).await;
    // Another status of success than usual.
    let created = serve(Arc::new(|request, _| match request["method"].as_str() {
        Some("tools/list") => Ok(json!({ "result": usual(request)?, "status": 201 })),
        _ => usual(request),
    }));
    for address in [address.replace("/mcp", "/events"), address, created.await] {
        let upstream = supervise(local(address.clone()));
        assert_eq!(text_of("echo", &upstream).await, "answered", "{address}");
        assert_eq!(region(&upstream), "here", "{address}");
    }
}

/// What the tool of [`usual`] has in a field that MCP does not have.
pub(crate) fn region(upstream: &Upstream) -> Value {
    upstream.tools().unwrap().get("echo").unwrap().json()["region"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_of_tools_have_a_limit() {
    let address = serve(Arc::new(|request, _| match request["method"].as_str() {
        Some("tools/list") => {
            let description = "x".repeat(17 * 1024 * 1024);
            Ok(json!({ "tools": [{
                "name": "echo", "inputSchema": { "type": "object" }, "description": description,
            }] }))
        }
        _ => usual(request),
    }))
    .await;
    for address in [address.replace("/mcp", "/events"), address] {
        let status = until(State::Disabled, &supervise(local(address.clone()))).await;
        let reason = status.reason.unwrap();
        assert!(reason.starts_with("Its tools cannot be listed"), "{address}: {reason}");
        // Another limit holds for lists that have been read.
        assert!(!reason.contains("4 MiB"), "{address}: {reason}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_is_refused_says_why() {
    let error = json!({ "code": -32000, "message": "no tools on Sundays" });
    for (refusal, why) in [
        (Ok(json!({ "error": error, "status": 200 })), "no tools on Sundays"),
        (Ok(json!({ "error": error, "status": 400 })), "no tools on Sundays"),
        (Err((403, "www-authenticate: Bearer error=\"insufficient_scope\"\r\n")), "scope"),
        (Err((200, "content-type: text/html\r\n")), "text/html"),
        (Err((200, "content-type: application/json\r\n")), "EOF"),
    ] {
        let said = refusal.clone();
        let address = serve(Arc::new(move |request, _| match request["method"].as_str() {
            Some("tools/list") => said.clone(),
            _ => usual(request),
        }))
        .await;
        let status = until(State::Disabled, &supervise(local(address))).await;
        let reason = status.reason.unwrap();
        assert!(reason.contains(why), "{refusal:?}: {reason}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn statuses_of_calls_have_codes() {
    for (status, header, code) in [
        (401, "www-authenticate: Bearer\r\n", Code::ProviderUnavailable),
        (403, "www-authenticate: Bearer error=\"insufficient_scope\"\r\n", Code::UpstreamForbidden),
        (429, "retry-after: 7\r\n", Code::LimitExceeded),
        (500, "", Code::UpstreamError),
    ] {
        let address = serve(Arc::new(move |request, _| match request["method"].as_str() {
            Some("tools/call") => Err((status, header)),
            _ => usual(request),
        }))
        .await;
        let failure = Calling::new("echo").on(&supervise(local(address))).await.unwrap_err();
        assert_eq!(failure.code, code, "{status}: {failure}");
        let wait = (status == 429).then_some(Duration::from_secs(7));
        assert_eq!(failure.retry_after, wait, "{status}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_that_are_not_public_are_not_reached() {
    for (url, why) in [
        ("http://127.0.0.1:9/mcp", "127.0.0.1 is not public"),
        ("https://[::1]/mcp", "::1 is not public"),
        ("http://1.1.1.1/mcp", "1.1.1.1 may be reached with https only."),
        ("https://169.254.169.254/", "169.254.169.254 is not public"),
        ("http://localhost:9/mcp", "is not public"),
        ("file:///etc/passwd", "The address must begin with https, not file."),
        ("nothing", "The address is wrong: "),
    ] {
        let status = until(State::Disabled, &supervise(Remote::new(url))).await;
        let reason = status.reason.unwrap();
        assert!(reason.contains(why), "{url}: {reason}");
    }
    let header = Remote::new("https://mcp.example").with_header("X-A", "b\r\nc: d");
    let status = until(State::Disabled, &supervise(header)).await;
    assert_eq!(status.reason.as_deref(), Some("The value of the header `X-A` is not valid."));
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_are_not_followed() {
    let target = serve(Arc::new(|_, _| panic!("it was followed"))).await;
    let location: &'static str = Box::leak(format!("location: {target}\r\n").into_boxed_str());
    let address = serve(Arc::new(move |_, _| Err((307, location)))).await;
    until(State::Disabled, &supervise(local(address))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remote_upstream_that_fails_is_connected_again() {
    let broken = Arc::new(AtomicBool::new(false));
    let fails = broken.clone();
    let address =
        serve(Arc::new(
            move |request, _| {
                if fails.load(Ordering::SeqCst) { Err((500, "")) } else { usual(request) }
            },
        ))
        .await;
    let upstream = supervise(local(address));
    assert_eq!(text_of("echo", &upstream).await, "answered");
    broken.store(true, Ordering::SeqCst);
    let failure = Calling::new("echo").on(&upstream).await.unwrap_err();
    assert_eq!(failure.code, Code::UpstreamError);
    let status = until(State::Disabled, &upstream).await;
    assert!(status.reason.unwrap().contains("HTTP 500"));
    broken.store(false, Ordering::SeqCst);
    upstream.restart();
    within(upstream.until(|status| status.state == State::Ready)).await;
    assert_eq!(text_of("echo", &upstream).await, "answered");
}
