//! What providers offer, or why they cannot be used: on every surface and over HTTP.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::waiting::found;

use super::{Host, program};

fn kennel(server: &Server, headers: &[(&str, &str)]) -> Value {
    let all = server.get("/plugins", headers).json();
    let mut one = server.get("/plugins/kennel/capabilities", headers).json();
    assert_eq!(one["id"], "kennel");
    one.as_object_mut().unwrap().remove("id");
    assert_eq!(all, json!({"plugins": {"kennel": one}}));
    one
}

#[test]
fn an_available_provider_has_its_version_and_its_operations() {
    let home = Home::new();
    let server = home.serve(program(), &[]);
    let offered = kennel(&server, &[]);
    assert_eq!(offered["enabled"], true);
    assert_eq!(offered["version"], "2.1");
    let old = &offered["operations"]["old"];
    assert_eq!(old["id"], "plugin.kennel:old");
    assert_eq!(old["effect"], "read");
    assert_eq!(old["params"]["text"], "string");
    assert_eq!(old["params"]["tone?"], "soft|loud");
    assert_eq!(old["examples"], json!([{"text": "woof"}]));

    let described =
        server.client("/meta").call("describe_tools", &json!({"tools": ["kennel"]})).ok();
    assert_eq!(described, json!({"plugins": {"kennel": offered}}));
}

#[test]
fn a_provider_that_is_not_there_says_why_and_what_would_help() {
    let home = Home::new();
    let server = home.serve(program(), &[]);
    let fail = json!({"probes": 1_000_000});
    server.client("/flat").call("host_fail", &fail);
    let get = || server.get("/plugins/kennel/capabilities", &[]).json();
    let failing =
        found("the first failure", || Some(get()).filter(|own| !own["failing"].is_null()));
    assert_eq!(
        (&failing["enabled"], &failing["failing"]),
        (&true.into(), &"The kennel is on fire.".into())
    );
    let last = found("the last failure", || Some(get()).filter(|own| own["enabled"] == false));
    assert_eq!(last["reason"], "failed");
    assert!(last["message"].as_str().unwrap().contains("The kennel is on fire."), "{last}");
    assert!(last["remedy"].as_str().is_some_and(|remedy| !remedy.is_empty()), "{last}");
    let none = last["operations"].as_object();
    assert!(none.is_none(), "{last}");
}

#[test]
fn a_provider_does_not_exist_for_a_caller_who_may_use_none_of_its_operations() {
    let home = Home::new();
    for flags in [&["--role", "host"][..], &["--exclude", "plugin.kennel.*"], &["--tools", "host"]]
    {
        let server = home.serve(program(), flags);
        assert_eq!(server.get("/plugins", &[]).json(), json!({"plugins": {}}), "{flags:?}");
        assert_eq!(server.get("/plugins/kennel/capabilities", &[]).status, 404, "{flags:?}");
    }
    let server = home.serve(program(), &["--role", "reader"]);
    let install = json!({"names": ["rex"], "effect": "write"});
    assert_eq!(server.client("/flat").call("host_install", &install).code(), "TOOL_NOT_FOUND");
    assert_eq!(kennel(&server, &[])["operations"].as_object().unwrap().len(), 1);
}

#[test]
fn an_operation_that_cannot_join_is_named_with_the_reason() {
    let home = Home::new();
    let server = home.serve(program(), &[]);
    let install = json!({"names": ["two words"], "effect": "read"});
    assert_eq!(server.client("/flat").call("host_install", &install).text(), "installed");
    let refused = kennel(&server, &[])["refused"][0].as_str().unwrap().to_owned();
    assert!(refused.contains("`plugin.kennel:two words`"), "{refused}");
}

#[test]
fn what_a_provider_cannot_use_is_reported_until_it_is_corrected() {
    let home = Home::new();
    let server = home.serve(program(), &[]);
    let host = server.client("/flat");
    host.call("host_install", &json!({"names": ["lame", "sound"], "effect": "read"}));
    let offered = kennel(&server, &[]);
    assert_eq!(offered["problems"], json!(["The plugin lame limps."]));
    assert_eq!(offered["operations"]["sound"]["id"], "plugin.kennel:sound");
    host.call("host_remove", &json!({"names": ["lame"]}));
    assert_eq!(kennel(&server, &[])["problems"], Value::Null);
}

#[test]
fn a_dispatch_tool_takes_the_provider_beside_the_operation() {
    let mut host = Host::start("dispatch", &[], Era::Initialize);
    for arguments in [
        json!({"operation": "kennel:old", "params": {"text": "woof"}}),
        json!({"plugin": "kennel", "operation": "old", "params": {"text": "woof"}}),
    ] {
        let said = host.client.call("plugin_read", &arguments);
        assert_eq!(said.text(), "plugin.kennel:old: woof", "{arguments}");
    }
    let unknown = json!({"plugin": "kennel", "operation": "odl", "params": {}});
    let fault = host.client.call("plugin_read", &unknown).error();
    assert_eq!(fault["code"], "TOOL_NOT_FOUND");
    assert_eq!(fault["did_you_mean"], json!(["plugin.kennel:old"]));
}
