//! Tools and their results in rmcp's types.

use rmcp::model::{
    CallToolResult, ContentBlock, Implementation, MetaObject, Tool, ToolAnnotations,
};
use serde_json::json;

use crate::endpoint::ToolAnswer;
use crate::surface::{Hints, ToolDescriptor};

pub(super) fn tool(descriptor: &ToolDescriptor) -> Tool {
    let schema = descriptor.input_schema.clone();
    let mut tool = Tool::new(descriptor.name.clone(), descriptor.description.clone(), schema)
        .with_annotations(annotations(descriptor.hints));
    tool.title.clone_from(&descriptor.title);
    tool.output_schema.clone_from(&descriptor.output_schema);
    // What is not as MCP has it does not pass.
    let passed = |key: &str| descriptor.passed.get(key).cloned();
    tool.icons = passed("icons").and_then(|icons| serde_json::from_value(icons).ok());
    tool.meta = passed("_meta").and_then(|meta| serde_json::from_value(meta).ok());
    tool
}

/// The specification gives `destructiveHint` and `idempotentHint` meaning only on tools that write.
fn annotations(hints: Hints) -> ToolAnnotations {
    let annotations =
        ToolAnnotations::new().read_only(hints.read_only).open_world(hints.open_world);
    if hints.read_only {
        annotations
    } else {
        annotations.destructive(hints.destructive).idempotent(hints.idempotent)
    }
}

/// The `_meta` of a list of tools. It names the server, for clients that begin with the list.
pub(super) fn listing_meta(server: &Implementation) -> MetaObject {
    let mut meta = MetaObject::default();
    meta.0.insert("io.modelcontextprotocol/serverInfo".to_owned(), json!(server));
    meta
}

pub(super) fn result(answer: ToolAnswer) -> CallToolResult {
    // A block that rmcp does not know is sent as the text of the result.
    let blocks = answer.content.and_then(|blocks| serde_json::from_value(blocks).ok());
    let mut content = blocks.unwrap_or_else(|| vec![ContentBlock::text(answer.text)]);
    let mut meta = answer.meta.map(MetaObject);
    if let Some(hint) = answer.migration {
        let object = meta.get_or_insert_default();
        object.0.insert("toolwrit/migration".to_owned(), hint.clone().into());
        content.push(ContentBlock::text(hint));
    }
    let mut result = if answer.code.is_some() {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    result.structured_content = answer.structured;
    result.meta = meta;
    result
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Map, json};

    use crate::surface::{Hints, ToolDescriptor};

    /// Costs are measured on `ToolDescriptor::to_json`, so it must be what clients get, byte for byte.
    #[test]
    fn a_descriptor_serializes_as_it_is_sent() {
        let schema = serde_json::from_str(r#"{"type":"object","properties":{},"required":[]}"#);
        let schema = Arc::new(schema.unwrap());
        let changing =
            Hints { read_only: false, destructive: true, idempotent: false, open_world: true };
        let plain = ToolDescriptor {
            name: "vault_read".to_owned(),
            title: None,
            description: "Read a note.".to_owned(),
            input_schema: Arc::clone(&schema),
            output_schema: None,
            hints: Hints::READ_ONLY,
            passed: Map::new(),
        };
        let icon = json!({ "src": "https://icons.example/read.svg", "sizes": ["any"] });
        let passed = json!({ "icons": [icon], "_meta": { "ui": { "resourceUri": "ui://read" } } });
        let full = ToolDescriptor {
            passed: passed.as_object().unwrap().clone(),
            title: Some("Read".to_owned()),
            output_schema: Some(schema),
            hints: changing,
            ..plain.clone()
        };
        for descriptor in [plain, full] {
            let sent = serde_json::to_string(&super::tool(&descriptor)).unwrap();
            assert_eq!(descriptor.to_json().to_string(), sent);
        }
    }
}
