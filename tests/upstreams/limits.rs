//! Limits, caches and selected fields of the tools of upstreams.

use std::fs;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Era;

use crate::upstreams::Setup;
use crate::upstreams::passing::setup;
use crate::upstreams::scripted::{tool, write};

#[test]
fn calls_of_a_session_are_limited() {
    let setup = setup(Era::Initialize, &[tool("pid")], "");
    let mut host = setup.serve_with("flat", Era::Initialize, &["--session-calls", "2"]);
    for _ in 0..2 {
        assert!(!host.read("one.pid", &json!({})).is_error());
    }
    assert_eq!(host.read("one.pid", &json!({})).code(), "LIMIT_EXCEEDED");
}

#[test]
fn a_read_is_cached_as_long_as_the_operator_says() {
    let mut counts = tool("count");
    counts["inputSchema"] = json!({ "type": "object" });
    let tools = [counts, tool("pid")];
    let setup = setup(Era::Initialize, &tools, "caches = { count = \"1h\" }");
    let mut host = setup.serve("flat", Era::Initialize);
    let mut count = |arguments: Value| host.read("one.count", &arguments).text().to_owned();
    let first = count(json!({}));
    assert_eq!(count(json!({})), first);
    assert_ne!(count(json!({ "a": 1 })), first, "other arguments have their own answer");
}

#[test]
fn a_caller_selects_declared_fields() {
    let mut number = tool("number");
    number["outputSchema"] = json!({ "type": "object", "properties": {
        "number": { "type": "integer" }, "nothing": { "type": ["string", "null"] } } });
    let setup = setup(Era::Initialize, &[number], "select = [\"number\"]");
    let mut host = setup.serve("flat", Era::Initialize);
    let listed = host.client.tools();
    let listed = listed.iter().find(|own| own["name"] == "one_number").unwrap();
    let fields = &listed["inputSchema"]["properties"]["fields"];
    assert_eq!(fields["items"]["enum"], json!(["number", "nothing"]), "{listed}");
    let some = host.read("one.number", &json!({ "fields": ["number"] }));
    assert_eq!(some.json(), json!({ "number": 7 }), "{}", some.0);
    assert_eq!(host.read("one.number", &json!({})).json(), json!({ "number": 7, "nothing": null }));
    let wrong = host.read("one.number", &json!({ "fields": ["numbr"] })).error();
    assert_eq!(wrong["code"], "VALIDATION_ERROR", "{wrong}");
    assert_eq!(wrong["did_you_mean"][0], "number", "{wrong}");
}

#[test]
fn only_the_operator_says_that_a_tool_may_be_repeated() {
    let mut claims = tool("claims");
    claims["annotations"] = json!({ "idempotentHint": true, "readOnlyHint": false });
    let setup = Setup::new("");
    let file = write(setup.folder.path(), &[claims]);
    for (more, idempotent) in [("", false), ("idempotent = [\"claims\"]", true)] {
        fs::write(&setup.config, crate::upstreams::scripted::table("one", &file, more)).unwrap();
        setup.approve("one");
        let mut host = setup.serve("flat", Era::Initialize);
        let listed = host.client.tools();
        let listed = listed.iter().find(|own| own["name"] == "one_claims").unwrap();
        assert_eq!(listed["annotations"]["idempotentHint"], idempotent, "{listed}");
    }
}
