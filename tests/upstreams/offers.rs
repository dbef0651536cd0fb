//! Resources and prompts of an upstream, for clients and upstreams of both eras.

use std::fs;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::waiting::{found, until};

use crate::upstreams::passing::pairs;
use crate::upstreams::scripted::{OFFERS, table_of, tool, write};
use crate::upstreams::{Host, Setup};

fn offers() -> Value {
    json!({
        "resources": [
            { "uri": "test://one", "name": "one", "title": "One", "description": "The first\u{200b}.",
              "mimeType": "text/plain" },
            { "uri": "test://hid\u{200b}den", "name": "hidden" },
            { "uri": "test://{all}", "name": "pretends to be a template" },
        ],
        "resourceTemplates": [
            { "uriTemplate": "{+all}", "name": "everything" },
            { "uriTemplate": "{scheme}:rest", "name": "every scheme" },
            { "uriTemplate": "file://{+path}", "name": "files" },
        ],
        "prompts": [
            { "name": "greet", "description": "Greets.",
              "arguments": [{ "name": "who", "description": "Whom.", "required": true }] },
        ],
    })
}

fn setup(upstream: Era, more: &str) -> Setup {
    let setup = Setup::new("");
    fs::write(setup.folder.path().join(OFFERS), offers().to_string()).unwrap();
    let file = write(setup.folder.path(), &[tool("change"), tool("update"), tool("pid")]);
    let more =
        format!("effects = {{ change = \"read\", update = \"read\", pid = \"read\" }}\n{more}");
    fs::write(&setup.config, table_of("one", upstream, &file, &more)).unwrap();
    setup
}

fn list(host: &mut Host, method: &str, key: &str) -> Vec<Value> {
    let answer = host.client.request(method, json!({}));
    answer["result"][key].as_array().cloned().unwrap_or_default()
}

/// Waits until the upstream has listed what it offers.
fn listed(host: &mut Host) -> Value {
    let mut listed = |method, key| {
        found(method, || Some(list(host, method, key)).filter(|listed| !listed.is_empty()))
    };
    json!({
        "resources": listed("resources/list", "resources"),
        "templates": listed("resources/templates/list", "resourceTemplates"),
        "prompts": listed("prompts/list", "prompts"),
    })
}

#[test]
fn resources_and_prompts_are_listed_and_read() {
    for (client, upstream) in pairs() {
        let setup = setup(upstream, "");
        setup.approve("one");
        let mut host = setup.serve("meta", client);
        let shown = listed(&mut host);
        assert_eq!(
            shown["resources"],
            json!([{ "uri": "test://one", "name": "one_one", "title": "One", "mimeType": "text/plain",
                     "description": "The first\\u{200b}." }]),
            "{client:?} {upstream:?}"
        );
        assert_eq!(shown["templates"][0]["uriTemplate"], "file://{+path}", "{shown}");
        assert_eq!(shown["prompts"][0]["name"], "one_greet", "{shown}");
        let argument = json!([{ "name": "who", "description": "Whom.", "required": true }]);
        assert_eq!(shown["prompts"][0]["arguments"], argument);
        for uri in ["test://one", "file:///a/b.txt"] {
            let read = host.client.request("resources/read", json!({ "uri": uri }));
            let text = format!("contents of {uri}\\u{{200b}}");
            let meta = json!({ "x": 1 });
            let first =
                json!({ "uri": uri, "mimeType": "text/plain", "text": text, "_meta": meta });
            assert_eq!(read["result"]["contents"][0], first, "{client:?} {upstream:?}: {read}");
            assert_eq!(read["result"]["contents"][1]["blob"], "AA==", "{read}");
        }
        for uri in ["test://hid\u{200b}den", "test://x", "other://x"] {
            let read = host.client.request("resources/read", json!({ "uri": uri }));
            assert_eq!(read["error"]["data"]["error"]["code"], "NOT_FOUND", "{read}");
        }
        let get = json!({ "name": "one_greet", "arguments": { "who": "Ada" } });
        let got = host.client.request("prompts/get", get);
        assert_eq!(got["result"]["description"], "Greets.", "{got}");
        let text = got["result"]["messages"][0]["content"]["text"].as_str().unwrap();
        assert_eq!(text, r#"["greet",{"who":"Ada"}]"#);
    }
}

#[test]
fn the_lists_of_an_upstream_that_starts_are_not_cached() {
    let setup = setup(Era::Initialize, "");
    setup.approve("one");
    let mut ready = setup.serve("flat", Era::Stateless);
    listed(&mut ready);
    let ttl = |host: &mut Host, method: &str| {
        host.client.request(method, json!({}))["result"]["ttlMs"].clone()
    };
    until("the end of the start", || ttl(&mut ready, "resources/list") == 60_000);
    // The next one never reads its tools.
    let tools = setup.folder.path().join("tools.json");
    fs::remove_file(&tools).unwrap();
    nix::unistd::mkfifo(&tools, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let mut starting = setup.serve("flat", Era::Stateless);
    for method in ["resources/list", "resources/templates/list", "prompts/list"] {
        assert_eq!(ttl(&mut starting, method), 0, "{method}");
    }
}

#[test]
fn arguments_are_completed_by_the_upstream() {
    for (client, upstream) in pairs() {
        let setup = setup(upstream, "");
        setup.approve("one");
        let mut host = setup.serve("flat", client);
        listed(&mut host);
        for (of, own) in [
            (
                json!({ "type": "ref/prompt", "name": "one_greet" }),
                json!({ "type": "ref/prompt", "name": "greet" }),
            ),
            (
                json!({ "type": "ref/resource", "uri": "file://{+path}" }),
                json!({ "type": "ref/resource", "uri": "file://{+path}" }),
            ),
        ] {
            let argument = json!({ "name": "who", "value": "A" });
            let context = json!({ "arguments": { "other": "B" } });
            let wanted = json!({ "ref": of, "argument": argument, "context": context });
            let answer = host.client.request("completion/complete", wanted);
            let values = answer["result"]["completion"]["values"].as_array();
            let values = values.unwrap_or_else(|| panic!("{client:?} {upstream:?}: {answer}"));
            assert_eq!(values.len(), 1, "{values:?}");
            let seen: Value = serde_json::from_str(values[0].as_str().unwrap()).unwrap();
            assert_eq!(seen, json!([own, argument, context]));
        }
    }
}

#[test]
fn nothing_is_offered_before_the_upstream_is_approved() {
    let setup = setup(Era::Initialize, "");
    let mut host = setup.serve("flat", Era::Initialize);
    assert_eq!(host.client.request("resources/list", json!({}))["error"]["code"], -32601);
    setup.approve("one");
    listed(&mut host);
}

#[test]
fn an_operator_keeps_them_back() {
    let setup = setup(Era::Initialize, "resources = false\nprompts = false");
    setup.approve("one");
    let mut host = setup.serve("flat", Era::Initialize);
    assert!(!host.read("one.change", &json!({})).is_error());
    for method in ["resources/list", "prompts/list"] {
        assert_eq!(host.client.request(method, json!({}))["error"]["code"], -32601, "{method}");
    }
}

#[test]
fn clients_learn_that_a_list_has_changed() {
    for upstream in Era::ALL {
        let setup = setup(upstream, "");
        setup.approve("one");
        let mut host = setup.serve("flat", Era::Initialize);
        listed(&mut host);
        let mut more = offers();
        let two = json!({ "uri": "test://two", "name": "two" });
        more["resources"].as_array_mut().unwrap().push(two);
        fs::write(setup.folder.path().join(OFFERS), more.to_string()).unwrap();
        assert!(!host.read("one.change", &json!({})).is_error());
        let told = |own: &Value| own["method"] == "notifications/resources/list_changed";
        until("the change", || list(&mut host, "resources/list", "resources").len() == 2);
        until("the news", || {
            list(&mut host, "resources/list", "resources");
            host.client.notifications.iter().any(told)
        });
    }
}

/// The URIs of the updates that a client has received.
fn updated(host: &Host) -> Vec<&str> {
    let news = host.client.notifications.iter();
    let news = news.filter(|own| own["method"] == "notifications/resources/updated");
    news.map(|own| own["params"]["uri"].as_str().unwrap()).collect()
}

/// Lets the upstream say that the subscribed resources have changed. Returns their URIs.
fn update(host: &mut Host) -> Value {
    host.read("one.update", &json!({})).json()
}

#[test]
fn clients_learn_that_a_resource_has_changed() {
    for (client, upstream) in pairs() {
        let setup = setup(upstream, "");
        setup.approve("one");
        let mut host = setup.serve("flat", client);
        listed(&mut host);
        assert_eq!(update(&mut host), json!([]), "{client:?} {upstream:?}");
        let uris = ["test://one", "file:///a/b.txt"];
        let listening = match client {
            Era::Initialize => {
                for uri in uris {
                    host.client.request("resources/subscribe", json!({ "uri": uri }));
                }
                None
            }
            Era::Stateless => {
                let wish = json!({ "notifications": { "resourceSubscriptions": uris } });
                Some(host.client.begin("subscriptions/listen", wish))
            }
        };
        until("the subscription", || update(&mut host).as_array().unwrap().len() == 2);
        until("the updates", || {
            update(&mut host);
            uris.iter().all(|uri| updated(&host).contains(uri))
        });
        assert!(!updated(&host).contains(&"test://other"), "nobody has subscribed to it");
        match listening {
            None => {
                for uri in uris {
                    host.client.request("resources/unsubscribe", json!({ "uri": uri }));
                }
            }
            Some(id) => host.client.send(&json!({
                "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
            })),
        }
        until("the end", || update(&mut host) == json!([]));
    }
}

#[test]
fn subscriptions_outlive_the_program_of_an_upstream() {
    for upstream in Era::ALL {
        let setup = setup(upstream, "");
        setup.approve("one");
        let mut host = setup.serve("flat", Era::Initialize);
        listed(&mut host);
        let subscribed = |host: &mut Host| update(host) == json!(["test://one"]);
        host.client.request("resources/subscribe", json!({ "uri": "test://one" }));
        until("the subscription", || subscribed(&mut host));
        let first = host.read("one.pid", &json!({})).text().to_owned();
        setup.done(&["upstream", "restart", "one"]);
        until("the restart", || {
            let next = host.read("one.pid", &json!({}));
            !next.is_error() && next.text() != first
        });
        host.client.notifications.clear();
        until("the next subscription", || subscribed(&mut host));
        until("the update", || {
            update(&mut host);
            updated(&host).contains(&"test://one")
        });
    }
}

#[test]
fn what_two_upstreams_offer_by_the_same_name_is_offered_by_none() {
    let setup = setup(Era::Initialize, "");
    let own = fs::read_to_string(&setup.config).unwrap();
    let other = own.replace("[upstreams.one]", "[upstreams.two]");
    fs::write(&setup.config, format!("{own}\n{other}")).unwrap();
    setup.approve("one");
    setup.approve("two");
    let mut host = setup.serve("flat", Era::Initialize);
    until("the lists", || list(&mut host, "prompts/list", "prompts").len() == 2);
    until("the conflict", || {
        let read = host.client.request("resources/read", json!({ "uri": "test://one" }));
        let is_listed = !list(&mut host, "resources/list", "resources").is_empty();
        !is_listed && read["error"]["data"]["error"]["code"] == "NOT_FOUND"
    });
}

#[test]
fn the_audit_and_the_limits_hold_for_them() {
    let setup = setup(Era::Initialize, "");
    setup.approve("one");
    let mut host = setup.serve_with("flat", Era::Initialize, &["--session-calls", "2"]);
    listed(&mut host);
    let mut read = || host.client.request("resources/read", json!({ "uri": "test://one" }));
    assert!(read()["result"].is_object() && read()["result"].is_object());
    assert_eq!(read()["error"]["data"]["error"]["code"], "LIMIT_EXCEEDED");
    host.client.close();
    let audit =
        setup.done(&["audit", "--json", "--data-dir", setup.folder.path().to_str().unwrap()]);
    assert_eq!(audit.matches("\"name\":\"one.resources/read\"").count(), 3, "{audit}");
}
