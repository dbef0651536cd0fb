//! The operations that a message makes relevant, with joined ones: a context covers them by category, provider
//! and effect, and the caller's policy applies.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::drivers::http::Home;

use super::{Host, program};

/// The ids of signatures that are joined operations.
fn joined(signatures: &Value) -> BTreeSet<&str> {
    let signatures = signatures.as_array().unwrap().iter();
    let ids = signatures.map(|own| own.as_str().unwrap().split('(').next().unwrap());
    ids.filter(|id| id.starts_with("plugin.kennel:")).collect()
}

/// The joined operations that a message needs, on the surface meta.
fn relevant(host: &mut Host, message: &str) -> Vec<String> {
    let answer = host.client.call("context", &json!({ "message": message })).ok();
    let count = answer["tools"].as_array().unwrap().len();
    assert_eq!(answer["returnedCount"], count);
    joined(&answer["tools"]).into_iter().map(str::to_owned).collect()
}

#[test]
fn a_context_covers_joined_operations_by_category_provider_and_effect() {
    let mut host = Host::start("meta", &[], Era::Initialize);
    // A call waits until the provider has been examined; a list does not.
    host.run("plugin.kennel:old", "read", json!({"text": "woof"}));
    assert_eq!(relevant(&mut host, "let me hear it"), ["plugin.kennel:old"]);
    host.install(&["ace"], "read");
    host.install(&["rex"], "write");
    let readers = ["plugin.kennel:ace", "plugin.kennel:old"];
    assert_eq!(relevant(&mut host, "let me hear it"), readers);
    let all = ["plugin.kennel:ace", "plugin.kennel:old", "plugin.kennel:rex"];
    assert_eq!(relevant(&mut host, "train them"), all);
    assert!(relevant(&mut host, "install one").is_empty());
    host.remove(&["ace"]);
    assert_eq!(relevant(&mut host, "let me hear it"), ["plugin.kennel:old"]);
}

#[test]
fn a_message_makes_no_operation_relevant_that_the_caller_may_not_use() {
    let mut host = Host::start("meta", &["--role", "reader"], Era::Initialize);
    host.run("plugin.kennel:old", "read", json!({"text": "woof"}));
    assert_eq!(relevant(&mut host, "train them"), ["plugin.kennel:old"]);
    let mut host = Host::start("meta", &["--role", "host"], Era::Initialize);
    let answer = host.client.call("context", &json!({"message": "train them"})).ok();
    assert_eq!(answer["contexts"], json!([]), "a context without operations is not detected");
}

#[test]
fn the_tools_over_http_name_the_contexts_of_joined_operations() {
    let home = Home::new();
    let server = home.serve(program(), &[]);
    server.client("/flat").call("plugin_kennel_old", &json!({"text": "woof"}));
    let contexts = |tool: &str| {
        let answer = server.get("/tools?category=plugin", &[]).json();
        let tools = answer["tools"].as_array().unwrap();
        tools.iter().find(|own| own["name"] == tool).unwrap()["contexts"].clone()
    };
    assert_eq!(contexts("plugin_kennel_old"), json!(["hearing", "training"]));
    let install = json!({"names": ["rex"], "effect": "write"});
    server.client("/flat").call("host_install", &install);
    assert_eq!(contexts("plugin_kennel_rex"), json!(["training"]));
    let answer = server.get("/tools?context=training", &[]).json();
    let tools: Vec<&Value> =
        answer["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(tools, ["plugin_kennel_old", "plugin_kennel_rex"]);
}

#[test]
fn the_command_line_lists_joined_operations_of_a_context_and_in_the_dump() {
    let run = |arguments: &[&str]| {
        let output = Home::new().command(program(), arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let found = run(&["context", "--json", "train them"]);
    let ids: Vec<&Value> =
        found["operations"].as_array().unwrap().iter().map(|own| &own["id"]).collect();
    assert_eq!(ids, ["plugin.kennel:old"]);
    let dump = run(&["context", "--dump", "--json"]);
    assert_eq!(joined(&dump["tools"]), BTreeSet::from(["plugin.kennel:old"]));
}
