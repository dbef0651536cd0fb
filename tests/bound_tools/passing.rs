//! What passes through besides calls: questions to the user, resources and prompts, for clients and servers of both eras.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::waiting::until;

use crate::bound_tools::{MANIFEST, home, library, serve};

const FLAT: [&str; 2] = ["--surface", "flat"];

/// The eras of a client and of the server, which is told its own by the variable.
fn pairs() -> impl Iterator<Item = (Era, &'static str)> {
    Era::ALL.into_iter().flat_map(|era| ["", "stateless"].map(|server| (era, server)))
}

fn list(client: &mut Client, method: &str, key: &str) -> Vec<Value> {
    let answer = client.request(method, json!({}));
    answer["result"][key].as_array().cloned().unwrap_or_default()
}

#[test]
fn the_user_of_the_caller_answers() {
    for (era, server) in pairs() {
        let home = home(server);
        let (mut client, _errors) = serve(library(), &home, &FLAT, era);
        let reply: Value =
            serde_json::from_str(client.call("books_ask", &json!({})).text()).unwrap();
        // A client that answers in rounds cannot be asked while an older server waits.
        let is_asked = era == Era::Initialize || server == "stateless";
        let action = if is_asked { "accept" } else { "decline" };
        assert_eq!(reply["action"], action, "{era:?} {server:?}: {reply}");
    }
}

#[test]
fn an_operator_forbids_questions() {
    let home = home("");
    let config = home.path().join("config.toml");
    let settings = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{settings}elicitation = false\n")).unwrap();
    let (mut client, _errors) = serve(library(), &home, &FLAT, Era::Initialize);
    let reply = client.call("books_ask", &json!({}));
    assert!(reply.text().contains("decline"), "{}", reply.0);
}

#[test]
fn resources_and_prompts_pass_to_a_category_that_the_provider_may_extend() {
    for (era, server) in pairs() {
        let home = home(server);
        let (mut client, _errors) = serve(library(), &home, &FLAT, era);
        until("the prompts", || !list(&mut client, "prompts/list", "prompts").is_empty());
        until("the resources", || !list(&mut client, "resources/list", "resources").is_empty());
        let resources = list(&mut client, "resources/list", "resources");
        assert_eq!(resources[0]["uri"], "shelf://top", "{resources:?}");
        let read = client.request("resources/read", json!({ "uri": "shelf://top" }));
        assert_eq!(read["result"]["contents"][0]["text"], "Tides\\u{200b}", "{read}");
        let got = client.request("prompts/get", json!({ "name": "shelf_advise" }));
        let said = &got["result"]["messages"][0]["content"]["text"];
        assert_eq!(said, "Advise a book.", "{era:?} {server:?}: {got}");
    }
}

#[test]
fn subscribers_learn_that_a_resource_has_changed() {
    for (era, server) in pairs() {
        let home = home(server);
        let (mut client, _errors) = serve(library(), &home, &FLAT, era);
        until("the list", || !list(&mut client, "resources/list", "resources").is_empty());
        let uri = "shelf://top";
        match era {
            Era::Initialize => drop(client.request("resources/subscribe", json!({ "uri": uri }))),
            Era::Stateless => {
                let wanted = json!({ "notifications": { "resourceSubscriptions": [uri] } });
                client.begin("subscriptions/listen", wanted);
            }
        }
        let is_update = |own: &Value| {
            own["method"] == "notifications/resources/updated" && own["params"]["uri"] == uri
        };
        until("the update", || {
            client.call("books_lend", &json!({ "title": "Tides" }));
            client.notifications.iter().any(is_update)
        });
    }
}

#[test]
fn without_such_a_category_they_do_not_pass() {
    let home = home("");
    let manifest = home.path().join("library.yaml");
    let text = fs::read_to_string(MANIFEST).unwrap();
    fs::write(&manifest, text.replace(", providers: { shelf: read }", "")).unwrap();
    let lock = Path::new(MANIFEST).with_file_name("shelf.lock.yaml");
    fs::copy(lock, home.path().join("shelf.lock.yaml")).unwrap();
    let flags = [&["--manifest", manifest.to_str().unwrap()], &FLAT[..]].concat();
    let shop = Path::new(env!("CARGO_BIN_EXE_shop"));
    let (mut client, _errors) = serve(shop, &home, &flags, Era::Initialize);
    assert!(!client.call("books_count", &json!({})).is_error());
    for method in ["resources/list", "prompts/list"] {
        assert_eq!(client.request(method, json!({}))["error"]["code"], -32601, "{method}");
    }
}
