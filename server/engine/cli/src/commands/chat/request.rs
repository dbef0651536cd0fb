//! A request to a model as JSON, for people who want to see it.

use std::str::FromStr as _;

use serde_json::{Value, json};

use crate::exit::Exit;
use toolwrit_chat::provider::{Message, Request};
use toolwrit_chat::tool_formats::ToolFormat;
use toolwrit_chat::tools::Tool;

/// The tools as a model of this dialect sees them.
pub(super) fn tools(tools: &[Tool], dialect: &str) -> Result<Value, Exit> {
    let format = ToolFormat::from_str(dialect).map_err(Exit::configuration)?;
    format.describe(tools).map_err(Exit::configuration)
}

/// The whole request.
pub(super) fn request(request: &Request, dialect: &str) -> Result<Value, Exit> {
    let messages: Vec<Value> = request.messages.iter().map(message).collect();
    Ok(json!({ "messages": messages, "tools": tools(&request.tools, dialect)? }))
}

fn message(message: &Message) -> Value {
    match message {
        Message::User { text, images } if images.is_empty() => {
            json!({ "role": "user", "content": text })
        }
        Message::User { text, images } => {
            json!({ "role": "user", "content": text, "images": images.len() })
        }
        Message::Assistant { text, calls, .. } => {
            let calls: Vec<Value> = calls
                .iter()
                .map(|call| json!({ "id": call.id.as_str(), "name": call.name, "arguments": call.arguments }))
                .collect();
            json!({ "role": "assistant", "content": text, "calls": calls })
        }
        Message::Results(results) => {
            let results: Vec<Value> = results
                .iter()
                .map(|result| json!({ "id": result.id.as_str(), "name": result.name, "content": result.text }))
                .collect();
            json!({ "role": "tool", "results": results })
        }
    }
}
