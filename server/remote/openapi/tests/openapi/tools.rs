//! Manifests made of the tools of MCP servers: what they say, and that they load.

use std::io;

use proptest::prelude::*;
use serde_json::{Value, json};
use toolwrit_openapi::{Imported, ServerAddress, ToolServer, import_tools};

const WORDS: [&str; 1] = ["shelf"];

fn imported(tools: &[Value]) -> Imported {
    let words = WORDS.map(str::to_owned);
    let environment = ["API_KEY".to_owned()];
    let address = ServerAddress::Command { words: &words, environment: &environment };
    let server = ToolServer { name: "shelf", category: None, address, lock: "shelf.lock.yaml" };
    import_tools(&server, tools.to_vec()).unwrap()
}

/// The problems of a manifest beside a lock file with these tools.
fn problems(imported: &Imported, tools: &[Value]) -> Option<String> {
    let locked = tools.iter().filter_map(|tool| {
        Some((tool["name"].as_str()?.to_owned(), json!({ "sha256": "", "tool": tool })))
    });
    let lock = json!({ "format": 1, "tools": locked.collect::<serde_json::Map<_, _>>() });
    let read = |path: &str| match path {
        "shelf.lock.yaml" => io::Result::Ok(serde_yaml::to_string(&lock).unwrap()),
        _ => Ok(imported.manifest.clone()),
    };
    toolwrit_manifest::load_sources("shelf.yaml", read).err().map(|problems| problems.to_string())
}

#[test]
fn tools_become_operations() {
    let tools = [
        json!({
            "name": "shelf_find-books", "description": "Finds books. Give words, or an author.",
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
            "inputSchema": {
                "type": "object",
                "properties": {
                    "searchWords": { "type": "array", "items": { "type": "string" }, "minItems": 1 },
                    "order": { "enum": ["title", "author"] },
                    "filter": { "$ref": "#/$defs/Filter" },
                    "limit": { "anyOf": [{ "type": "integer" }, { "type": "null" }], "default": 10 },
                },
                "required": ["searchWords"],
                "$defs": { "Filter": { "type": "object", "properties": { "since": { "type": "string", "format": "date" } } } },
            },
            "outputSchema": {
                "type": "object",
                "properties": { "books": { "type": "array", "items": { "type": "object", "properties": { "title": { "type": "string" } } } } },
                "required": ["books"],
            },
        }),
        json!({
            "name": "burn", "annotations": { "destructiveHint": true, "idempotentHint": true },
            "inputSchema": { "type": "object", "properties": { "the-title": { "type": "string" } } },
        }),
        json!({ "name": "Burn", "inputSchema": { "type": "object" } }),
    ];
    let imported = imported(&tools);
    assert_eq!(problems(&imported, &tools), None);
    insta::assert_snapshot!(imported.manifest);
}

#[test]
fn what_yaml_does_not_print_is_escaped() {
    for hidden in ['\u{7f}', '\u{85}', '\u{9f}', '\u{2028}', '\u{feff}', '\u{fffe}', '\u{ffff}'] {
        let description = format!("Before {hidden} after.");
        let tools = [
            json!({ "name": "a", "description": description, "inputSchema": { "type": "object" } }),
        ];
        let imported = imported(&tools);
        assert_eq!(problems(&imported, &tools), None, "{}", imported.manifest);
        assert!(!imported.manifest.contains(hidden), "{}", imported.manifest);
    }
}

/// Schemas as servers may send them.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!(true)),
        Just(json!({ "type": "string", "pattern": "^(?=a)" })),
        Just(json!({ "type": ["integer", "null"], "minimum": 1.5 })),
        Just(json!({ "enum": ["a", "b", 1, null] })),
        Just(json!({ "const": "x" })),
        Just(json!({ "$ref": "#" })),
        Just(json!({ "$ref": "#/$defs/none" })),
        Just(json!({ "type": "string", "format": "date-time", "default": "soon" })),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|items| json!({ "type": "array", "items": items })),
            inner
                .clone()
                .prop_map(|values| json!({ "type": "object", "additionalProperties": values })),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|any| json!({ "anyOf": any })),
            properties(inner),
        ]
    })
}

fn properties(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    let name = prop_oneof![
        "[a-z]{1,3}",
        "[A-Z-_. a-z0-9]{1,12}",
        Just("self".to_owned()),
        Just("confirm".to_owned())
    ];
    let all = prop::collection::btree_map(name, value, 0..4);
    (all, any::<bool>()).prop_map(|(all, is_required)| {
        let required: Vec<&String> = if is_required { all.keys().collect() } else { Vec::new() };
        json!({ "type": "object", "properties": all, "required": required })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_list_of_tools_gives_a_manifest_that_loads(
        tools in prop::collection::btree_map("[a-zA-Z0-9_.-]{1,70}", (properties(schema()), prop::option::of(schema()), ".{0,60}"), 1..4),
    ) {
        let tools: Vec<Value> = tools.into_iter().map(|(name, (input, output, text))| {
            let mut tool = json!({ "name": name, "inputSchema": input, "description": text });
            if let Some(output) = output {
                tool["outputSchema"] = output;
            }
            tool
        }).collect();
        let imported = imported(&tools);
        prop_assert_eq!(problems(&imported, &tools), None, "{}", imported.manifest);
    }
}
