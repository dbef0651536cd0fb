//! Questions since 2026-07-28: the call ends with them, and the client repeats it with the answers and the
//! sealed state.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era, User};

use super::{count, serve};

fn client() -> Client {
    serve(User::Agrees, Era::Stateless)
}

/// A call of `lab_scrap`, with the answers and the state of the previous round.
fn scrap(client: &mut Client, what: &str, replies: &Value, state: &Value) -> Value {
    let mut call = json!({"name": "lab_scrap", "arguments": {"what": what, "ask": true}});
    if !replies.is_null() {
        call["inputResponses"] = replies.clone();
    }
    if !state.is_null() {
        call["requestState"] = state.clone();
    }
    client.request("tools/call", call)
}

/// The state of a round that ended with this question.
fn state(answer: &Value, key: &str) -> Value {
    let result = &answer["result"];
    assert_eq!(result["resultType"], "input_required", "{answer}");
    let questions = result["inputRequests"].as_object().unwrap();
    assert_eq!(questions.keys().collect::<Vec<_>>(), [key], "{answer}");
    assert_eq!(questions[key]["method"], "elicitation/create");
    result["requestState"].clone()
}

const CONFIRM: &str = "toolwrit/confirm";

fn accept(key: &str) -> Value {
    json!({ key: {"action": "accept", "content": {}} })
}

#[test]
fn a_confirmation_and_a_handlers_question_take_two_rounds() {
    let mut client = client();
    let none = Value::Null;
    let first = state(&scrap(&mut client, "it", &none, &none), CONFIRM);
    let second = state(&scrap(&mut client, "it", &accept(CONFIRM), &first), "why");
    assert_eq!(count(&mut client), 0);
    let done = scrap(&mut client, "it", &accept("why"), &second);
    assert_eq!(done["result"]["structuredContent"]["result"], 1, "{done}");

    // The last round is not confirmed a second time.
    let again = scrap(&mut client, "it", &accept("why"), &second);
    assert_eq!(again["result"]["structuredContent"]["error"]["code"], "CONFIRMATION_REQUIRED");
    assert_eq!(count(&mut client), 1);
}

#[test]
fn a_confirmation_without_its_state_is_ignored() {
    let mut client = client();
    state(&scrap(&mut client, "it", &accept(CONFIRM), &Value::Null), CONFIRM);
    let mut both = accept(CONFIRM);
    both["why"] = json!({"action": "accept"});
    state(&scrap(&mut client, "it", &both, &Value::Null), CONFIRM);
    // A state does not contain a confirmation that was never given.
    let asked = state(&scrap(&mut client, "it", &both, &Value::Null), CONFIRM);
    state(&scrap(&mut client, "it", &Value::Null, &asked), CONFIRM);
    assert_eq!(count(&mut client), 0);
}

#[test]
fn an_altered_or_foreign_state_is_refused() {
    let mut client = client();
    let first = state(&scrap(&mut client, "it", &Value::Null, &Value::Null), CONFIRM);
    let text = first.as_str().unwrap();
    let mut flipped = text.to_owned().into_bytes();
    let middle = flipped.len() / 2;
    flipped[middle] = if flipped[middle] == b'A' { b'B' } else { b'A' };
    let altered = [
        format!("{text}-TAMPERED"),
        text[1..].to_owned(),
        String::from_utf8(flipped).unwrap(),
        String::new(),
        "x".repeat(100_000),
    ];
    for state in altered {
        let refused = scrap(&mut client, "it", &accept(CONFIRM), &state.into());
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    let other = scrap(&mut client, "something else", &accept(CONFIRM), &first);
    assert_eq!(other["error"]["code"], -32602, "{other}");
    // Another server has another key.
    let mut elsewhere = self::client();
    let refused = scrap(&mut elsewhere, "it", &accept(CONFIRM), &first);
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert_eq!(count(&mut client), 0);
    // The state is still valid for its own call.
    state(&scrap(&mut client, "it", &accept(CONFIRM), &first), "why");
}

#[test]
fn invalid_answers_are_requested_again() {
    let mut client = client();
    for replies in [
        json!({"name": 12345}),
        json!({"name": {"action": "perhaps"}}),
        json!({"name": {"action": "accept", "content": {"name": 3}}}),
        json!({"another": {"action": "accept", "content": {"name": "Ada"}}}),
        json!({}),
    ] {
        let call = json!({"name": "lab_greet", "arguments": {}, "inputResponses": replies});
        let answer = client.request("tools/call", call);
        assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    }
}
