//! The JSON Schema of the configuration file, for editors. It is made from the flags that the keys set.

use clap::Arg;
use serde_json::{Map, Value, json};

use super::file::is_text;
#[cfg(feature = "upstreams")]
use super::modes::{FOCUS, ROLES};
use super::{CLIENTS, KeyKind, OPERATIONS, PROVIDERS, clients, key, operations};

/// Returns the schema of a server's configuration, draft 2020-12. `further` are the schemas of tables that only some servers
/// have.
pub(crate) fn schema(
    server: &str,
    keys: &[Arg],
    further: impl IntoIterator<Item = (&'static str, Value)>,
) -> Value {
    let mut properties: Map<String, Value> =
        keys.iter().map(|arg| (key(arg), property(arg))).collect();
    let client_properties = keys.iter().filter(|arg| clients::KEYS.contains(&key(arg).as_str()));
    let client_properties: Map<String, Value> =
        client_properties.map(|arg| (key(arg), property(arg))).collect();
    let client =
        json!({"type": "object", "properties": client_properties, "additionalProperties": false});
    properties.insert(
        CLIENTS.to_owned(),
        json!({
            "type": "object",
            "description": "Settings for single clients, by the name in their `clientInfo`.",
            "additionalProperties": client,
        }),
    );
    let timeout = json!({
        "type": "string",
        "description": "Time limit of the handler, such as 30s; overrides the manifest.",
    });
    properties.insert(
        OPERATIONS.to_owned(),
        json!({
            "type": "object",
            "description": "Limits of single operations, by id.",
            "additionalProperties": {
                "type": "object",
                "properties": { operations::TIMEOUT: timeout },
                "additionalProperties": false,
            },
        }),
    );
    properties.insert(
        PROVIDERS.to_owned(),
        json!({
            "type": "object",
            "description": "Settings of providers, by name.",
            "additionalProperties": { "type": "object" },
        }),
    );
    #[cfg(feature = "upstreams")]
    properties.insert(
        super::UPSTREAMS.to_owned(),
        json!({
            "type": "object",
            "description": "MCP servers of others, by name.",
            "additionalProperties": { "type": "object" },
        }),
    );
    #[cfg(feature = "upstreams")]
    {
        let modes = |what: &str| {
            let list = json!({"type": "array", "items": {"type": "string"}});
            json!({
                "type": "object",
                "description": what,
                "additionalProperties": {
                    "type": "object",
                    "properties": {
                        "summary": {"type": "string"}, "extends": {"type": "string"},
                        "allow": list, "deny": list, "default": {"type": "boolean"},
                    },
                    "additionalProperties": false,
                },
            })
        };
        let chosen = properties.remove(FOCUS).unwrap_or_default();
        let focus = json!({"anyOf": [chosen, modes("Parts of focus modes, by name.")]});
        properties.insert(FOCUS.to_owned(), focus);
        properties.insert(ROLES.to_owned(), modes("Parts of roles, by name."));
    }
    #[cfg(feature = "postgres")]
    properties.insert(super::state::STATE.to_owned(), super::state::StateTable::schema());
    properties.extend(further.into_iter().map(|(name, schema)| (name.to_owned(), schema)));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("Configuration of {}", server),
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

fn property(arg: &Arg) -> Value {
    let words: Vec<String> =
        arg.get_possible_values().iter().map(|word| word.get_name().to_owned()).collect();
    let single = if !words.is_empty() {
        json!({ "enum": words })
    } else if is_text(arg) {
        json!({ "type": "string" })
    } else {
        json!({ "type": ["string", "number"] })
    };
    let mut schema = match KeyKind::from_arg(arg) {
        KeyKind::Switch => json!({ "type": "boolean" }),
        KeyKind::List => json!({ "type": "array", "items": single }),
        KeyKind::Tables => {
            json!({ "type": "object", "additionalProperties": { "type": "object" } })
        }
        KeyKind::Single => single,
    };
    if let (Some(help), Value::Object(schema)) = (arg.get_help(), &mut schema) {
        schema.insert("description".to_owned(), help.to_string().into());
    }
    schema
}
