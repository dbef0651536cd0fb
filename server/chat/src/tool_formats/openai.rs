//! `OpenAI`'s formats, which many providers share.

use serde_json::{Value, json};

use super::ToolFormat;
use crate::tools::Tool;

/// `tools` of chat completions.
pub(super) fn describe_functions(format: ToolFormat, tools: &[Tool]) -> Value {
    let function = |tool: &Tool| {
        json!({
            "type": "function",
            "function": {
                "name": tool.name,
                "description": format.description(tool),
                "parameters": format.schema(&tool.parameters),
            },
        })
    };
    tools.iter().map(function).collect()
}

/// `tools` of the Responses API. Not strict: strict schemas have no optional parameters.
pub(super) fn describe_for_responses(format: ToolFormat, tools: &[Tool]) -> Value {
    let function = |tool: &Tool| {
        json!({
            "type": "function",
            "name": tool.name,
            "description": format.description(tool),
            "parameters": format.schema(&tool.parameters),
            "strict": false,
        })
    };
    tools.iter().map(function).collect()
}
