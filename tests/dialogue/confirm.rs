//! Operations with `confirm`.

use serde_json::json;
use toolwrit_tests::drivers::client::{CallResult, Client, Era, User};

use super::{count, lab, serve};

const SCRAP: &str = "lab_scrap";

/// The confirmation token of a refused call.
fn confirmation_token(refused: &CallResult) -> String {
    let error = refused.error();
    assert_eq!(error["code"], "CONFIRMATION_REQUIRED", "{error}");
    assert_eq!(error["path"], "/confirm", "{error}");
    assert!(error["hint"].as_str().unwrap().contains("\"confirm\": "), "{error}");
    error["expected"].as_str().unwrap().to_owned()
}

#[test]
fn the_user_is_asked_in_both_eras() {
    for era in Era::ALL {
        let mut client = serve(User::Agrees, era);
        assert_eq!(client.call(SCRAP, &json!({"what": "it"})).ok()["result"], 1, "{era:?}");
        let mut client = serve(User::Declines, era);
        let refused = client.call(SCRAP, &json!({"what": "it"}));
        assert_eq!(refused.code(), "CANCELLED", "{era:?}");
        assert_eq!(count(&mut client), 0, "{era:?}");
    }
}

#[test]
fn the_question_shows_the_call_without_sensitive_values() {
    let mut client = serve(User::Agrees, Era::Initialize);
    client.begin_call(SCRAP, &json!({"what": "it", "secret": "hunter2"}));
    let question = client.next_message();
    assert_eq!(question["method"], "elicitation/create");
    let message = question["params"]["message"].as_str().unwrap();
    assert!(message.contains("Count once more, after a yes."), "{message}");
    assert!(message.contains(r#"lab.scrap {"what":"it","secret":"[redacted]""#), "{message}");
}

#[test]
fn clients_without_elicitation_confirm_with_a_token() {
    for era in Era::ALL {
        let mut client = serve(User::Absent, era);
        let refused = client.call(SCRAP, &json!({"what": "it"}));
        let token = confirmation_token(&refused);
        // The example in the refusal is the call to send.
        let example = refused.error()["example"].take();
        let spelt_out = json!({"what": "it", "ask": false, "dry_run": false, "confirm": token});
        assert_eq!(example, spelt_out);
        assert_eq!(count(&mut client), 0);
        assert_eq!(client.call(SCRAP, &example).ok()["result"], 1);
        assert_eq!(count(&mut client), 1);
    }
}

#[test]
fn a_confirmation_token_is_valid_once_for_one_call() {
    let mut client = serve(User::Absent, Era::Initialize);
    let first = confirmation_token(&client.call(SCRAP, &json!({"what": "it"})));
    let other = json!({"what": "something else", "confirm": first});
    let second = confirmation_token(&client.call(SCRAP, &other));
    assert_ne!(first, second);
    for made_up in ["", "yes", "true", "00000000000000000000"] {
        confirmation_token(&client.call(SCRAP, &json!({"what": "it", "confirm": made_up})));
    }
    assert_eq!(
        client.call(SCRAP, &json!({"what": "it", "confirm": true})).code(),
        "VALIDATION_ERROR"
    );
    assert_eq!(count(&mut client), 0);
    let it = json!({"what": "it", "confirm": first});
    assert_eq!(client.call(SCRAP, &it).ok()["result"], 1);
    confirmation_token(&client.call(SCRAP, &it));
    assert_eq!(
        client.call(SCRAP, &json!({"what": "something else", "confirm": second})).ok()["result"],
        2
    );
    // An alias is the same operation, so a confirmation token is valid for it, too.
    let third = confirmation_token(&client.call("lab_dispose", &json!({"what": "it"})));
    assert_eq!(client.call(SCRAP, &json!({"what": "it", "confirm": third})).ok()["result"], 3);
}

#[test]
fn a_dry_run_needs_no_confirmation() {
    let mut client = serve(User::Absent, Era::Initialize);
    assert_eq!(client.call(SCRAP, &json!({"what": "it", "dry_run": true})).ok()["result"], 0);
    confirmation_token(&client.call(SCRAP, &json!({"what": "it", "dry_run": false})));
}

#[test]
fn every_surface_asks_for_confirmation() {
    for (surface, tool, call) in [
        ("meta", "execute_delete", json!({"tool": "lab.scrap", "args": {"what": "it"}})),
        ("dispatch", "lab_delete", json!({"operation": "scrap", "params": {"what": "it"}})),
    ] {
        let arguments = ["serve", "--surface", surface];
        for era in Era::ALL {
            let mut client = Client::connect_for(User::Agrees, lab(), &arguments, era);
            assert_eq!(client.call(tool, &call).text(), "1", "{surface}");
            let mut client = Client::connect_for(User::Absent, lab(), &arguments, era);
            let token = confirmation_token(&client.call(tool, &call));
            let inner = if surface == "meta" { "args" } else { "params" };
            let mut call = call.clone();
            call[inner]["confirm"] = token.into();
            assert_eq!(client.call(tool, &call).text(), "1", "{surface}");
        }
    }
}

#[test]
fn a_call_with_a_key_is_confirmed_and_done_once() {
    let mut client = serve(User::Absent, Era::Initialize);
    let mut keyed = |arguments: serde_json::Value| {
        let meta = json!({"toolwrit/idempotencyKey": "k"});
        let call = json!({"name": SCRAP, "arguments": arguments, "_meta": meta});
        let answer = client.request("tools/call", call);
        CallResult(answer["result"].clone())
    };
    let token = confirmation_token(&keyed(json!({"what": "it"})));
    let confirmed = json!({"what": "it", "confirm": token});
    assert_eq!(keyed(confirmed.clone()).ok()["result"], 1);
    // The confirmation token is used, but the key still returns the answer.
    assert_eq!(keyed(confirmed).ok()["result"], 1);
    assert_eq!(keyed(json!({"what": "it"})).ok()["result"], 1);
    assert_eq!(count(&mut client), 1);
}

/// Neither its dry run nor its question begins a call.
#[test]
fn a_call_with_a_key_that_is_cancelled_while_it_asks_frees_its_key() {
    let mut client = serve(User::Agrees, Era::Initialize);
    let begin = |client: &mut Client| {
        let meta = json!({"toolwrit/idempotencyKey": "k"});
        let arguments = json!({"json": "it"});
        let call = json!({"name": "lab_clash", "arguments": arguments, "_meta": meta});
        client.begin("tools/call", call)
    };
    let first = begin(&mut client);
    assert_eq!(client.next_message()["method"], "elicitation/create");
    client.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": first},
    }));
    // The key is in use until the first call has ended.
    let last = (0..10_000).find_map(|_| {
        let id = begin(&mut client);
        let result = CallResult(client.finish(id)["result"].clone());
        (!result.is_error() || result.code() != "CONFLICT").then_some(result)
    });
    let last = last.expect("the key is free again");
    assert!(!last.is_error(), "{:?}", last.error());
}

#[test]
fn invalid_calls_are_refused_before_the_user_is_asked() {
    let arguments = ["serve", "--surface", "flat", "--read-only"];
    let mut client = Client::connect_for(User::Absent, lab(), &arguments, Era::Initialize);
    assert_eq!(client.call(SCRAP, &json!({"what": "it"})).code(), "WRITES_DISABLED");
    let mut client = serve(User::Absent, Era::Initialize);
    assert_eq!(client.call(SCRAP, &json!({"waht": "it"})).code(), "VALIDATION_ERROR");
}
