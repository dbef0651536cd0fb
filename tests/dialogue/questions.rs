//! Handlers that ask questions.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era, User};

use super::{lab, serve};

/// Answers the server's next request, which must have this method.
fn answer(client: &mut Client, method: &str, reply: &Value) -> Value {
    let question = client.next_message();
    assert_eq!(question["method"], method, "{question}");
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": reply}));
    question["params"].clone()
}

/// The text of the next message, which is a call's result.
fn text(client: &mut Client) -> String {
    let answer = client.next_message();
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn a_call_waits_for_answers_longer_than_its_handler_may_run() {
    let mut client = serve(User::Agrees, Era::Initialize);
    client.begin_call("lab_greet", &json!({}));
    let question = client.next_message();
    // The handler has 300 ms, which pass here. If the server counted them, the call would time out.
    client.call("lab_wait", &json!({"millis": 600}));
    let reply = json!({"action": "accept", "content": {"name": "Ada"}});
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": reply}));
    let colour = json!({"action": "accept", "content": {"colour": "red"}});
    let asked = answer(&mut client, "elicitation/create", &colour);
    assert_eq!(asked["requestedSchema"]["properties"]["colour"]["enum"], json!(["red", "green"]));
    assert_eq!(text(&mut client), "Ada likes \"red\".");
}

#[test]
fn rounds_carry_the_answers_of_earlier_ones() {
    let mut client = serve(User::Agrees, Era::Stateless);
    let mut call = json!({"name": "lab_greet", "arguments": {}});
    let mut result = Value::Null;
    for (key, content) in [("name", json!({"name": "Ada"})), ("colour", json!({"colour": "green"}))]
    {
        result = client.request("tools/call", call.clone())["result"].take();
        assert_eq!(result["inputRequests"].as_object().unwrap().keys().collect::<Vec<_>>(), [key]);
        call["inputResponses"] = json!({key: {"action": "accept", "content": content}});
        call["requestState"] = result["requestState"].clone();
    }
    let done = client.request("tools/call", call)["result"].take();
    assert_eq!(done["content"][0]["text"], "Ada likes \"green\".", "{result}");
}

#[test]
fn an_invalid_answer_fails_the_call() {
    let mut client = serve(User::Agrees, Era::Initialize);
    client.begin_call("lab_greet", &json!({}));
    answer(&mut client, "elicitation/create", &json!({"action": "accept", "content": {"name": 3}}));
    let failed: Value = serde_json::from_str(&text(&mut client)).unwrap();
    assert_eq!(failed["error"]["code"], "UPSTREAM_ERROR");
    client.begin_call("lab_greet", &json!({}));
    let question = client.next_message();
    let error = json!({"code": -32603, "message": "the window is closed"});
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "error": error}));
    let failed: Value = serde_json::from_str(&text(&mut client)).unwrap();
    assert_eq!(failed["error"]["code"], "UPSTREAM_ERROR");
    assert!(failed["error"]["message"].as_str().unwrap().contains("the window is closed"));
}

#[test]
fn the_handler_learns_that_the_user_declined() {
    let mut client = serve(User::Declines, Era::Initialize);
    assert_eq!(client.call("lab_greet", &json!({})).text(), "Nobody here.");
}

#[test]
fn clients_are_asked_only_for_declared_capabilities() {
    for (user, tool, capability) in
        [(User::Absent, "lab_greet", "elicitation"), (User::Agrees, "lab_consult", "sampling")]
    {
        let mut older = serve(user, Era::Initialize);
        let refused = older.call(tool, &json!({})).error();
        assert_eq!(refused["code"], "PROVIDER_UNAVAILABLE");
        assert!(refused["message"].as_str().unwrap().contains(capability), "{refused}");
        // Since 2026-07-28 the protocol defines an error for this.
        let mut newer = serve(user, Era::Stateless);
        let refused = newer.request("tools/call", json!({"name": tool, "arguments": {}}));
        assert_eq!(refused["error"]["code"], -32021, "{refused}");
        let required = &refused["error"]["data"]["requiredCapabilities"];
        assert_eq!(*required, json!({capability: {}}), "{refused}");
    }
}

#[test]
fn a_cancelled_call_withdraws_its_question() {
    let mut client = serve(User::Agrees, Era::Initialize);
    let id = client.begin_call("lab_greet", &json!({}));
    let question = client.next_message();
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": id}}));
    // A late answer is ignored, and the server continues.
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}}));
    assert_eq!(client.call("lab_echo", &json!({"text": "here"})).text(), "{\"text\":\"here\"}");
}

#[test]
fn sampling_and_roots_are_requested_together() {
    let capabilities = json!({"sampling": {}, "roots": {}});
    let replies = json!({
        "capital": {"role": "assistant", "content": {"type": "text", "text": "Paris"},
            "model": "m", "stopReason": "endTurn"},
        "folders": {"roots": [{"uri": "file:///a"}, {"uri": "file:///b", "name": "B"}]},
    });

    let mut client = Client::start(lab(), &["serve", "--surface", "flat"]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    let call = json!({"name": "lab_consult", "arguments": {}, "_meta": meta});
    let first = client.request("tools/call", call.clone())["result"].take();
    let questions = &first["inputRequests"];
    assert_eq!(questions["capital"]["method"], "sampling/createMessage", "{first}");
    assert_eq!(questions["folders"]["method"], "roots/list", "{first}");
    let mut second = call;
    second["inputResponses"] = replies.clone();
    second["requestState"] = first["requestState"].clone();
    let done = client.request("tools/call", second);
    assert_eq!(done["result"]["content"][0]["text"], "Paris, 2", "{done}");

    let mut client = Client::start(lab(), &["serve", "--surface", "flat"]);
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
        "clientInfo": {"name": "tests", "version": "1"}});
    client.request("initialize", hello);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client.begin("tools/call", json!({"name": "lab_consult", "arguments": {}}));
    // They arrive together, in any order.
    for question in [client.next_message(), client.next_message()] {
        let key = match question["method"].as_str() {
            Some("sampling/createMessage") => "capital",
            Some("roots/list") => "folders",
            _ => panic!("{question}"),
        };
        client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": replies[key]}));
    }
    assert_eq!(text(&mut client), "Paris, 2");
}
