//! Credentials of upstreams over HTTP: secrets from every source, and tokens that an authorization server issues.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use toolwrit_gateway::upstreams::{Approvals, UpstreamSettings, examine};
use toolwrit_test_servers::http::{HttpServer, ReceivedRequest, json_response, response};
use toolwrit_test_servers::mcp::{Client, Session, over_http};

/// An authorization server, and the MCP server for which it issues tokens.
struct Site {
    server: HttpServer,
}

/// What a site knows.
struct Known {
    /// The issuer in the metadata, if it is another than this site.
    issuer: Option<&'static str>,
    /// The header `Authorization` that the MCP server accepts.
    accepted: String,
}

impl Site {
    fn serve(accepted: &str) -> Self {
        Self::of_issuer(accepted, None)
    }

    fn of_issuer(accepted: &str, issuer: Option<&'static str>) -> Self {
        let known = Known { issuer, accepted: accepted.to_owned() };
        Self { server: HttpServer::answering(move |request| known.answer(request)) }
    }
}

impl Known {
    fn answer(&self, request: &ReceivedRequest) -> Vec<u8> {
        let authorization = request.header("authorization").unwrap_or_default();
        match &*request.line() {
            "GET /tenant/.well-known/openid-configuration" => {
                let origin = format!("http://{}", request.header("host").unwrap());
                let tenant = format!("{origin}/tenant");
                let issuer = self.issuer.unwrap_or(&tenant);
                json_response(
                    200,
                    &json!({ "issuer": issuer, "token_endpoint": format!("{origin}/token") }),
                )
            }
            // The id `client` and the secret `s3cret`.
            "POST /token" if authorization == "Basic Y2xpZW50OnMzY3JldA==" => json_response(
                200,
                &json!({ "access_token": "issued", "token_type": "Bearer", "expires_in": 3600 }),
            ),
            "POST /token" => json_response(401, &json!({ "error": "invalid_client" })),
            "POST /mcp" if authorization == self.accepted => over_http(request, answer_handshake),
            "POST /mcp" => response(401, &[], ""),
            _ => response(404, &[], ""),
        }
    }
}

/// A server without tools. It sends nothing for methods that it does not know.
fn answer_handshake(message: &Value, client: &mut Client<'_>) {
    match message["method"].as_str().unwrap_or_default() {
        "initialize" => Session::new("site", "1").receive(message, client),
        "tools/list" => client.answer(&message["id"], &json!({ "tools": [] })),
        _ => {}
    }
}

impl Site {
    /// Connects with these keys. Returns the name of the server.
    async fn connect(&self, keys: Value) -> Result<String, String> {
        let mut table = json!({ "url": self.server.url("/mcp"), "networks": ["127.0.0.1"] });
        table.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        let settings = UpstreamSettings::parse("site", table.as_object().unwrap()).unwrap();
        let approvals = Approvals::beside(Path::new("config.toml"));
        examine(&settings, &approvals, Duration::from_mins(1)).await.map(|found| found.server.name)
    }

    fn oauth(&self, server: (&str, &str), more: &Value) -> Value {
        let mut oauth =
            json!({ "client_id": "client", "client_secret": { "command": ["echo", "s3cret"] } });
        oauth[server.0] = self.server.url(server.1).into();
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
        let requests = site.server.requests();
        let asked = requests.iter().filter(|request| request.path() == "/token");
        let asked: Vec<&str> = asked.map(ReceivedRequest::text).collect();
        let origin = site.server.url("").replace(':', "%3A").replace('/', "%2F");
        assert_eq!(
            asked,
            [format!("grant_type=client_credentials&scope=read%20write&resource={origin}%2Fmcp")],
            "one token serves all requests"
        );
    }
    let site = Site::serve("Bearer issued");
    let keys = site.oauth(("token_url", "/token"), &json!({ "audience": "mcp" }));
    site.connect(keys).await.unwrap();
    let mut bodies = site.server.requests().into_iter().map(|request| request.body);
    assert!(bodies.any(|body| body == b"grant_type=client_credentials&audience=mcp"));
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
