//! The arguments of a tool as callers see them, after what the operator says about them.

use serde_json::{Map, Value};
use toolwrit_core::authority::ArgumentMapping;
use toolwrit_upstreams::Tool;

use super::tools::{ArgumentSettings, Fixed, ToolSettings};

/// Keywords of an object that remain true if properties change. The tool's own schema, which the changed arguments must fit too,
/// has the others.
const KEPT: [&str; 5] = ["$schema", "type", "description", "$defs", "definitions"];

/// The schema of the arguments that callers may give.
pub(crate) fn schema(tool: &Tool, settings: &ToolSettings) -> Map<String, Value> {
    let own = tool.input_schema().and_then(Value::as_object).cloned().unwrap_or_default();
    if settings.arguments.is_empty() {
        return own;
    }
    let said = |name: &str| settings.arguments.get(name);
    let shown = |name: &str| said(name).is_none_or(ArgumentSettings::is_shown);
    let renamed = |name: &str| {
        said(name).and_then(|said| said.name.clone()).unwrap_or_else(|| name.to_owned())
    };
    let properties = own.get("properties").and_then(Value::as_object);
    let properties = properties.into_iter().flatten().filter(|(name, _)| shown(name));
    let properties = properties.map(|(name, schema)| {
        (renamed(name), said(name).map_or_else(|| schema.clone(), |said| described(schema, said)))
    });
    let is_given = |name: &str| said(name).is_none_or(|said| said.default.is_none());
    let required = own.get("required").and_then(Value::as_array).into_iter().flatten();
    let required = required.filter_map(Value::as_str);
    let demanded = settings.arguments.iter().filter(|(_, said)| said.required);
    let required = required.chain(demanded.map(|(name, _)| name.as_str()));
    let mut required: Vec<String> =
        required.filter(|name| shown(name) && is_given(name)).map(renamed).collect();
    required.sort_unstable();
    required.dedup();
    let properties: Map<String, Value> = properties.collect();
    let mut schema: Map<String, Value> =
        own.iter().filter(|(key, _)| KEPT.contains(&key.as_str())).map(cloned).collect();
    schema.insert("properties".to_owned(), properties.into());
    schema.insert("required".to_owned(), required.into());
    // A name that is not shown must not pass as a further one.
    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}

fn cloned((key, value): (&String, &Value)) -> (String, Value) {
    (key.clone(), value.clone())
}

/// The schema of one argument, with what the operator says of it.
fn described(schema: &Value, said: &ArgumentSettings) -> Value {
    let Value::Object(schema) = schema else { return schema.clone() };
    let mut schema = schema.clone();
    if let Some(text) = &said.description {
        schema.insert("description".to_owned(), text.as_str().into());
    }
    if let Some(value) = &said.default {
        schema.insert("default".to_owned(), value.clone());
    }
    schema.into()
}

/// How the arguments that callers give become those of the tool, but for secrets.
pub(crate) fn mapping(settings: &ToolSettings) -> ArgumentMapping {
    let renamed =
        settings.arguments.iter().filter_map(|(own, said)| Some((said.name.clone()?, own.clone())));
    let values = settings.arguments.iter().filter_map(|(own, said)| {
        let fixed = match &said.fixed {
            Some(Fixed::Value(value)) => Some(value),
            _ => None,
        };
        Some((own.clone(), fixed.or(said.default.as_ref())?.clone()))
    });
    ArgumentMapping { names: renamed.collect(), values: values.collect() }
}

/// The names of arguments in the configuration that a tool does not have.
pub(crate) fn unknown<'a>(
    tool: &'a Tool,
    settings: &'a ToolSettings,
) -> impl Iterator<Item = &'a str> {
    let properties = tool.input_schema().and_then(|schema| schema.get("properties"));
    let has = move |name: &str| properties.is_some_and(|properties| properties.get(name).is_some());
    settings.arguments.keys().map(String::as_str).filter(move |name| !has(name))
}

/// The names that arguments get, and that others of the tool have.
pub(crate) fn taken<'a>(
    tool: &'a Tool,
    settings: &'a ToolSettings,
) -> impl Iterator<Item = &'a str> {
    let properties = tool.input_schema().and_then(|schema| schema.get("properties"));
    let names = settings.arguments.values().filter_map(|said| said.name.as_deref());
    names.filter(move |name| properties.is_some_and(|properties| properties.get(name).is_some()))
}
