//! Documents that are broken or malicious: an import fails or gives a manifest that loads, and always ends.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolwrit_openapi::{Options, import_text};

use crate::loaded::load;

const SHOP: &str = include_str!("../documents/shop.yaml");
const NOTES: &str = include_str!("../documents/notes.json");

/// Imports a document; if that succeeds, the manifest must load.
fn survives(text: &str) {
    if let Ok(imported) = import_text(text, &Options::default())
        && let Err(problems) = load(&imported)
    {
        panic!("{problems}\n{}", imported.manifest);
    }
}

/// A document whose only operation answers with this schema, and is sent it.
fn with_schema(schema: &Value, schemas: &Value) -> String {
    let content = json!({ "content": { "application/json": { "schema": schema } } });
    json!({
        "openapi": "3.0.0",
        "paths": { "/a/{b}": { "post": { "requestBody": content, "responses": { "200": content } } } },
        "components": { "schemas": schemas },
    })
    .to_string()
}

#[test]
fn cycles_end() {
    let link = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let schemas = json!({
        "A": { "properties": { "b": link("B"), "list": { "items": link("A") } } },
        "B": { "allOf": [link("A"), link("B")] },
        "C": link("D"),
        "D": link("C"),
        "E": { "oneOf": [link("E")] },
        "F": { "additionalProperties": link("F") },
        "G": { "items": { "items": { "items": link("G") } } },
    });
    for name in ["A", "B", "C", "D", "E", "F", "G", "Missing", ""] {
        survives(&with_schema(&link(name), &schemas));
    }
}

#[test]
fn deep_and_wide_schemas_end() {
    let deep = (0..100).fold(
        json!({ "type": "string" }),
        |inner, _| json!({ "properties": { "camelCase": inner } }),
    );
    survives(&with_schema(&deep, &json!({})));
    let lists = (0..100).fold(json!({ "type": "string" }), |inner, _| json!({ "items": inner }));
    survives(&with_schema(&lists, &json!({})));
    let wide: Map<String, Value> = (0..5_000)
        .map(|at| {
            (format!("field{at}"), json!({ "type": "string", "description": "x ".repeat(300) }))
        })
        .collect();
    survives(&with_schema(&json!({ "properties": wide, "required": ["field1"] }), &json!({})));
    // Each refers twice to the next: expanded, there are 2^60.
    let chain: Map<String, Value> = (0..60)
        .map(|at| {
            let next = json!({ "$ref": format!("#/components/schemas/T{}", at + 1) });
            (format!("T{at}"), json!({ "properties": { "a": next, "b": next } }))
        })
        .collect();
    survives(&with_schema(&json!({ "$ref": "#/components/schemas/T0" }), &chain.into()));
    survives(&"[".repeat(100_000));
}

#[test]
fn repeated_and_strange_names_are_told_apart() {
    let mut paths = String::new();
    for path in [
        "/a%2Fb",
        "/ü/{x y}",
        "/{a}/{a}",
        "/{}/b",
        "/x?y={z}&q=1",
        "/../a",
        "/{open",
        "/close}",
        "/c#d",
        "no-slash",
        "/$a/{$b}",
    ] {
        write!(paths, "{}: {{ get: {{ operationId: same, tags: [Types] }}, post: {{ operationId: same }} }}, ", json!(path)).unwrap();
    }
    survives(&format!("{{ openapi: 3.0.0, paths: {{ {paths} }} }}"));
    let names: Map<String, Value> = [
        "self",
        "Self",
        "a-b",
        "a_b",
        "aB",
        "$x",
        "",
        "日本",
        "1",
        "a?",
        "a",
        "limit",
        "confirm",
        "x\u{200b}",
        "\"",
        "'",
        "'\"",
        "true",
        "null",
        "a: b",
        "- c",
        "#d",
    ]
    .into_iter()
    .map(|name| (name.to_owned(), json!({ "type": "object", "properties": { "kebab-case": {} } })))
    .collect();
    survives(&with_schema(&json!({ "properties": names }), &names.clone().into()));
}

/// A value that may stand anywhere.
fn any_value() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "string",
        "object",
        "array",
        "integer",
        "null",
        "#/components/schemas/Order",
        "#/paths",
        "#",
        "$x",
        "a{b}",
        "\u{202e}",
        "",
        "yes",
        "2026-01-01",
        "application/json",
        "query",
        "path",
        "-",
        ": ",
        "🦀",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
    ];
    let key = prop::sample::select(vec![
        "$ref",
        "type",
        "properties",
        "items",
        "enum",
        "allOf",
        "oneOf",
        "required",
        "schema",
        "name",
        "in",
        "pattern",
        "default",
        "example",
        "x",
        "get",
        "minimum",
        "style",
        "description",
        "summary",
        "operationId",
        "tags",
    ]);
    leaf.prop_recursive(3, 12, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..4).prop_map(|members| {
                members
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect::<Map<_, _>>()
                    .into()
            }),
        ]
    })
}

/// Replaces, removes or renames the value at a position, counted through the whole document.
fn mutate(value: &mut Value, at: &mut usize, new: &Value, name: Option<&str>) {
    match value {
        Value::Object(members) => {
            for key in members.keys().cloned().collect::<Vec<_>>() {
                if *at == 0 {
                    let old = members.get(&key).cloned().unwrap_or_default();
                    match name {
                        Some(name) => members.insert(name.to_owned(), old),
                        None => members.insert(key, new.clone()),
                    };
                    *at = usize::MAX;
                    return;
                }
                *at -= 1;
                mutate(&mut members[&key], at, new, name);
                if *at == usize::MAX {
                    return;
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                mutate(item, at, new, name);
                if *at == usize::MAX {
                    return;
                }
            }
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn changed_documents_load_or_are_refused(
        changes in prop::collection::vec((0_usize..400, any_value(), prop::option::of(".{0,12}")), 1..6),
        is_shop: bool,
    ) {
        let mut document: Value = if is_shop { serde_yaml::from_str(SHOP).unwrap() } else { serde_json::from_str(NOTES).unwrap() };
        for (mut at, new, name) in changes {
            mutate(&mut document, &mut at, &new, name.as_deref());
        }
        survives(&document.to_string());
    }

    #[test]
    fn any_text_is_refused(text in ".{0,200}") {
        survives(&text);
    }
}

/// The time to parse such documents grows with the square of their depth.
#[test]
fn deeply_nested_documents_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("a.yaml", "[".repeat(1_000_000)),
        ("b.json", "{\"a\":".repeat(240_000)),
        ("c.yaml", "- ".repeat(500_000)),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let error =
            toolwrit_openapi::import(path.to_str().unwrap(), &toolwrit_openapi::Options::default());
        let error = error.unwrap_err().to_string();
        assert!(error.contains("nested more than 128 levels deep"), "{name}: {error}");
    }
}
