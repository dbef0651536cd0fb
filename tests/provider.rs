//! Providers become available and unavailable while the server runs: every interface agrees.

use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{CallResult, Client, Era};
use toolwrit_tests::waiting::found;

fn serve(arguments: &[&str], era: Era) -> Client {
    let lab = Path::new(env!("CARGO_BIN_EXE_lab"));
    Client::connect(lab, &[&["serve"], arguments].concat(), era)
}

fn lists(client: &mut Client, tool: &str) -> bool {
    client.tools().iter().any(|listed| listed["name"] == tool)
}

/// Repeats a call until it has this outcome. The server checks providers once a second.
fn call_until(code: &str, mut call: impl FnMut() -> CallResult) -> CallResult {
    found(code, || Some(call()).filter(|result| result.code() == code))
}

#[test]
fn an_operation_without_its_provider_is_neither_listed_nor_run() {
    for era in Era::ALL {
        let mut client = serve(&["--surface", "flat"], era);
        assert!(lists(&mut client, "lab_measure"));
        assert_eq!(client.call("lab_measure", &json!({})).text(), "measured");

        client.call("lab_furnish", &json!({"bench": false}));
        let missing =
            call_until("PROVIDER_UNAVAILABLE", || client.call("lab_measure", &json!({}))).error();
        assert_eq!(
            missing["message"],
            "`lab.measure` needs Bench, which is not available. It was carried away."
        );
        assert_eq!(missing["hint"], "Carry it in with `lab.furnish`.");
        assert_eq!(missing["operation"], "lab.measure");
        assert!(!lists(&mut client, "lab_measure"));
        assert!(lists(&mut client, "lab_echo"));

        client.call("lab_furnish", &json!({"bench": true}));
        call_until("ok", || client.call("lab_measure", &json!({})));
        assert!(lists(&mut client, "lab_measure"));
    }
}

#[test]
fn search_describe_and_context_omit_it_without_its_provider() {
    let mut client = serve(&["--surface", "meta"], Era::Initialize);
    let mut execute = |tool: &str, args: Value| {
        client.call("execute_write", &json!({"tool": tool, "args": args}))
    };
    execute("lab.furnish", json!({"bench": false}));
    call_until("PROVIDER_UNAVAILABLE", || execute("lab.measure", json!({})));
    let found = client.call("search_tools", &json!({"query": "measure the plank"}));
    let found: Value = serde_json::from_str(found.text()).unwrap();
    assert!(!found["results"].to_string().contains("lab.measure"), "{found}");
    // What is withheld is named, with the reason.
    assert_eq!(found["because"], "PROVIDER_UNAVAILABLE", "{found}");
    assert!(found["withheld"][0].as_str().unwrap().starts_with("lab.measure:"), "{found}");
    let described = client.call("describe_tools", &json!({"tools": ["lab.measure"]})).ok();
    let unavailable = described["tools"][0]["unavailable"].as_str().unwrap();
    assert!(unavailable.contains("needs Bench"), "{unavailable}");

    let mut client = serve(&["--surface", "dispatch"], Era::Initialize);
    let write = |operation: &str, params: Value| json!({"operation": operation, "params": params});
    client.call("lab_write", &write("furnish", json!({"bench": false})));
    call_until("PROVIDER_UNAVAILABLE", || client.call("lab_write", &write("measure", json!({}))));
    let discovered = client.call("discover", &json!({}));
    assert!(!discovered.text().contains("measure"), "{}", discovered.text());
    let tools = client.tools();
    let tool = tools.iter().find(|tool| tool["name"] == "lab_write").unwrap();
    let operations = tool["inputSchema"]["properties"]["operation"]["enum"].as_array().unwrap();
    assert!(!operations.contains(&"measure".into()), "{tool}");
    assert!(operations.contains(&"furnish".into()), "{tool}");
}

/// A missing provider reveals no hidden operation, and allows nothing.
#[test]
fn the_policy_decides_before_the_provider() {
    for (flags, code) in [
        (["--exclude", "lab.measure"], "TOOL_NOT_FOUND"),
        (["--exclude", "lab.echo"], "PROVIDER_UNAVAILABLE"),
    ] {
        let mut client = serve(&[&["--surface", "flat"], &flags[..]].concat(), Era::Initialize);
        client.call("lab_furnish", &json!({"bench": false}));
        call_until(code, || client.call("lab_measure", &json!({})));
        let aside = client.call("lab_mesure", &json!({})).error();
        assert!(!aside.to_string().contains("lab_measure"), "{aside}");
    }
}

#[test]
fn a_listing_with_providers_has_a_short_ttl() {
    let mut client = serve(&["--surface", "flat"], Era::Stateless);
    let listed = client.request("tools/list", json!({}));
    assert_eq!(listed["result"]["ttlMs"], 60_000);
}
