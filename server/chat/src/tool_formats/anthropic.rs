//! Anthropic's format.

use serde_json::{Value, json};

use super::ToolFormat;
use crate::tools::Tool;

/// The search for tools whose definitions are not sent at first.
const SEARCH: &str = "tool_search_tool_bm25_20251119";

/// `tools` of the Messages API. If tools are deferred, the search for them is a tool, too.
pub(super) fn describe_tools(format: ToolFormat, tools: &[Tool]) -> Value {
    let mut described: Vec<Value> = Vec::with_capacity(tools.len() + 1);
    let deferred = tools.iter().any(|tool| tool.deferred);
    if deferred {
        described.push(json!({ "type": SEARCH, "name": "tool_search_tool_bm25" }));
    }
    for tool in tools {
        let mut value = json!({
            "name": tool.name,
            "description": format.description(tool),
            "input_schema": format.schema(&tool.parameters),
        });
        if !tool.examples.is_empty() {
            value["input_examples"] = json!(tool.examples);
        }
        if tool.deferred {
            value["defer_loading"] = json!(true);
        }
        described.push(value);
    }
    Value::Array(described)
}
