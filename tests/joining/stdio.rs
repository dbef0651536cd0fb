//! One client, on each surface in both protocol revisions.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::waiting::until;

use super::{Host, SURFACES};

#[test]
fn an_operation_joins_and_leaves_on_every_surface() {
    for (surface, era) in SURFACES.into_iter().flat_map(|s| Era::ALL.map(|era| (s, era))) {
        let mut host = Host::start(surface, &[], era);
        assert!(!host.lists("rex"), "{surface}");
        let early = host.run("plugin.kennel:rex", "read", json!({"text": "?"}));
        assert_eq!(early.code(), "TOOL_NOT_FOUND", "{surface}");

        host.install(&["ace", "rex"], "read");
        assert!(host.lists("rex"), "{surface}");
        let said = host.run("plugin.kennel:rex", "read", json!({"text": "woof"}));
        assert_eq!(said.text(), "plugin.kennel:rex: woof", "{surface}");

        // The other operation's position is now free, and then that of a third one.
        host.remove(&["ace"]);
        assert!(host.lists("rex") && !host.lists("ace"), "{surface}");
        host.install(&["bob"], "read");
        for name in ["rex", "bob"] {
            let said = host.run(&format!("plugin.kennel:{name}"), "read", json!({"text": "!"}));
            assert_eq!(said.text(), format!("plugin.kennel:{name}: !"), "{surface}");
        }

        host.remove(&["rex"]);
        assert!(!host.lists("rex"), "{surface}");
        let late = host.run("plugin.kennel:rex", "read", json!({"text": "?"}));
        assert_eq!(late.code(), "TOOL_NOT_FOUND", "{surface}");
    }
}

#[test]
fn a_joined_operation_is_described_and_its_arguments_are_checked() {
    let mut host = Host::start("meta", &[], Era::Initialize);
    host.install(&["rex"], "write");
    let described =
        host.client.call("describe_tools", &json!({"tools": ["plugin.kennel:rex"]})).ok();
    let card = &described["tools"][0];
    assert_eq!(card["id"], "plugin.kennel:rex");
    assert_eq!(
        card["signature"],
        "plugin.kennel:rex(text: string, wait?: boolean, tone?: soft|loud, times?: integer, to?: string[]) -> text"
    );
    assert_eq!(card["summary"], "Say something as the plugin rex.");
    assert_eq!(card["effect"], "write");
    assert_eq!(card["tool"], "execute_write");
    assert_eq!(card["parameters"]["properties"]["text"]["maxLength"], 100);
    assert_eq!(card["examples"], json!([{"args": {"text": "woof"}}]));

    let wrong = host.run("plugin.kennel:rex", "write", json!({"text": 7})).error();
    assert_eq!(wrong["code"], "VALIDATION_ERROR");
    assert_eq!(wrong["path"], "/text");
    assert_eq!(wrong["operation"], "plugin.kennel:rex");
    assert_eq!(wrong["signature"], card["signature"]);
    assert_eq!(wrong["example"], json!({"text": "woof"}));
    assert_eq!(wrong["expected"], "string of at most 100 characters");
    let wrong_tool = host.run("plugin.kennel:rex", "read", json!({"text": ""})).error();
    assert_eq!(wrong_tool["did_you_mean"], json!(["execute_write"]));
}

/// The faults of a dynamic operation's own schema say as much as those of the manifest's fields.
#[test]
fn wrong_arguments_of_a_joined_operation_can_be_repaired() {
    let mut host = Host::start("flat", &[], Era::Initialize);
    let mut fault = |arguments: Value| host.run("plugin.kennel:old", "read", arguments).error();
    let cases = [
        (json!({"txet": "a"}), "/txet", "text, wait, tone, times, to", json!(["text"])),
        (json!({}), "/text", "string of at most 100 characters", Value::Null),
        (json!({"text": "a", "tone": "lound"}), "/tone", "soft|loud", json!(["loud"])),
        (json!({"text": "a", "times": 9}), "/times", "integer from 1 to 5", Value::Null),
        (json!({"text": "a", "to": ["b", 3]}), "/to/1", "string", Value::Null),
        (json!({"text": "a", "wait": null}), "/wait", "boolean", Value::Null),
    ];
    for (arguments, path, expected, close) in cases {
        let fault = fault(arguments.clone());
        assert_eq!(fault["code"], "VALIDATION_ERROR", "{arguments}");
        assert_eq!((&fault["path"], &fault["expected"]), (&path.into(), &expected.into()));
        assert_eq!(fault["did_you_mean"], close, "{arguments}");
        assert_eq!(fault["example"], json!({"text": "woof"}));
    }
    let wrapped = json!({"text": "a", "to": "[\"b\", \"c\"]"});
    assert_eq!(host.run("plugin.kennel:old", "read", wrapped).code(), "ok", "a list as text");
}

#[test]
fn a_schema_may_refer_to_itself() {
    let mut host = Host::start("flat", &[], Era::Initialize);
    host.install(&["relay"], "read");
    let relay = json!({"text": "a", "next": {"text": "b", "next": {"text": "c"}}});
    assert_eq!(host.run("plugin.kennel:relay", "read", relay).text(), "plugin.kennel:relay: a");
    let wrong = json!({"text": "a", "next": {"text": "b", "next": {"text": 3}}});
    let fault = host.run("plugin.kennel:relay", "read", wrong).error();
    assert_eq!(
        (&fault["code"], &fault["path"]),
        (&"VALIDATION_ERROR".into(), &"/next/next/text".into())
    );
    let mut deep = json!({"text": "z"});
    for _ in 0..60 {
        deep = json!({"text": "y", "next": deep});
    }
    assert_eq!(host.run("plugin.kennel:relay", "read", deep).code(), "ok");
}

#[test]
fn operations_that_cannot_join_are_refused_and_the_others_join() {
    let mut host = Host::start("flat", &[], Era::Initialize);
    host.install(&["rex", "two words"], "read");
    assert!(host.lists("rex") && !host.lists("two_words"));
    // Both would have the same tool name, so the later one gets another.
    host.install(&["a.b", "a:b"], "read");
    let named = |tool: &Value| tool["name"].as_str().unwrap().starts_with("plugin_kennel_a_b");
    assert_eq!(host.client.tools().into_iter().filter(named).count(), 2);
}

#[test]
fn an_operation_can_be_called_without_its_category() {
    for surface in SURFACES {
        let mut host = Host::start(surface, &[], Era::Initialize);
        let said = host.client.call("kennel:old", &json!({"text": "woof"}));
        assert_eq!(said.text(), "plugin.kennel:old: woof", "{surface}");
    }
}

#[test]
fn a_running_call_completes_when_its_operation_leaves() {
    for surface in SURFACES {
        let mut host = Host::start(surface, &[], Era::Initialize);
        host.install(&["rex"], "read");
        let at_work = host.begin("plugin.kennel:rex", "read", json!({"text": "yes", "wait": true}));
        until("the call", || host.run("host.waiting", "read", json!({})).text() == "1");
        host.remove(&["rex"]);
        let new = host.run("plugin.kennel:rex", "read", json!({"text": "no"}));
        assert_eq!(new.code(), "TOOL_NOT_FOUND", "{surface}");
        host.run("host.release", "write", json!({}));
        assert_eq!(host.client.finish_call(at_work).text(), "plugin.kennel:rex: yes", "{surface}");
    }
}

/// Reads messages until this notification arrives.
fn wait_for_notification(host: &mut Host, method: &str) -> Value {
    loop {
        let known = host.client.notifications.iter().position(|heard| heard["method"] == method);
        if let Some(at) = known {
            return host.client.notifications.remove(at);
        }
        let message = host.client.next_message();
        assert!(message.get("id").is_none(), "an answer to nothing: {message}");
        host.client.notifications.push(message);
    }
}

const TOOLS_CHANGED: &str = "notifications/tools/list_changed";

#[test]
fn session_clients_get_list_changed() {
    for surface in ["flat", "dispatch"] {
        let mut host = Host::start(surface, &[], Era::Initialize);
        host.install(&["rex"], "read");
        wait_for_notification(&mut host, TOOLS_CHANGED);
        assert!(host.lists("rex"), "{surface}");
        host.remove(&["rex"]);
        wait_for_notification(&mut host, TOOLS_CHANGED);
        assert!(!host.lists("rex"), "{surface}");
    }
}

/// The engine learns of the change from the provider, not from a request.
#[test]
fn a_change_that_a_provider_reports_is_followed() {
    let mut host = Host::start("flat", &[], Era::Initialize);
    let install = json!({"names": ["rex"], "effect": "read", "silently": true});
    assert_eq!(host.run("host.install", "write", install).text(), "installed");
    // Other changes may come before it.
    loop {
        wait_for_notification(&mut host, TOOLS_CHANGED);
        if host.lists("rex") {
            break;
        }
    }
}

#[test]
fn listening_clients_get_list_changed() {
    let mut host = Host::start("flat", &[], Era::Stateless);
    let wish = json!({"notifications": {"toolsListChanged": true}});
    let listening = host.client.begin("subscriptions/listen", wish);
    let granted = wait_for_notification(&mut host, "notifications/subscriptions/acknowledged");
    assert_eq!(granted["params"]["notifications"]["toolsListChanged"], true, "{granted}");
    host.install(&["rex"], "read");
    let told = wait_for_notification(&mut host, TOOLS_CHANGED);
    let of = &told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!(of.to_string().trim_matches('"'), listening.to_string(), "{told}");
}

#[test]
fn an_unchanged_list_sends_no_notification() {
    // The operations behind meta's tools change, but not the tools; and this role sees no plugin.
    for (surface, role) in [("meta", "owner"), ("flat", "host")] {
        let mut host = Host::start(surface, &["--role", role], Era::Initialize);
        let before = host.client.tools();
        host.install(&["rex", "ace"], "read");
        host.remove(&["rex"]);
        assert_eq!(host.client.tools(), before);
        assert_eq!(host.client.notifications, Vec::<Value>::new());
        let (_, rest) = host.client.close();
        assert!(rest.iter().all(|message| message["method"] != TOOLS_CHANGED), "{rest:?}");
    }
}

#[test]
fn a_tool_names_a_bounded_number_of_joined_operations_and_runs_all() {
    let mut host = Host::start("dispatch", &[], Era::Initialize);
    let names: Vec<String> = (0..60).map(|number| format!("dog{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    host.install(&names, "read");
    let tools = host.client.tools();
    let tool = tools.iter().find(|tool| tool["name"] == "plugin_read").unwrap();
    let description = tool["description"].as_str().unwrap();
    assert!(description.matches("kennel:dog").count() <= 20, "{description}");
    assert!(description.ends_with("more, which discover lists"), "{description}");
    assert_eq!(tool["inputSchema"]["properties"]["operation"], json!({"type": "string"}));
    assert_eq!(
        host.run("plugin.kennel:dog59", "read", json!({"text": "woof"})).text(),
        "plugin.kennel:dog59: woof"
    );
    host.remove(&names[10..]);
    let tools = host.client.tools();
    let tool = tools.iter().find(|tool| tool["name"] == "plugin_read").unwrap();
    let operations = tool["inputSchema"]["properties"]["operation"]["enum"].as_array().unwrap();
    assert!(operations.contains(&json!("kennel:dog9")), "{operations:?}");
}
