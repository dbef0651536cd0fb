//! Tools as each provider wants them.

use std::str::FromStr;

use serde_json::{Value, json};
use toolwrit_chat::tool_formats::ToolFormat;
use toolwrit_chat::tools::{Effect, Tool, World};

/// Two tools with everything that a schema of ours can have.
pub(crate) fn tools() -> Vec<Tool> {
    let search = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "query": { "type": "string", "minLength": 1, "description": "Words." },
            "mode": { "type": "string", "enum": ["text", "regex"], "default": "text" },
            "limit": { "type": "integer", "minimum": 1, "maximum": 100 },
            "where": { "oneOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] },
            "kind": { "const": "note" },
            "format": { "$ref": "#/$defs/format" },
        },
        "required": ["query"],
        "additionalProperties": false,
        "$defs": { "format": { "type": "string", "pattern": "^[a-z]+$" } },
    });
    vec![
        Tool {
            title: Some("Search".to_owned()),
            returns: Some(
                json!({ "type": "object", "properties": { "total": { "type": "integer" } } }),
            ),
            examples: vec![json!({ "query": "audit" })],
            ..Tool::new("vault.search", "Finds notes.", search)
        },
        Tool {
            effect: Effect::Destroy,
            world: World::Open,
            deferred: true,
            ..Tool::new("web.purge", "Deletes a page.", json!({ "type": "object" }))
        },
    ]
}

#[test]
fn tools_are_described_as_each_provider_wants_them() {
    for format in ToolFormat::ALL {
        let described = format.describe(&tools()).unwrap();
        insta::assert_snapshot!(format.name(), serde_json::to_string_pretty(&described).unwrap());
    }
}

#[test]
fn what_a_provider_refuses_is_refused_with_a_reason() {
    let named =
        |name: &str| Tool { name: name.to_owned(), ..Tool::new("vault.read", "Reads.", json!({})) };
    let many: Vec<Tool> = (0..129).map(|number| named(&format!("tool_{number}"))).collect();
    let cases: [(ToolFormat, Vec<Tool>); 5] = [
        (ToolFormat::OpenAi, vec![named("vault.read")]),
        (ToolFormat::Mistral, vec![named(&"x".repeat(65))]),
        (ToolFormat::Gemini, vec![named("2read")]),
        (
            ToolFormat::Ollama,
            vec![named("read"), Tool { id: "web.read".to_owned(), ..named("read") }],
        ),
        (ToolFormat::DeepSeek, many),
    ];
    let mut shown: Vec<String> = cases
        .iter()
        .map(|(format, tools)| format.describe(tools).unwrap_err().to_string())
        .collect();
    shown.push(ToolFormat::from_str("antropic").unwrap_err().to_string());
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn long_descriptions_are_shortened_where_providers_have_a_limit() {
    let long = Tool::new("vault.read", &"é".repeat(2000), json!({}));
    let length = |format: ToolFormat, pointer: &str| {
        let described = format.describe(std::slice::from_ref(&long)).unwrap();
        described.pointer(pointer).and_then(Value::as_str).unwrap().chars().count()
    };
    assert_eq!(length(ToolFormat::Azure, "/0/function/description"), 1024);
    assert_eq!(length(ToolFormat::Anthropic, "/0/description"), 2000);
}

#[test]
fn every_format_has_its_name() {
    for format in ToolFormat::ALL {
        assert_eq!(ToolFormat::from_str(format.name()), Ok(format));
    }
}
