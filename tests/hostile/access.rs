//! Missing and wrong credentials, and credentials in the wrong place.

use serde_json::Value;
use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::drivers::socket::Socket;
use toolwrit_tests::program::lab;

use crate::hostile::transport::Http;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
/// The lines of a valid head.
const REST: &str = "host: localhost\r\ncontent-type: application/json\r\n\
                    accept: application/json, text/event-stream\r\ncontent-length: 40\r\n";

/// A path below `/mcp`, the `Authorization` headers, and the expected status, challenge and message.
struct Row {
    path: String,
    authorization: Vec<String>,
    status: u16,
    challenge: Option<&'static str>,
    message: &'static str,
}

const ASKED: Option<&str> = Some("Bearer realm=\"lab\"");
const REFUSED: Option<&str> = Some("Bearer realm=\"lab\", error=\"invalid_token\"");

const MISSING: &str = "this server requires an access token";
const UNKNOWN: &str = "this access token is invalid, revoked or not for this server";
const MALFORMED: &str = "the header Authorization is malformed";
const IN_ADDRESS: &str = "a URL must not contain a token";

fn rows(token: &str) -> Vec<Row> {
    let row = |path: &str, headers: &[&str], status, challenge, message| {
        let authorization = headers.iter().map(|header| header.replace('T', token)).collect();
        Row { path: path.replace('T', token), authorization, status, challenge, message }
    };
    let mut rows = Vec::new();
    // Without a token, existing and unknown paths get the same answer.
    for path in ["", "/flat", "/flat/full", "/no-such", "/flat/no-such"] {
        rows.push(row(path, &[], 401, ASKED, MISSING));
    }
    rows.push(row("", &["Basic bGFiOmxhYg=="], 401, ASKED, MISSING));
    for wrong in ["Bearer T0", "Bearer 0T", "Bearer twt_", "Bearer T T"] {
        rows.push(row("", &[wrong], 401, REFUSED, UNKNOWN));
    }
    let flipped = token.to_uppercase();
    rows.push(row("", &[&format!("Bearer {flipped}")], 401, REFUSED, UNKNOWN));
    for wrong in ["Bearer", "Bearer ", "Bearer twt_é", "T", ""] {
        rows.push(row("", &[wrong], 400, None, MALFORMED));
    }
    rows.push(row("", &["Bearer T", "Bearer T"], 400, None, MALFORMED));
    rows.push(row("", &["Bearer T", "Basic eDp5"], 400, None, MALFORMED));
    for query in ["?access_token=T", "?x=1&k=T", "?token=x", "?api_key=x", "?x=1&token"] {
        rows.push(row(query, &[], 400, None, IN_ADDRESS));
        rows.push(row(query, &["Bearer T"], 400, None, IN_ADDRESS));
    }
    rows
}

#[test]
fn every_credential_gets_the_expected_status() {
    let home = Home::new();
    let token = home.token(lab(), "owner");
    let right = format!("Bearer {token}");
    let transport = Http::open_with(home, &[("authorization", &right)]);
    for Row { path, authorization, status, challenge, message } in rows(&token) {
        let lines = authorization.iter().fold(String::new(), |lines, value| {
            format!(
                "{lines}authorization: {value}
"
            )
        });
        let mut socket = Socket::connect(&transport.server);
        socket.write(format!("POST /mcp{path} HTTP/1.1\r\n{lines}{REST}\r\n{PING}"));
        let answer = socket.answer().unwrap();
        let shown = format!("{path} {authorization:?}: {answer:?}");
        assert_eq!(answer.status, status, "{shown}");
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(body["error"]["message"], message, "{shown}");
        assert_eq!(answer.header("www-authenticate"), challenge, "{shown}");
        assert!(!answer.body.contains(&token), "{shown}");
        transport.still_serves(&shown);
    }
    // The name of the scheme is case-insensitive.
    let lower = format!("bEARER {token}");
    assert_eq!(transport.server.post("?x=1", &[("authorization", &lower)], PING).status, 200);
}
