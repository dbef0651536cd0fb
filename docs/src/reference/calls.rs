//! A call of an operation in every form: as a tool call on each surface, as a command and as an HTTP request.

use serde_json::{Map, Value, json};
use toolwrit_manifest::{Model, Operation};

use super::{invocation, tool_name, tool_suffix};
use crate::document::{Block, Tab};

/// The forms of a call with these arguments.
pub(super) fn call_forms(model: &Model, operation: &Operation, args: &Map<String, Value>) -> Block {
    let flat = flat_call(model, operation, args.clone().into());
    let markdown = format!("`{}`\n\n```json\n{flat:#}\n```", operation.id);
    let tab = |name, language, text| Tab { name, blocks: vec![Block::Code { language, text }] };
    Block::Tabs(vec![
        tab("Flat", "json", format!("{flat:#}")),
        tab("Dispatch", "json", format!("{:#}", dispatch_call(model, operation, args))),
        tab("Meta", "json", format!("{:#}", meta_call(model, operation, args))),
        tab("Command line", "sh", invocation::shell_command(operation, args)),
        tab("curl", "sh", curl_command(&flat)),
        tab("Markdown", "markdown", markdown),
    ])
}

/// The call on the flat surface.
pub(super) fn flat_call(model: &Model, operation: &Operation, mut arguments: Value) -> Value {
    let tool = match model.merged_tool_of(operation) {
        Some((tool, value)) => {
            arguments[&tool.by] = value.into();
            &tool.name
        }
        None => &operation.wire_name,
    };
    json!({ "name": tool_name(model, tool), "arguments": arguments })
}

fn dispatch_call(model: &Model, operation: &Operation, args: &Map<String, Value>) -> Value {
    let category = &model[operation.category];
    if category.direct {
        return flat_call(model, operation, args.clone().into());
    }
    let tool = format!("{}_{}", category.wire_name, tool_suffix(operation.effect));
    let arguments = json!({ "operation": operation.name, "params": args });
    json!({ "name": tool_name(model, &tool), "arguments": arguments })
}

fn meta_call(model: &Model, operation: &Operation, args: &Map<String, Value>) -> Value {
    let tool = format!("execute_{}", tool_suffix(operation.effect));
    json!({ "name": tool_name(model, &tool), "arguments": { "tool": operation.id, "args": args } })
}

fn curl_command(call: &Value) -> String {
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call });
    format!(
        "curl http://127.0.0.1:8080/mcp/flat \\\n  -H 'content-type: application/json' \\\n  \
         -H 'accept: application/json, text/event-stream' \\\n  -d {}",
        invocation::quote_word(&request.to_string())
    )
}
