//! Properties with names that a provider refuses are listed by others, and go on by their own.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Era;

use crate::upstreams::passing::setup;
use crate::upstreams::scripted::tool;
use crate::upstreams::{SURFACES, Setup};

/// A tool whose properties have such names, and two that would collide.
fn odd() -> Value {
    let text = json!({ "type": "string", "description": "A text." });
    let long = "long".repeat(17);
    let mut odd = tool("arguments");
    odd["inputSchema"] = json!({
        "type": "object",
        "properties": {
            "$filter": text, "filter": text, "ids[]": { "type": "array", "items": { "type": "integer" } },
            "@type": { "type": "string", "enum": ["", "a"] }, "имя": text, "日本": text, "confirm[]": text,
            long: text, "X-Amz:Date": text, "plain.name-1": text,
            "where": { "type": "object", "additionalProperties": false, "required": ["$in"], "properties": {
                "$in": { "type": "array", "items": { "$ref": "#/$defs/point" } }, "field path": text } },
        },
        "required": ["$filter", "plain.name-1"],
        "additionalProperties": false,
        "$defs": { "point": { "type": "object", "properties": { "$x": { "type": "number" } } } },
    });
    odd
}

fn odd_setup() -> Setup {
    setup(Era::Initialize, &[odd()], "")
}

/// Whether Anthropic accepts a key. Its error names this form.
fn is_accepted(key: &str) -> bool {
    (1..=64).contains(&key.len())
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

/// The keys of all properties in a schema or in any other JSON.
fn keys(value: &Value, all: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let properties = fields.get("properties").and_then(Value::as_object);
            all.extend(properties.into_iter().flatten().map(|(key, _)| key.clone()));
            fields.values().for_each(|field| keys(field, all));
        }
        Value::Array(items) => items.iter().for_each(|item| keys(item, all)),
        _ => {}
    }
}

/// The listed names by those of the upstream, which their descriptions say.
fn names(properties: &Value) -> BTreeMap<String, String> {
    let said = properties.as_object().unwrap().iter().map(|(listed, field)| {
        let description = field["description"].as_str().unwrap_or_default();
        let own = description.split_once("Sent as `").map(|(_, own)| own.trim_end_matches("`."));
        (own.unwrap_or(listed).to_owned(), listed.clone())
    });
    said.collect()
}

#[test]
fn names_are_accepted_on_every_surface_and_by_every_export() {
    let setup = odd_setup();
    for surface in SURFACES {
        let mut host = setup.serve(surface, Era::Initialize);
        let mut found = Vec::new();
        keys(&json!(host.client.tools()), &mut found);
        if surface == "meta" {
            let search =
                json!({ "name": "describe_tools", "arguments": { "tools": ["one.arguments"] } });
            let described = host.client.request("tools/call", search);
            let text = described["result"]["content"][0]["text"].as_str().unwrap().to_owned();
            assert!(!text.contains("$filter\":"), "{text}");
            keys(&serde_json::from_str(&text).unwrap(), &mut found);
        }
        assert!(!found.is_empty());
        assert!(found.iter().all(|key| is_accepted(key)), "{surface}: {found:?}");
    }
    for format in [
        "mcp",
        "openai",
        "openai-responses",
        "anthropic",
        "gemini",
        "ollama",
        "azure",
        "openrouter",
        "deepseek",
        "grok",
        "mistral",
        "openapi",
    ] {
        let exported = setup.done(&["export", "--format", format]);
        let exported: Value = serde_json::from_str(&exported).unwrap();
        let mut found = Vec::new();
        keys(&exported, &mut found);
        assert!(found.iter().all(|key| is_accepted(key)), "{format}: {found:?}");
        if format == "gemini" {
            assert!(!exported.to_string().contains(r#""enum":["","#), "{exported}");
        }
    }
}

#[test]
fn arguments_go_on_by_their_own_names() {
    let setup = odd_setup();
    let listed = setup.serve("flat", Era::Initialize).client.tools();
    let tool = listed.iter().find(|tool| tool["name"] == "one_arguments").unwrap();
    let properties = &tool["inputSchema"]["properties"];
    let names_of = names(properties);
    let own = odd()["inputSchema"]["properties"].as_object().unwrap().clone();
    assert_eq!(
        names_of.keys().collect::<Vec<_>>(),
        own.keys().collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>()
    );
    let within = names(&properties[&names_of["where"]]["properties"]);
    let point =
        names(&properties[&names_of["where"]]["properties"][&within["$in"]]["items"]["properties"]);
    let required: Vec<&str> = tool["inputSchema"]["required"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(required.contains(&names_of["$filter"].as_str()), "{required:?}");

    let sent = json!({
        "$filter": "a eq 1", "filter": "f", "ids[]": [1, 2], "имя": "Ada", "日本": "x", "@type": "a",
        "plain.name-1": "p", "where": { "$in": [{ "$x": 1.5 }], "field path": "q" },
    });
    let mut given = serde_json::Map::new();
    for (own, value) in sent.as_object().unwrap() {
        let value = match own.as_str() {
            "where" => {
                json!({ &within["$in"]: [{ &point["$x"]: 1.5 }], &within["field path"]: "q" })
            }
            _ => value.clone(),
        };
        given.insert(names_of[own].clone(), value);
    }
    let given = Value::Object(given);
    for surface in SURFACES {
        let mut host = setup.serve(surface, Era::Initialize);
        assert_eq!(host.read("one.arguments", &given).json(), sent, "{surface}");
        // Objects may be sent as text, and the own names are understood, too.
        let mut texts = given.clone();
        texts[&names_of["where"]] = texts[&names_of["where"]].to_string().into();
        assert_eq!(host.read("one.arguments", &texts).json(), sent, "{surface}");
        assert_eq!(host.read("one.arguments", &sent).json(), sent, "{surface}");

        let mut wrong = given.clone();
        wrong[&names_of["ids[]"]] = json!(["x"]);
        let refused = host.read("one.arguments", &wrong);
        assert_eq!(refused.code(), "VALIDATION_ERROR", "{surface}: {}", refused.0);
        let place = format!("/{}/0", names_of["ids[]"]);
        assert!(refused.error().to_string().contains(&place), "{surface}: {}", refused.0);
        let mut missing = given.clone();
        missing.as_object_mut().unwrap().shift_remove(&names_of["$filter"]);
        let refused = host.read("one.arguments", &missing);
        let said = format!("`{}` is missing.", names_of["$filter"]);
        assert!(refused.error().to_string().contains(&said), "{surface}: {}", refused.0);
        let mut unknown = given.clone();
        unknown["tpye"] = "a".into();
        let refused = host.read("one.arguments", &unknown).error().to_string();
        assert!(refused.contains("There is no parameter `tpye`"), "{surface}: {refused}");
        assert!(!refused.contains("@type") && !refused.contains("$filter"), "{surface}: {refused}");
    }
    let json = given.to_string();
    let called = setup.done(&["call", "one.arguments", "--args", &json]);
    assert!(called.contains("a eq 1"), "{called}");
}

#[test]
fn gemini_gets_no_empty_choices() {
    let setup = odd_setup();
    let mut host = setup.serve_with("flat", Era::Initialize, &["--profile", "gemini"]);
    let listed = json!(host.client.tools()).to_string();
    assert!(listed.contains(r#""enum":["a"]"#), "{listed}");
    assert!(!listed.contains(r#""enum":["""#), "{listed}");
}
