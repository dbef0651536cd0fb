//! Questions of an upstream to the user, for clients and upstreams of both eras.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Era, User};

use crate::upstreams::passing::{pairs, setup};
use crate::upstreams::scripted::{table_of, tool, write};
use crate::upstreams::{Host, SURFACES};

/// A tool with a number as its only argument.
fn asking() -> Value {
    let mut ask = tool("ask");
    ask["inputSchema"]["properties"] = json!({ "times": { "type": "integer" } });
    ask
}

fn tools() -> [Value; 3] {
    [asking(), tool("sample"), tool("offered")]
}

/// The actions with which an upstream was answered.
fn actions(host: &mut Host, times: u64) -> Vec<Value> {
    let replies = host.read("one.ask", &json!({ "times": times })).json();
    replies.as_array().unwrap().iter().map(|own| own["action"].clone()).collect()
}

#[test]
fn the_user_of_the_caller_answers() {
    for (client, upstream) in pairs() {
        let setup = setup(upstream, &tools(), "");
        for surface in SURFACES {
            let mut host = setup.serve(surface, client);
            // A client that answers in rounds cannot be asked while an older upstream waits.
            let reply = match (client, upstream) {
                (Era::Stateless, Era::Initialize) => "decline",
                _ => "accept",
            };
            let said = actions(&mut host, 2);
            assert_eq!(said, [reply, reply], "{client:?} {upstream:?} {surface}");
        }
        let mut host = setup.serve_for(User::Declines, "flat", client);
        assert_eq!(actions(&mut host, 1), ["decline"], "{client:?} {upstream:?}");
    }
}

#[test]
fn an_upstream_is_offered_what_the_caller_can_answer() {
    for (client, upstream) in pairs() {
        let setup = setup(upstream, &tools(), "");
        let mut able = setup.serve("flat", client);
        let offered = able.read("one.offered", &json!({})).json();
        assert_eq!(offered, json!({ "elicitation": {} }), "{client:?} {upstream:?}");
        let mut unable = setup.serve_for(User::Absent, "flat", client);
        let asked = unable.read("one.ask", &json!({}));
        if upstream == Era::Stateless {
            assert_eq!(unable.read("one.offered", &json!({})).json(), json!({}));
            assert_eq!(asked.code(), "UPSTREAM_ERROR", "{}", asked.0);
            assert!(asked.text().contains("asks the user"), "{}", asked.0);
        } else {
            assert_eq!(asked.json()[0]["action"], "decline", "{}", asked.0);
        }
    }
}

#[test]
fn an_operator_forbids_questions() {
    for (client, upstream) in pairs() {
        let setup = setup(upstream, &tools(), "elicitation = false");
        let mut host = setup.serve("flat", client);
        assert_eq!(host.read("one.offered", &json!({})).json(), json!({}));
        let asked = host.read("one.ask", &json!({}));
        match upstream {
            Era::Stateless => assert_eq!(asked.code(), "UPSTREAM_ERROR", "{}", asked.0),
            Era::Initialize => assert_eq!(asked.json()[0]["action"], "decline", "{}", asked.0),
        }
    }
}

#[test]
fn requests_for_a_model_are_declined_with_a_reason() {
    for (client, upstream) in pairs() {
        let setup = setup(upstream, &tools(), "");
        let mut host = setup.serve("flat", client);
        let sampled = host.read("one.sample", &json!({}));
        assert!(sampled.text().contains("model"), "{client:?} {upstream:?}: {}", sampled.0);
        assert_eq!(sampled.is_error(), upstream == Era::Stateless, "{}", sampled.0);
    }
}

#[test]
fn an_upstream_that_does_not_stop_asking_fails() {
    let setup = setup(Era::Stateless, &tools(), "");
    let mut host = setup.serve("flat", Era::Initialize);
    assert_eq!(actions(&mut host, 9).len(), 9);
    let asked = host.read("one.ask", &json!({ "times": 10 }));
    assert_eq!(asked.code(), "UPSTREAM_ERROR", "{}", asked.0);
    assert!(asked.text().contains("asked 10 times"), "{}", asked.0);
}

#[test]
fn a_relayed_question_belongs_to_its_upstream_and_confirms_nothing() {
    let setup = setup(Era::Stateless, &tools(), "");
    let file = write(setup.folder.path(), &tools());
    let two = table_of("two", Era::Stateless, &file, "effects = { ask = \"read\" }");
    let one = table_of("one", Era::Stateless, &file, "");
    std::fs::write(&setup.config, format!("{one}\n{two}")).unwrap();
    setup.approve("one");
    setup.approve("two");
    let mut host = setup.serve("flat", Era::Stateless);
    let mut call = |tool: &str, earlier: Option<(&Value, &Value)>| {
        let mut call = json!({ "name": tool, "arguments": {} });
        if let Some((state, replies)) = earlier {
            call["requestState"] = state.clone();
            call["inputResponses"] = replies.clone();
        }
        host.client.request("tools/call", call)["result"].clone()
    };
    let asked = call("two_ask", None);
    let questions = asked["inputRequests"].as_object().unwrap();
    let (key, question) = questions.iter().next().unwrap();
    assert_ne!(key, "toolwrit/confirm", "{asked}");
    assert_eq!(question["params"]["message"], "two asks: Who\\u{200b}?", "{asked}");
    let accept = json!({ "action": "accept", "content": { "name": "Ada" } });
    let replies = json!({ key: accept });
    let state = &asked["requestState"];
    assert!(call("one_ask", Some((state, &replies))).is_null(), "a state of another operation");
    let done = call("two_ask", Some((state, &replies)));
    let text = done["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{done}"));
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), json!([accept]));

    // The operation `one.ask` may destroy: the engine asks first, then the upstream does.
    let confirm = call("one_ask", None);
    assert!(confirm["inputRequests"].get("toolwrit/confirm").is_some(), "{confirm}");
    let confirmed = json!({ "toolwrit/confirm": { "action": "accept", "content": {} } });
    let asked = call("one_ask", Some((&confirm["requestState"], &confirmed)));
    assert!(asked["inputRequests"].get(key).is_some(), "{asked}");
    let done = call("one_ask", Some((&asked["requestState"], &replies)));
    assert!(done["content"][0]["text"].as_str().unwrap().contains("Ada"), "{done}");
}
