//! JSON Schema with what a provider understands.

use serde_json::{Map, Value, json};

use super::ToolFormat;

/// The keywords that Gemini documents. Others make it refuse the request, and so does an empty text in an `enum`.
const GEMINI: [&str; 22] = [
    "$id",
    "$defs",
    "$ref",
    "$anchor",
    "type",
    "format",
    "title",
    "description",
    "enum",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "anyOf",
    "oneOf",
    "properties",
    "additionalProperties",
    "required",
    "propertyOrdering",
    "nullable",
];

/// The keywords that Ollama's types have; its templates show models nothing else.
const OLLAMA: [&str; 6] = ["type", "description", "enum", "items", "properties", "required"];

/// How deep references are followed. What lies deeper is any value.
const DEPTH: usize = 8;

/// The schema of parameters as the provider of a format takes it.
pub(super) fn reduce(format: ToolFormat, parameters: &Value) -> Value {
    let mut schema = match format {
        ToolFormat::Gemini => keep_keywords(parameters, &GEMINI),
        ToolFormat::Ollama => {
            keep_keywords(&inline_references(parameters, &parameters["$defs"], DEPTH), &OLLAMA)
        }
        _ => parameters.clone(),
    };
    if let Value::Object(fields) = &mut schema {
        if !matches!(format, ToolFormat::Mcp | ToolFormat::OpenApi) {
            fields.shift_remove("$schema");
        }
        // Providers want an object with properties even if there are none.
        fields.entry("type").or_insert_with(|| json!("object"));
        fields.entry("properties").or_insert_with(|| json!({}));
    }
    schema
}

/// A schema without the keywords that are not among `known`. What a removed keyword says goes into the description, so that
/// the model knows it; the engine checks it in any case.
fn keep_keywords(schema: &Value, known: &[&str]) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    let mut kept = Map::new();
    let mut said = Vec::new();
    for (key, value) in fields {
        match key.as_str() {
            "properties" | "$defs" => {
                let Value::Object(inner) = value else { continue };
                let inner = inner
                    .iter()
                    .map(|(name, schema)| (name.clone(), keep_keywords(schema, known)))
                    .collect();
                kept.insert(key.clone(), Value::Object(inner));
            }
            "anyOf" | "oneOf" | "prefixItems" if known.contains(&key.as_str()) => {
                kept.insert(key.clone(), keep_keywords_of_all(value, known));
            }
            "items" | "additionalProperties" if known.contains(&key.as_str()) => {
                kept.insert(key.clone(), keep_keywords(value, known));
            }
            "const" => {
                kept.insert("enum".to_owned(), json!([value]));
            }
            "enum" if known == GEMINI => {
                let values = value.as_array().cloned().unwrap_or_default();
                let (empty, values): (Vec<_>, Vec<_>) =
                    values.into_iter().partition(|value| value == "");
                if !values.is_empty() {
                    kept.insert(key.clone(), values.into());
                }
                if !empty.is_empty() {
                    said.push("or empty".to_owned());
                }
            }
            _ if known.contains(&key.as_str()) => {
                kept.insert(key.clone(), value.clone());
            }
            "pattern" | "minLength" | "maxLength" | "minimum" | "maximum" | "exclusiveMinimum"
            | "exclusiveMaximum" | "default" | "minItems" | "maxItems" | "multipleOf"
            | "format" => said.push(format!("{key}: {value}")),
            _ => {}
        }
    }
    if !said.is_empty() {
        let description = kept.get("description").and_then(Value::as_str).unwrap_or_default();
        let space = if description.is_empty() { "" } else { " " };
        let description = format!("{description}{space}({})", said.join(", "));
        kept.insert("description".to_owned(), Value::from(description));
    }
    Value::Object(kept)
}

fn keep_keywords_of_all(schemas: &Value, known: &[&str]) -> Value {
    match schemas {
        Value::Array(all) => all.iter().map(|schema| keep_keywords(schema, known)).collect(),
        other => other.clone(),
    }
}

/// A schema in which references are replaced by what they refer to, and alternatives by the list of their types.
fn inline_references(schema: &Value, definitions: &Value, depth: usize) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    if depth == 0 {
        return json!({});
    }
    let inner = |schema: &Value| inline_references(schema, definitions, depth - 1);
    let target = fields
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|target| target.strip_prefix("#/$defs/"));
    let mut kept = match target.and_then(|name| inner(&definitions[name]).as_object().cloned()) {
        Some(target) => target,
        None => Map::new(),
    };
    for (key, value) in fields {
        match (key.as_str(), value) {
            ("$ref" | "$defs", _) => {}
            ("anyOf" | "oneOf", Value::Array(alternatives)) => {
                merge_alternatives(&mut kept, alternatives.iter().map(inner));
            }
            ("properties", Value::Object(properties)) => {
                let properties =
                    properties.iter().map(|(name, schema)| (name.clone(), inner(schema))).collect();
                kept.insert(key.clone(), Value::Object(properties));
            }
            ("items", schema) => {
                kept.insert(key.clone(), inner(schema));
            }
            _ => {
                kept.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Object(kept)
}

/// The types of all alternatives; of each other keyword, what the first alternative says.
fn merge_alternatives(kept: &mut Map<String, Value>, alternatives: impl Iterator<Item = Value>) {
    let mut types = Vec::new();
    for alternative in alternatives {
        let Value::Object(fields) = alternative else { continue };
        for (key, value) in fields {
            match value {
                Value::Array(several) if key == "type" => types.extend(several),
                one if key == "type" => types.push(one),
                value => {
                    kept.entry(key).or_insert(value);
                }
            }
        }
    }
    let mut different: Vec<Value> = Vec::new();
    for kind in types {
        if !different.contains(&kind) {
            different.push(kind);
        }
    }
    match different.len() {
        0 => {}
        1 => drop(kept.insert("type".to_owned(), different.remove(0))),
        _ => drop(kept.insert("type".to_owned(), Value::Array(different))),
    }
}
