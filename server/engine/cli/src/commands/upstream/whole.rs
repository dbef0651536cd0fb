//! A tool of an upstream as a whole: all that a model may read of it, before someone approves it. Nothing is left out, and each
//! line of a foreign text has a mark, so that no text looks like a line of ours.

use serde_json::{Map, Value};

use super::lines::{Lines, json, quoted_name, way};
use super::shown::{annotations, looks};
use toolwrit_gateway::upstreams::{EffectSource, Tool, UpstreamSettings, known_effect};
use toolwrit_text::shorten::visible_line;

/// Characters of icons, which no model reads.
const ICONS: usize = 200;
/// Keywords with a table of schemas.
const TABLES: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keywords with a schema, or with a list of schemas.
const SCHEMAS: [&str; 15] = [
    "allOf",
    "anyOf",
    "oneOf",
    "prefixItems",
    "items",
    "additionalItems",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Writes all fields of a tool but its name, and what it may do.
pub(super) fn fields(lines: &mut Lines, settings: &UpstreamSettings, tool: &Tool) {
    lines.say(1, &effect(settings, tool));
    for (field, value) in tool.json() {
        match (field.as_str(), value) {
            ("name", _) => {}
            ("description", Value::String(text)) => lines.quote(1, text),
            ("inputSchema", Value::Object(of)) => schema(lines, "parameters", of),
            ("outputSchema", Value::Object(of)) => schema(lines, "result", of),
            ("icons", icons) => {
                lines.say(1, &format!("icons: {}", visible_line(&json(icons), ICONS)));
            }
            (field, value) => lines.say(1, &format!("{}: {}", quoted_name(field), json(value))),
        }
    }
    looks(tool).for_each(|look| lines.say(1, &look));
}

/// What a tool may do, and who says it.
fn effect(settings: &UpstreamSettings, tool: &Tool) -> String {
    let claimed = annotations(tool);
    match known_effect(settings, tool) {
        Some((effect, EffectSource::Configuration)) => {
            format!("effect: {}, says `effects` in the configuration", effect.as_str())
        }
        Some((effect, EffectSource::Approval)) => {
            format!("effect: {}, says its approval", effect.as_str())
        }
        Some((effect, EffectSource::Annotations)) => {
            format!("effect: {}, say its annotations, which are trusted", effect.as_str())
        }
        None if claimed.is_empty() => "effect: destroy, because nothing says it".to_owned(),
        None => format!(
            "effect: destroy, because nothing trusted says it; its annotations say: {claimed}"
        ),
    }
}

fn schema(lines: &mut Lines, title: &str, schema: &Map<String, Value>) {
    let is_plain = |(keyword, value): (&String, &Value)| match keyword.as_str() {
        "type" => value == "object",
        "properties" => value.as_object().is_some_and(Map::is_empty),
        "additionalProperties" => *value == Value::Bool(false),
        _ => false,
    };
    if schema.iter().all(is_plain) {
        lines.say(1, &format!("{title}: none"));
        return;
    }
    lines.say(1, &format!("{title}:"));
    keywords(lines, "", schema, 2);
}

/// Writes what the keywords of a schema say, and then the schemas within it.
fn keywords(lines: &mut Lines, path: &str, schema: &Map<String, Value>, depth: usize) {
    let properties = schema.get("properties").and_then(Value::as_object);
    let is_property = |name: &Value| {
        let name = name.as_str();
        name.is_some_and(|name| properties.is_some_and(|all| all.contains_key(name)))
    };
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            ("description", Value::String(text)) => lines.quote(depth, text),
            // Said where a schema begins.
            ("type", _) if type_of(schema).is_some() && !path.is_empty() => {}
            ("type", Value::String(object)) if object == "object" && path.is_empty() => {}
            ("required", Value::Array(names)) if names.iter().all(is_property) => {}
            (keyword, value) if has_schemas(keyword, value) => {}
            (keyword, value) => {
                lines.say(depth, &format!("{}: {}", quoted_name(keyword), json(value)));
            }
        }
    }
    for (keyword, value) in schema.iter().filter(|(keyword, value)| has_schemas(keyword, value)) {
        match value {
            Value::Object(table) if keyword == "properties" => {
                let required = schema.get("required").and_then(Value::as_array);
                for (name, inner) in table {
                    let is_required =
                        required.is_some_and(|all| all.iter().any(|listed| listed == name));
                    let dot = if path.is_empty() { "" } else { "." };
                    part(lines, &format!("{path}{dot}{}", quoted_name(name)), inner, is_required);
                }
            }
            Value::Object(table) if TABLES.contains(&keyword.as_str()) => {
                for (name, inner) in table {
                    part(
                        lines,
                        &within(path, &format!("{keyword} {}", quoted_name(name))),
                        inner,
                        false,
                    );
                }
            }
            Value::Array(list) => {
                for (at, inner) in (1..).zip(list) {
                    part(lines, &within(path, &format!("{keyword} {at}")), inner, false);
                }
            }
            inner if keyword == "items" && !path.is_empty() => {
                part(lines, &format!("{path}[]"), inner, false);
            }
            inner => part(lines, &within(path, keyword), inner, false),
        }
    }
}

/// Writes a schema within another one.
fn part(lines: &mut Lines, path: &str, schema: &Value, is_required: bool) {
    let required = if is_required { ", required" } else { "" };
    match schema {
        Value::Object(schema) => {
            let kind = type_of(schema).unwrap_or_else(|| "any".to_owned());
            lines.say(2, &format!("{path}: {kind}{required}"));
            keywords(lines, &way(path), schema, 3);
        }
        other => lines.say(2, &format!("{path}: {}{required}", json(other))),
    }
}

fn within(path: &str, keyword: &str) -> String {
    if path.is_empty() { keyword.to_owned() } else { format!("{path} {keyword}") }
}

/// Whether the value of a keyword is made of schemas. Any other value is shown as it is.
fn has_schemas(keyword: &str, value: &Value) -> bool {
    match value {
        Value::Object(_) => TABLES.contains(&keyword) || SCHEMAS.contains(&keyword),
        Value::Array(_) => SCHEMAS.contains(&keyword),
        _ => false,
    }
}

/// The names of its types, if they are ones of JSON Schema.
fn type_of(schema: &Map<String, Value>) -> Option<String> {
    let name = |value: &Value| {
        let name = value.as_str()?;
        let is_type = ["array", "boolean", "integer", "null", "number", "object", "string"];
        is_type.contains(&name).then(|| name.to_owned())
    };
    match schema.get("type")? {
        Value::Array(types) => {
            Some(types.iter().map(name).collect::<Option<Vec<_>>>()?.join(" or "))
        }
        one => name(one),
    }
}
