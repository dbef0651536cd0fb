//! Arguments that take long to check, and schemas that are made so.

use serde_json::{Map, Value, json};
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::memory::peak;

use crate::upstreams::passing::setup;
use crate::upstreams::scripted::{table, tool, write};
use crate::upstreams::{SURFACES, Setup};

/// The memory limit of the server.
const MEMORY: u64 = 300 << 20;

/// A tool with a filter such as those of databases: of one field, or of other filters.
fn filtered() -> Value {
    let operation = |name: &str| {
        json!({ "type": "object", "required": ["op", "args"], "additionalProperties": false, "properties": {
            "op": { "const": name }, "args": { "type": "array", "items": { "$ref": "#/$defs/filter" } } } })
    };
    let field = json!({ "type": "object", "required": ["field", "value"], "additionalProperties": false,
        "properties": { "field": { "type": "string" }, "value": {} } });
    let mut filtered = tool("arguments");
    filtered["inputSchema"] = json!({ "type": "object", "required": ["filter"],
        "properties": { "filter": { "$ref": "#/$defs/filter" } },
        "$defs": { "filter": { "oneOf": [operation("and"), operation("or"), field] } } });
    filtered
}

/// Filters within filters around a leaf.
fn nested(depth: usize, leaf: Value) -> Value {
    let filter = (0..depth).fold(leaf, |inner, _| json!({ "op": "and", "args": [inner] }));
    json!({ "filter": filter })
}

#[test]
fn a_wrong_leaf_of_a_deep_filter_is_named() {
    let setup = setup(Era::Initialize, &[filtered(), tool("pid")], "");
    for surface in SURFACES {
        let mut host = setup.serve(surface, Era::Initialize);
        for depth in [2, 8, 18, 30] {
            for (wrong, at) in
                [(json!({ "field": 7, "value": 1 }), "/field"), (json!({ "op": "nand" }), "")]
            {
                let refused = host.read("one.arguments", &nested(depth, wrong));
                assert_eq!(refused.code(), "VALIDATION_ERROR", "{surface} {depth}: {}", refused.0);
                let place = format!("/filter{}{at}", "/args/0".repeat(depth));
                let error = refused.error();
                assert!(error.to_string().contains(&place), "{surface} {depth}: {error}");
                assert!(
                    error["message"].as_str().unwrap().len() < 1_000,
                    "{surface} {depth}: {error}"
                );
            }
            let right = nested(depth, json!({ "field": "name", "value": null }));
            assert_eq!(host.read("one.arguments", &right).json(), right, "{surface} {depth}");
        }
        let deep = host.read("one.arguments", &nested(60, json!({ "field": 7, "value": 1 })));
        assert_eq!(deep.code(), "VALIDATION_ERROR", "{surface}: {}", deep.0);
        assert!(deep.text().contains("100 levels"), "{surface}: {}", deep.0);
        assert!(!host.read("one.pid", &json!({})).is_error());
        assert!(peak(host.client.pid()).is_none_or(|peak| peak < MEMORY), "{surface}");
    }
}

#[test]
fn a_schema_that_doubles_with_each_reference_is_not_offered() {
    let twice = |at: usize| {
        let next = format!("#/$defs/{}", at + 1);
        json!({ "allOf": [{ "$ref": next }, { "$ref": next }] })
    };
    let mut defs: Map<String, Value> = (0..40).map(|at| (at.to_string(), twice(at))).collect();
    defs.insert("40".to_owned(), json!({ "type": "string" }));
    let mut doubling = tool("doubling");
    doubling["inputSchema"] =
        json!({ "type": "object", "properties": { "x": { "$ref": "#/$defs/0" } }, "$defs": defs });
    let setup = Setup::new("");
    let tools = write(setup.folder.path(), &[doubling, tool("pid")]);
    std::fs::write(&setup.config, table("one", &tools, "effects = { pid = \"read\" }")).unwrap();
    let approved = setup.run(&["upstream", "approve", "one", "--yes"]);
    let said = String::from_utf8_lossy(&approved.stderr);
    assert!(approved.status.success() && said.contains("/$defs/"), "{said}");
    let mut host = setup.serve("flat", Era::Initialize);
    let listed = host.tools();
    assert!(listed.contains(&"one_pid".to_owned()), "{listed:?}");
    assert!(!listed.contains(&"one_doubling".to_owned()), "{listed:?}");
    assert!(!host.read("one.pid", &json!({})).is_error());
}

#[test]
fn the_keys_of_free_json_keep_their_order() {
    let mut keeping = tool("arguments");
    keeping["inputSchema"] = json!({ "type": "object", "properties": {
        "z": { "type": "string" }, "row": { "type": "object" }, "a": { "type": "string" } } });
    let setup = setup(Era::Initialize, &[keeping, tool("pid")], "");
    let sent = json!({ "z": "1", "a": "2",
        "row": { "name": "Ada", "id": 7, "born": 1815, "nested": { "y": 1, "x": 2 } } });
    for surface in SURFACES {
        let mut host = setup.serve(surface, Era::Initialize);
        assert_eq!(host.read("one.arguments", &sent).text(), sent.to_string(), "{surface}");
    }
}
