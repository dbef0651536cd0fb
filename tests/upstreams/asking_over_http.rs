//! Questions of an upstream to the user of a client over HTTP, for clients and upstreams of both eras.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::drivers::http::{Server, message};
use toolwrit_tests::drivers::socket::Socket;

use crate::upstreams::gateway;
use crate::upstreams::passing::{pairs, setup};
use crate::upstreams::scripted::tool;

const SESSION: &str = "mcp-session-id";
/// What the user answers.
fn reply() -> Value {
    json!({ "action": "accept", "content": { "name": "Ada" } })
}

/// Opens a session of a client that can ask its user. Returns its id.
fn open(server: &Server) -> String {
    let client = json!({ "name": "tests", "version": "1" });
    let hello = json!({ "protocolVersion": "2025-11-25", "clientInfo": client,
                        "capabilities": { "elicitation": {} } });
    let (hello, _) = message(Era::Initialize, "initialize", hello);
    let began = server.post("/flat", &[], hello.to_string());
    let id = began.headers[SESSION].to_str().unwrap().to_owned();
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let initialized = server.post("/flat", &[(SESSION, &id)], initialized.to_string());
    assert_eq!(initialized.status, 202, "{initialized:?}");
    id
}

/// Calls the tool in a session, and answers its question on the way. Returns the result.
fn ask_in_session(server: &Server) -> Value {
    let id = open(server);
    let call = json!({ "name": "one_ask", "arguments": {} });
    let call = message(Era::Initialize, "tools/call", call).0.to_string();
    let mut socket = Socket::connect(server);
    let length = call.len();
    socket.write(format!(
        "POST /mcp/flat HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{SESSION}: {id}\r\n\
         accept: application/json, text/event-stream\r\ncontent-length: {length}\r\n\r\n{call}"
    ));
    loop {
        let mut event = socket.next_event().unwrap();
        if event["method"] == "elicitation/create" {
            let message = &event["params"]["message"];
            assert_eq!(message, "one asks: Who\\u{200b}?", "{event}");
            let answer = json!({ "jsonrpc": "2.0", "id": event["id"], "result": reply() });
            let sent = server.post("/flat", &[(SESSION, &id)], answer.to_string());
            assert_eq!(sent.status, 202, "{sent:?}");
        } else if event.get("result").is_some() {
            return event["result"].take();
        }
    }
}

/// Calls the tool without a session, again with the answers to its questions. Returns the result.
fn ask_in_rounds(server: &Server) -> Value {
    let mut earlier = json!({});
    loop {
        let mut call = json!({ "name": "one_ask", "arguments": {} });
        call.as_object_mut().unwrap().extend(earlier.as_object().unwrap().clone());
        let (mut call, headers) = message(Era::Stateless, "tools/call", call);
        let offered = &mut call["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        *offered = json!({ "elicitation": {} });
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let result = server.post("/flat", &headers, call.to_string()).result();
        let Some(questions) = result["inputRequests"].as_object() else { return result };
        let replies: serde_json::Map<String, Value> =
            questions.keys().map(|key| (key.clone(), reply())).collect();
        earlier = json!({ "requestState": result["requestState"], "inputResponses": replies });
    }
}

#[test]
fn the_user_of_the_caller_answers() {
    for (client, upstream) in pairs() {
        let setup = setup(upstream, &[tool("ask")], "");
        let server = gateway(&setup, &["--sessions", "8"]);
        let result = match client {
            Era::Initialize => ask_in_session(&server),
            Era::Stateless => ask_in_rounds(&server),
        };
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}"));
        let replies: Value = serde_json::from_str(text).unwrap();
        // A client that answers in rounds cannot be asked while an older upstream waits.
        let expected = match (client, upstream) {
            (Era::Stateless, Era::Initialize) => json!({ "action": "decline" }),
            _ => reply(),
        };
        assert_eq!(replies, json!([expected]), "{client:?} {upstream:?}");
    }
}

#[test]
fn a_client_without_a_session_of_older_revisions_cannot_be_asked() {
    for upstream in Era::ALL {
        let setup = setup(upstream, &[tool("ask")], "");
        let server = gateway(&setup, &[]);
        let asked = server.client("/flat").call("one_ask", &json!({}));
        match upstream {
            Era::Initialize => assert_eq!(asked.json()[0]["action"], "decline", "{}", asked.0),
            Era::Stateless => assert_eq!(asked.code(), "UPSTREAM_ERROR", "{}", asked.0),
        }
    }
}
