//! JSON and JSON with comments.

use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

use super::{Refusal, Server};
use crate::clients::Client;
use crate::clients::document::Syntax;

pub(super) fn add(
    text: &str,
    syntax: Syntax,
    client: &Client,
    server: Server<'_>,
) -> Result<String, Refusal> {
    let (root, object) = root(text, syntax)?;
    single(&object, &client.servers)?;
    let servers = object.object_value_or_create(&client.servers).ok_or_else(|| {
        Refusal(format!("has `{}`, which is not a table of servers", client.servers))
    })?;
    single(&servers, server.name)?;
    match servers.get(server.name) {
        Some(found) => {
            let entry = found.object_value();
            let entry = entry
                .ok_or_else(|| Refusal(format!("has `{}`, which is not a server", server.name)))?;
            for (key, value) in server.command(client.shape) {
                single(&entry, &key)?;
                match entry.get(&key) {
                    Some(member) => member.set_value(input(&value)),
                    None => drop(entry.append(&key, input(&value))),
                }
            }
        }
        None => {
            drop(servers.append(server.name, input(&Value::Object(server.entry(client.shape)))));
        }
    }
    Ok(root.to_string())
}

pub(super) fn remove(
    text: &str,
    syntax: Syntax,
    servers: &str,
    name: &str,
) -> Result<String, Refusal> {
    let (root, object) = root(text, syntax)?;
    single(&object, servers)?;
    if let Some(servers) = object.object_value(servers) {
        single(&servers, name)?;
        if let Some(member) = servers.get(name) {
            member.remove();
        }
    }
    Ok(root.to_string())
}

fn root(text: &str, syntax: Syntax) -> Result<(CstRootNode, CstObject), Refusal> {
    let root = CstRootNode::parse(text, &syntax.json_options())
        .map_err(|error| Refusal(format!("is not valid: {error}")))?;
    let object = root.object_value_or_create();
    let object = object.ok_or_else(|| Refusal::new("is not an object"))?;
    Ok((root, object))
}

/// Refuses a key that stands there several times: clients differ in which one counts.
fn single(object: &CstObject, key: &str) -> Result<(), Refusal> {
    let is_key = |name: Option<String>| name.as_deref() == Some(key);
    let found = object.properties().iter().filter(|member| is_key(member.decoded_name())).count();
    if found > 1 {
        return Err(Refusal(format!("has the key `{key}` {found} times; remove all but one")));
    }
    Ok(())
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(is_set) => CstInputValue::Bool(*is_set),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(members) => CstInputValue::Object(
            members.iter().map(|(key, value)| (key.clone(), input(value))).collect(),
        ),
    }
}
