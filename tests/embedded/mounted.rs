//! The router of a server, mounted in an application that owns the connections.

use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::get;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use toolwrit::Server;
use toolwrit::http::{Account, Settings};

use crate::embedded::{Harbour, Log, Tools};

/// Serves an application in which the server is mounted, and returns its address.
async fn mount(server: &Server) -> String {
    let app = Router::new().route("/", get(async || "the town")).nest("/harbour", server.router());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });
    format!("http://{address}")
}

fn built(settings: Settings) -> Server {
    let builder = Server::builder::<Tools<Harbour>>(Harbour::default());
    builder.http(settings).build().unwrap()
}

/// Sends a request, and returns status and body.
async fn send(url: String, headers: &'static [(&str, &str)], body: Option<Value>) -> (u16, String) {
    let send = move || {
        let agent: ureq::Agent =
            ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let mut answer = match body {
            None => agent.get(url).call(),
            Some(body) => {
                let accept = ("accept", "application/json, text/event-stream");
                let mut request = agent.post(url).content_type("application/json");
                for (name, value) in headers.iter().copied().chain([accept]) {
                    request = request.header(name, value);
                }
                request.send(body.to_string())
            }
        }
        .unwrap();
        (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap())
    };
    tokio::task::spawn_blocking(send).await.unwrap()
}

fn call(tool: &str) -> Value {
    let params = json!({"name": tool, "arguments": {}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
}

#[tokio::test]
async fn the_server_answers_beside_the_applications_own_routes() {
    let town = mount(&built(Settings::new().open_to_all())).await;
    assert_eq!(send(town.clone(), &[], None).await, (200, "the town".to_owned()));
    let (status, body) =
        send(format!("{town}/harbour/mcp/flat"), &[], Some(call("berth_moor"))).await;
    let answer: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(status, 200, "{body}");
    let moored = json!({"number": 1, "ship": "local"});
    assert_eq!(answer["result"]["structuredContent"], moored);
    let (status, metrics) = send(format!("{town}/harbour/metrics"), &[], None).await;
    assert_eq!(status, 200);
    assert!(metrics.contains("berth.moor"), "{metrics}");
    assert_eq!(send(format!("{town}/harbour/nowhere"), &[], None).await.0, 404);
    assert_eq!(send(format!("{town}/nowhere"), &[], None).await, (404, String::new()));
}

#[tokio::test]
async fn requests_are_refused_until_authentication_is_set() {
    let town = mount(&built(Settings::new())).await;
    assert_eq!(send(format!("{town}/harbour/mcp"), &[], Some(call("berth_moor"))).await.0, 401);
    // Requests to a foreign host name are refused, too.
    let elsewhere = &[("host", "elsewhere.example")];
    assert_eq!(
        send(format!("{town}/harbour/mcp"), elsewhere, Some(call("berth_moor"))).await.0,
        403
    );
}

#[tokio::test]
async fn the_application_authenticates_its_own_accounts() {
    let settings = Settings::new().authenticate(async |headers: HeaderMap| {
        let ship = headers.get("x-ship")?.to_str().ok()?;
        match ship {
            "pequod" => Some(Account::new("ahab").role("master")),
            "rachel" => Some(Account::new("gardiner").role("sailor")),
            "flying-dutchman" => Some(Account::new("nobody").role("ghost")),
            "titanic" => panic!("it sinks"),
            _ => None,
        }
    });
    let url = format!("{}/harbour/mcp/flat", mount(&built(settings)).await);
    let ship = async |headers: &'static [(&str, &str)], tool| {
        let (status, body) = send(url.clone(), headers, Some(call(tool))).await;
        let answer: Value = serde_json::from_str(&body).unwrap();
        let result = answer["result"]["structuredContent"].clone();
        (status, if result.is_null() { answer } else { result })
    };
    let (status, moored) = ship(&[("x-ship", "pequod")], "berth_moor").await;
    assert_eq!((status, &moored["ship"]), (200, &json!("ahab")));
    let (status, refused) = ship(&[("x-ship", "rachel")], "berth_moor").await;
    assert_eq!((status, &refused["error"]["code"]), (200, &json!("TOOL_NOT_FOUND")));
    let (_, ships) = ship(&[("x-ship", "rachel")], "berth_ships").await;
    assert_eq!(ships["result"], json!(["ahab"]));
    // Unknown roles, panics and unknown credentials are refused.
    for unknown in
        [&[("x-ship", "flying-dutchman")], &[("x-ship", "titanic")], &[("x-ship", "orca")]]
    {
        let (status, refused) = ship(unknown, "berth_ships").await;
        let message = json!("the application cannot identify the sender of this request");
        assert_eq!((status, &refused["error"]["message"]), (401, &message), "{unknown:?}");
    }
}

/// Accepts so many requests, each with another claim.
fn accepting(most: usize) -> Settings {
    let asked = AtomicUsize::new(0);
    Settings::new().authenticate(move |_| {
        let before = asked.fetch_add(1, Ordering::Relaxed);
        let account = (before < most).then(|| Account::new("ahab").claim("request", before));
        async move { account }
    })
}

#[tokio::test]
async fn the_application_is_asked_once_for_a_call() {
    let url = format!("{}/harbour/mcp/flat", mount(&built(accepting(1))).await);
    let mut reporting = call("berth_moor");
    reporting["params"]["_meta"] = json!({"progressToken": "p"});
    let (status, body) = send(url.clone(), &[], Some(reporting.clone())).await;
    let answer = body.lines().filter_map(|line| line.strip_prefix("data: {")).next_back();
    let answer: Value = serde_json::from_str(&format!("{{{}", answer.unwrap())).unwrap();
    let moored = json!({"number": 1, "ship": "ahab"});
    assert_eq!((status, &answer["result"]["structuredContent"]), (200, &moored));
    assert_eq!(send(url, &[], Some(reporting)).await.0, 401);
}

#[tokio::test]
async fn a_client_listens_until_the_application_finds_no_account() {
    let url = format!("{}/harbour/mcp/flat", mount(&built(accepting(3))).await);
    let wish = json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {
        "notifications": {"resourceSubscriptions": ["harbour://tide"]},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }});
    let headers = &[("mcp-protocol-version", "2026-07-28"), ("mcp-method", "subscriptions/listen")];
    let (status, body) = send(url, headers, Some(wish)).await;
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("notifications/subscriptions/acknowledged"), "{body}");
}

#[tokio::test]
async fn limits_are_settings() {
    let settings = Settings::new().open_to_all().body_bytes(10);
    let town = mount(&built(settings)).await;
    assert_eq!(send(format!("{town}/harbour/mcp"), &[], Some(call("berth_moor"))).await.0, 413);
}

#[tokio::test]
async fn a_closed_server_accepts_no_calls() {
    let log = Log::default();
    let builder = Server::builder::<Tools<Harbour>>(Harbour::logging(&log));
    let server = builder.http(Settings::new().open_to_all()).build().unwrap();
    let town = mount(&server).await;
    server.close().await;
    assert_eq!(log.lock().unwrap().as_slice(), ["closed"]);
    assert_eq!(send(format!("{town}/harbour/mcp"), &[], Some(call("berth_moor"))).await.0, 503);
    assert_eq!(send(town, &[], None).await.0, 200);
}
