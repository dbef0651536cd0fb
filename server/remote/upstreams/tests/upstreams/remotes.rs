//! Upstreams over HTTP, and addresses that may not be reached.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use toolwrit_test_servers::http::{HttpServer, ReceivedRequest, json_response, response};
use toolwrit_test_servers::mcp::{Client, Session, over_http};
use toolwrit_upstreams::model::{Definition, Endpoint, Remote};
use toolwrit_upstreams::{Code, State, Status, Supervisor, Upstream};

use crate::{Calling, definition, text_of, within};

/// A server on this machine that answers requests with these responses, or as [`answer_usual`]. At the path `/events` it
/// answers with streams of events.
pub(crate) fn serve(
    answer: impl Fn(&Value, &ReceivedRequest) -> Option<Vec<u8>> + Send + Sync + 'static,
) -> HttpServer {
    HttpServer::answering(move |request| {
        let message: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let is_request = !message["id"].is_null();
        let scripted = is_request.then(|| answer(&message, request)).flatten();
        scripted.unwrap_or_else(|| over_http(request, answer_usual))
    })
}

/// A response without a body.
pub(crate) fn refusal(status: u16, headers: &[(&str, &str)]) -> Vec<u8> {
    response(status, headers, "")
}

/// A server with one tool. It sends nothing for methods that it does not know.
pub(crate) fn answer_usual(message: &Value, client: &mut Client<'_>) {
    let id = &message["id"];
    match message["method"].as_str().unwrap_or_default() {
        "initialize" | "ping" => {
            let mut session = Session::new("remote", "1");
            session.capabilities = json!({ "tools": {} });
            session.receive(message, client);
        }
        "tools/list" => client.answer(id, &tools()),
        "tools/call" => client.answer_text(id, "answered"),
        _ => {}
    }
}

fn tools() -> Value {
    json!({ "tools": [
        { "name": "echo", "inputSchema": { "type": "object" }, "region": "here" },
    ] })
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
    let server = serve(|_, request| match request.header("authorization") {
        Some("Bearer s3cret") => None,
        _ => Some(refusal(401, &[("www-authenticate", "Bearer")])),
    });
    let authorized = local(server.url("/mcp")).with_header("Authorization", "Bearer s3cret");
    assert_eq!(text_of("echo", &supervise(authorized)).await, "answered");
    let refused = supervise(local(server.url("/mcp")));
    let status = until(State::Refused, &refused).await;
    let reason = "It requires credentials, and has none: set `login = true`, `token` or `oauth`.";
    assert_eq!(status.reason.as_deref(), Some(reason));
    assert!(status.retry_in().unwrap() > Duration::from_mins(4));
    let failure = Calling::new("echo").on(&refused).await.unwrap_err();
    assert_eq!(failure.code, Code::ProviderUnavailable);
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_of_tools_are_whole() {
    let server = serve(|_, _| None);
    // Another status of success than usual.
    let created = serve(|message, _| {
        let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": tools() });
        (message["method"] == "tools/list").then(|| json_response(201, &answer))
    });
    for address in [server.url("/events"), server.url("/mcp"), created.url("/mcp")] {
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
    let server = serve(|message, request| {
        let mut large = tools();
        large["tools"][0]["description"] = "x".repeat(17 * 1024 * 1024).into();
        let answer =
            |message: &Value, client: &mut Client<'_>| client.answer(&message["id"], &large);
        (message["method"] == "tools/list").then(|| over_http(request, answer))
    });
    for address in [server.url("/events"), server.url("/mcp")] {
        let status = until(State::Disabled, &supervise(local(address.clone()))).await;
        let reason = status.reason.unwrap();
        assert!(reason.starts_with("Its tools cannot be listed"), "{address}: {reason}");
        // Another limit holds for lists that have been read.
        assert!(!reason.contains("4 MiB"), "{address}: {reason}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_is_refused_says_why() {
    let scope = ("www-authenticate", "Bearer error=\"insufficient_scope\"");
    for (status, header, why) in [
        (200, None, "no tools on Sundays"),
        (400, None, "no tools on Sundays"),
        (403, Some(scope), "scope"),
        (200, Some(("content-type", "text/html")), "text/html"),
        (200, Some(("content-type", "application/json")), "its answer is empty"),
    ] {
        let server = serve(move |message, _| {
            let error = json!({ "code": -32000, "message": "no tools on Sundays" });
            let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "error": error });
            (message["method"] == "tools/list").then(|| match header {
                Some(header) => response(status, &[header], ""),
                None => json_response(status, &answer),
            })
        });
        let seen = until(State::Disabled, &supervise(local(server.url("/mcp")))).await;
        let reason = seen.reason.unwrap();
        assert!(reason.contains(why), "{status} {header:?}: {reason}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn statuses_of_calls_have_codes() {
    for (status, header, code) in [
        (401, ("www-authenticate", "Bearer"), Code::ProviderUnavailable),
        (403, ("www-authenticate", "Bearer error=\"insufficient_scope\""), Code::UpstreamForbidden),
        (429, ("retry-after", "7"), Code::LimitExceeded),
        (500, ("x", "y"), Code::UpstreamError),
    ] {
        let server = serve(move |message, _| {
            (message["method"] == "tools/call").then(|| response(status, &[header], ""))
        });
        let upstream = supervise(local(server.url("/mcp")));
        let failure = Calling::new("echo").on(&upstream).await.unwrap_err();
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
async fn redirects_are_followed_within_a_server() {
    for (status, location) in [(307, "/moved/mcp/"), (308, "/moved/mcp/"), (307, "mcp/")] {
        let server = serve(move |_, request| {
            (!request.path().ends_with("mcp/")).then(|| refusal(status, &[("location", location)]))
        });
        let address = local(server.url("/mcp")).with_header("Authorization", "Bearer s3cret");
        let upstream = supervise(address);
        assert_eq!(text_of("echo", &upstream).await, "answered", "{status} {location}");
        let requests = server.requests();
        let posts = requests.iter().filter(|request| request.method == "POST");
        for request in posts.filter(|request| request.path().ends_with('/')) {
            assert_eq!(request.header("authorization"), Some("Bearer s3cret"));
            assert!(request.text().contains("jsonrpc"), "{}", request.text());
        }
    }
}

/// Another server must not get the credentials, and a redirect that changes the method loses the message.
#[tokio::test(flavor = "multi_thread")]
async fn other_redirects_say_where_they_lead() {
    let target = serve(|_, _| None);
    let elsewhere = target.url("/mcp");
    for (status, location, said) in [
        (307, elsewhere.clone(), elsewhere.clone()),
        (302, "/other".to_owned(), "/other".to_owned()),
        (301, "https://127.0.0.1/mcp".to_owned(), "https://127.0.0.1/mcp".to_owned()),
        (307, "/mcp".to_owned(), "/mcp".to_owned()),
        (307, "ftp://127.0.0.1/".to_owned(), "ftp://127.0.0.1/".to_owned()),
    ] {
        let server = serve(move |_, _| Some(refusal(status, &[("location", &location)])));
        let status_of = supervise(local(server.url("/mcp")));
        let reason = until(State::Disabled, &status_of).await.reason.unwrap();
        assert!(reason.contains("redirects to") && reason.contains(&said), "{status}: {reason}");
        assert!(reason.contains("set `url`"), "{reason}");
        assert!(target.requests().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remote_upstream_that_fails_is_connected_again() {
    let broken = Arc::new(AtomicBool::new(false));
    let fails = broken.clone();
    let server = serve(
        move |_, _| if fails.load(Ordering::SeqCst) { Some(refusal(500, &[])) } else { None },
    );
    let upstream = supervise(local(server.url("/mcp")));
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
