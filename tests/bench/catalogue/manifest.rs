//! Generates a manifest from any list of tools, with an operation for each tool.

use serde_json::{Map, Value, json};

use crate::losses::{Loss, Losses};
use crate::naming::{self, Id};
use crate::parameters::{Declared, Lowering};
use crate::texts;
use crate::tools::Tool;

/// The manifest in YAML, and what the conversion lost.
pub(crate) fn manifest(tools: &[Tool]) -> (String, Losses) {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let ids = naming::ids(&names);
    let mut losses = Losses::default();
    let mut declared = Declared::default();
    let mut operations = Map::new();
    for (tool, id) in tools.iter().zip(&ids) {
        let operation = operation(tool, &mut declared, &mut losses);
        operations.insert(format!("{}.{}", id.category, id.operation), operation);
    }
    let manifest = json!({
        "toolwrit": 1,
        "server": { "name": "catalogue" },
        "types": declared.into_types(),
        "categories": categories(&ids),
        "operations": operations,
    });
    (serde_yaml::to_string(&manifest).unwrap(), losses)
}

/// The categories, the largest first, because the meta surface names only some.
fn categories(ids: &[Id]) -> Map<String, Value> {
    let mut sizes: Vec<(&str, usize)> = Vec::new();
    for id in ids {
        match sizes.iter_mut().find(|(name, _)| *name == id.category) {
            Some((_, size)) => *size += 1,
            None => sizes.push((&id.category, 1)),
        }
    }
    sizes.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    let category =
        |name: &str| json!({ "summary": format!("The tools for {}.", name.replace('_', " ")) });
    sizes.into_iter().map(|(name, _)| (name.to_owned(), category(name))).collect()
}

fn operation(tool: &Tool, declared: &mut Declared, losses: &mut Losses) -> Value {
    for member in tool.others.keys() {
        losses.add(Loss::Member(member.clone()), &tool.name);
    }
    let (summary, description) = texts::summary(tool, losses);
    let mut operation = Map::from_iter([("summary".to_owned(), json!(summary))]);
    let mut say = |key: &str, value: Value| drop(operation.insert(key.to_owned(), value));
    if let Some(description) = description {
        say("description", json!(description));
    }
    let hints = &tool.annotations;
    let effect = match (hints.read_only_hint, hints.destructive_hint) {
        (true, _) => "read",
        (_, Some(true)) => "destroy",
        _ => "write",
    };
    say("effect", json!(effect));
    match effect {
        "destroy" => say("confirm", json!(true)),
        // In MCP a tool without the hint may be destructive.
        "write" if hints.destructive_hint.is_none() => say("overwrites", json!(true)),
        _ => {}
    }
    if effect != "read" && hints.idempotent_hint {
        say("idempotent", json!(true));
    }
    if hints.open_world_hint != Some(false) {
        say("open_world", json!(true));
    }
    say("tool", json!(tool.name));
    let mut lowering = Lowering { tool: &tool.name, declared, losses };
    let params = lowering.fields(&tool.input_schema, &tool.name);
    if !params.is_empty() {
        say("params", Value::Object(params));
    }
    Value::Object(operation)
}
