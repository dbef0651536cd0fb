//! The format of MCP.

use serde_json::{Value, json};

use crate::tools::{Effect, Tool, World};

/// The result of `tools/list`.
pub(super) fn describe_tools(tools: &[Tool]) -> Value {
    let described = |tool: &Tool| {
        let mut value = json!({ "name": tool.name });
        if let Some(title) = &tool.title {
            value["title"] = json!(title);
        }
        value["description"] = json!(tool.description);
        value["inputSchema"] = tool.parameters.clone();
        if let Some(returns) = tool.returns.as_ref().filter(|returns| returns["type"] == "object") {
            value["outputSchema"] = returns.clone();
        }
        value["annotations"] = json!({
            "readOnlyHint": tool.effect == Effect::Read,
            "destructiveHint": tool.effect == Effect::Destroy,
            "idempotentHint": tool.idempotent || tool.effect == Effect::Read,
            "openWorldHint": tool.world != World::Closed,
        });
        value
    };
    json!({ "tools": tools.iter().map(described).collect::<Vec<_>>() })
}
