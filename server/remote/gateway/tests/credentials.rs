//! Credentials of upstreams over HTTP: secrets from every source, and tokens that an authorization server issues.
#![allow(missing_docs, reason = "a test crate has no public interface")]
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use toolwrit_gateway::upstreams::{Approvals, UpstreamSettings, examine};

/// An authorization server, and the MCP server for which it issues tokens.
#[derive(Clone)]
struct Site {
    origin: String,
    /// The issuer in the metadata.
    issuer: String,
    /// The header `Authorization` that the MCP server accepts.
    accepted: String,
    /// What was asked: the line, and the body.
    seen: Arc<Mutex<Vec<(String, String)>>>,
}

impl Site {
    fn serve(accepted: &str) -> Self {
        Self::of_issuer(accepted, None)
    }

    fn of_issuer(accepted: &str, issuer: Option<&str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let issuer = issuer.map_or_else(|| format!("{origin}/tenant"), str::to_owned);
        let accepted = accepted.to_owned();
        let site = Self { origin, issuer, accepted, seen: Arc::default() };
        let served = site.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let site = served.clone();
                std::thread::spawn(move || site.connection(stream.unwrap()));
            }
        });
        site
    }

    fn connection(&self, mut stream: TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        loop {
            let lines: Vec<String> = reader
                .by_ref()
                .lines()
                .map_while(Result::ok)
                .take_while(|line| !line.is_empty())
                .collect();
            let first = lines.first()?.clone();
            let header = |name: &str| {
                let found = lines.iter().filter_map(|line| line.split_once(": "));
                let mut own = found.filter(|(known, _)| known.eq_ignore_ascii_case(name));
                own.next().map(|(_, value)| value.to_owned()).unwrap_or_default()
            };
            let mut body = vec![0; header("content-length").parse().unwrap_or(0)];
            reader.read_exact(&mut body).ok()?;
            let body = String::from_utf8(body).unwrap();
            self.seen.lock().unwrap().push((first.clone(), body.clone()));
            let (status, answer) = self.answer(&first, &header("authorization"), &body);
            let text = if answer.is_null() { String::new() } else { answer.to_string() };
            let length = text.len();
            write!(
                stream,
                "HTTP/1.1 {status} S\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{text}"
            )
            .ok()?;
        }
    }

    fn answer(&self, line: &str, authorization: &str, body: &str) -> (u16, Value) {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["GET", "/tenant/.well-known/openid-configuration", _] => (
                200,
                json!({ "issuer": self.issuer, "token_endpoint": format!("{}/token", self.origin) }),
            ),
            // The id `client` and the secret `s3cret`.
            ["POST", "/token", _] if authorization == "Basic Y2xpZW50OnMzY3JldA==" => (
                200,
                json!({ "access_token": "issued", "token_type": "Bearer", "expires_in": 3600 }),
            ),
            ["POST", "/token", _] => (401, json!({ "error": "invalid_client" })),
            ["POST", "/mcp", _] if authorization == self.accepted => {
                let request: Value = serde_json::from_str(body).unwrap();
                let result = match request["method"].as_str().unwrap() {
                    "initialize" => json!({ "protocolVersion": "2025-06-18",
                        "capabilities": { "tools": {} }, "serverInfo": { "name": "site", "version": "1" } }),
                    "tools/list" => json!({ "tools": [] }),
                    method if method.starts_with("notifications/") => return (202, Value::Null),
                    _ => return (404, Value::Null),
                };
                (200, json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }))
            }
            ["POST", "/mcp", _] => (401, Value::Null),
            _ => (404, Value::Null),
        }
    }

    /// Connects with these keys. Returns the name of the server.
    async fn connect(&self, keys: Value) -> Result<String, String> {
        let mut table = json!({ "url": format!("{}/mcp", self.origin), "networks": ["127.0.0.1"] });
        table.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        let settings = UpstreamSettings::parse("site", table.as_object().unwrap()).unwrap();
        let approvals = Approvals::beside(Path::new("config.toml"));
        examine(&settings, &approvals, Duration::from_mins(1)).await.map(|found| found.server.name)
    }

    fn oauth(&self, server: (&str, &str), more: &Value) -> Value {
        let mut oauth =
            json!({ "client_id": "client", "client_secret": { "command": ["echo", "s3cret"] } });
        oauth[server.0] = format!("{}{}", self.origin, server.1).into();
        oauth.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "oauth": oauth })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_come_from_files_commands_and_variables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    std::fs::write(&path, "s3cret\n").unwrap();
    let site = Site::serve("Bearer s3cret");
    for source in [json!({ "file": path }), json!({ "command": ["echo", "s3cret"] })] {
        assert_eq!(site.connect(json!({ "token": source })).await.unwrap(), "site", "{source}");
    }
    let home = std::env::var("HOME").unwrap();
    let keys = json!({ "headers": { "Authorization": { "env": "HOME" } } });
    assert_eq!(Site::serve(&home).connect(keys).await.unwrap(), "site");
    let unset = site.connect(json!({ "token": { "env": "NO_SUCH_VARIABLE" } })).await.unwrap_err();
    assert_eq!(
        unset,
        "A secret cannot be read: the environment variable NO_SUCH_VARIABLE is not set."
    );
    let other = site.connect(json!({ "token": { "command": ["echo", "other"] } })).await;
    assert_eq!(other.unwrap_err(), "It refuses the credentials.");
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_are_issued_for_client_credentials() {
    for server in [("token_url", "/token"), ("issuer", "/tenant"), ("issuer", "/tenant/")] {
        let site = Site::serve("Bearer issued");
        let keys = site.oauth(server, &json!({ "scope": "read write" }));
        assert_eq!(site.connect(keys).await.unwrap(), "site", "{server:?}");
        let seen = site.seen.lock().unwrap().clone();
        let asked: Vec<&String> = seen
            .iter()
            .filter(|(line, _)| line.contains(" /token "))
            .map(|(_, body)| body)
            .collect();
        let origin = site.origin.replace(':', "%3A").replace('/', "%2F");
        assert_eq!(
            asked,
            [&format!("grant_type=client_credentials&scope=read%20write&resource={origin}%2Fmcp")],
            "one token serves all requests"
        );
    }
    let site = Site::serve("Bearer issued");
    let keys = site.oauth(("token_url", "/token"), &json!({ "audience": "mcp" }));
    site.connect(keys).await.unwrap();
    let seen = site.seen.lock().unwrap().clone();
    assert!(seen.iter().any(|(_, body)| body == "grant_type=client_credentials&audience=mcp"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upstream_without_a_token_says_why() {
    let wrong = json!({ "client_secret": { "command": ["echo", "wrong"] } });
    let unset = json!({ "client_secret": { "env": "NO_SUCH_VARIABLE" } });
    for (server, more, reason) in [
        (
            ("token_url", "/token"),
            wrong,
            "The authorization server of site answered with status 401.",
        ),
        (
            ("token_url", "/token"),
            unset,
            "The setting `client_secret` of site is missing: the environment variable NO_SUCH_VARIABLE is not set.",
        ),
        (
            ("token_url", "/nothing"),
            json!({}),
            "The authorization server of site answered with status 404.",
        ),
        (("issuer", ""), json!({}), "has no metadata of an authorization server."),
    ] {
        let site = Site::serve("Bearer issued");
        let why = site.connect(site.oauth(server, &more)).await.unwrap_err();
        assert!(why.contains(reason), "{why}");
    }
    let other = Site::of_issuer("", Some("https://other.example"));
    let why = other.connect(other.oauth(("issuer", "/tenant"), &json!({}))).await.unwrap_err();
    assert!(why.contains("are those of another issuer."), "{why}");
}
