//! Gemini's format.

use serde_json::{Map, Value, json};

use super::ToolFormat;
use crate::tools::Tool;

/// `tools` of the Gemini API: one entry with all functions.
pub(super) fn describe_tools(format: ToolFormat, tools: &[Tool]) -> Value {
    let function = |tool: &Tool| {
        let mut function = Map::new();
        function.insert("name".to_owned(), json!(tool.name));
        function.insert("description".to_owned(), json!(format.description(tool)));
        function.insert("parametersJsonSchema".to_owned(), format.schema(&tool.parameters));
        Value::Object(function)
    };
    json!([{ "functionDeclarations": tools.iter().map(function).collect::<Vec<_>>() }])
}
