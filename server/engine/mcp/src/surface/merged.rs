//! Tools that stand for several operations, told apart by a parameter.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::descriptor::{Hints, ToolDescriptor, object, schema, sentence};
use super::{SurfaceTool, ToolTarget};
use toolwrit_core::authority::{Category, Field, MergedTool, Operation, Presence, Returns};
use toolwrit_core::policy::Policy;

/// The operations of a merged tool, with the values that name them.
pub(super) type Named<'a> = (&'a str, &'a Operation);

pub(super) fn tool(policy: &Policy, tool: &MergedTool) -> SurfaceTool {
    let tables = policy.tables();
    let visible = tool
        .operations
        .iter()
        .filter(|merged_operation| policy.shows(merged_operation.operation.into()));
    let visible: Vec<Named<'_>> = visible
        .map(|merged_operation| {
            (
                merged_operation.value.as_str(),
                &*tables.operations[usize::from(merged_operation.operation)],
            )
        })
        .collect();
    let category = visible.first().map(|(_, operation)| tables.category_of(operation));
    SurfaceTool {
        name: tool.name.clone(),
        target: ToolTarget::Merged,
        descriptor: category.map(|category| descriptor(category, tool, &visible)),
    }
}

/// The tool for some of its operations.
pub(super) fn descriptor(
    category: &Category,
    tool: &MergedTool,
    operations: &[Named<'_>],
) -> ToolDescriptor {
    let calls: Vec<String> = operations.iter().map(outline).collect();
    ToolDescriptor {
        name: tool.name.clone(),
        title: Some(format!("{}: {}", category.title, tool.title)),
        description: format!("{} {}", sentence(&tool.summary), calls.join("; ")),
        input_schema: Arc::new(input_schema(&tool.by, operations)),
        output_schema: output_schema(operations).map(Arc::new),
        hints: Hints::combine(operations.iter().map(|(_, operation)| *operation)),
        passed: Map::new(),
    }
}

/// `find(thing, shelf?)`: the schema does not say which operation takes which parameters.
fn outline((value, operation): &Named<'_>) -> String {
    let mark = |field: &Field| match field.presence {
        Presence::Required => field.name.clone(),
        Presence::Optional | Presence::Default(_) => format!("{}?", field.name),
    };
    let names: Vec<String> = operation.inputs.iter().map(mark).collect();
    format!("{value}({})", names.join(", "))
}

/// All parameters of the operations. Only those that each of them requires are required. The manifest's check
/// ensures that parameters of the same name are the same.
fn input_schema(by: &str, operations: &[Named<'_>]) -> Map<String, Value> {
    let values: Vec<&str> = operations.iter().map(|(value, _)| *value).collect();
    let mut properties = Map::new();
    properties.insert(by.to_owned(), json!({"type": "string", "enum": values}));
    let schemas: Vec<_> =
        operations.iter().map(|(_, operation)| schema(&operation.input_schema)).collect();
    for schema in &schemas {
        for (name, property) in members(schema) {
            properties.entry(name).or_insert_with(|| property.clone());
        }
    }
    let is_required = |schema: &Map<String, Value>, name: &str| {
        let required = schema.get("required").and_then(Value::as_array);
        required.is_some_and(|required| required.iter().any(|listed| listed == name))
    };
    let mut required: Vec<&str> = properties
        .keys()
        .map(String::as_str)
        .filter(|name| *name == by || schemas.iter().all(|schema| is_required(schema, name)))
        .collect();
    required.sort_unstable();
    object(json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    }))
}

/// All fields of the results, except those that differ between operations. `None` if a result has no schema.
fn output_schema(operations: &[Named<'_>]) -> Option<Map<String, Value>> {
    let mut properties: Map<String, Value> = Map::new();
    let mut different = Vec::new();
    for (_, operation) in operations {
        let (Returns::Object(text) | Returns::Wrapped(text)) = &operation.returns else {
            return None;
        };
        for (name, property) in members(&schema(text)) {
            match properties.get(name) {
                Some(known) if known != property => different.push(name.clone()),
                Some(_) => {}
                None => drop(properties.insert(name.clone(), property.clone())),
            }
        }
    }
    properties.retain(|name, _| !different.contains(name));
    Some(object(json!({"type": "object", "properties": properties, "required": []})))
}

fn members(schema: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}
