//! `OpenAPI` 3.1, whose schemas are those of JSON Schema.

use serde_json::{Map, Value, json};

use crate::tools::Tool;

/// A document with a path for each tool.
pub(super) fn write_document(tools: &[Tool]) -> Value {
    let paths: Map<String, Value> = tools
        .iter()
        .map(|tool| (format!("/{}", tool.name), json!({ "post": describe_operation(tool) })))
        .collect();
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Tools", "version": "1" },
        "paths": paths,
    })
}

fn describe_operation(tool: &Tool) -> Value {
    let mut media = json!({ "schema": tool.parameters });
    if !tool.examples.is_empty() {
        let example = |(number, value): (usize, &Value)| {
            (format!("example{}", number + 1), json!({ "value": value }))
        };
        media["examples"] = Value::Object(tool.examples.iter().enumerate().map(example).collect());
    }
    let result = tool.returns.clone().unwrap_or_else(|| json!({}));
    json!({
        "operationId": tool.name,
        "summary": tool.title.as_deref().unwrap_or(&tool.id),
        "description": tool.description,
        "requestBody": { "required": true, "content": { "application/json": media } },
        "responses": {
            "200": { "description": "The result.", "content": { "application/json": { "schema": result } } },
            "default": {
                "description": "An error.",
                "content": { "application/json": { "schema": {
                    "type": "object",
                    "properties": { "error": { "type": "object", "properties": { "code": { "type": "string" }, "message": { "type": "string" } }, "required": ["code", "message"] } },
                    "required": ["error"],
                } } },
            },
        },
        "x-effect": tool.effect.as_str(),
    })
}
