//! Parses a line of stdio: a JSON-RPC message, or the error that answers an invalid line.

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ClientRequest, ErrorData, JsonObject, JsonRpcMessage, JsonRpcVersion2_0,
    MetaObject, RequestId, RequestMetaObject,
};
use rmcp::service::RxJsonRpcMessage;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::error::Category;

use crate::protocol::ToolCall;
use toolwrit_core::json::unique::{self, Repeated};
use toolwrit_text::numbers::WrittenNumbers;

/// A parsed line.
#[derive(Debug)]
pub enum Line {
    /// An ordinary tool call, which needs no parsing by rmcp.
    Call(Box<ToolCall>),
    /// Any other message, parsed by rmcp.
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// Nothing to act on: blank, or a notification that MCP does not define.
    Nothing,
    /// Not a message. The sender gets this error, with the id if the line has one.
    Bad(ErrorData, Option<RequestId>),
}

/// Parses one line, without its line end.
pub fn parse(line: &[u8]) -> Line {
    let line = without_mark(line).trim_ascii();
    if line.is_empty() {
        return Line::Nothing;
    }
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => {
            let message = format!("the line is not UTF-8 from byte {} on", error.valid_up_to());
            return Line::Bad(ErrorData::parse_error(message, None), None);
        }
    };
    if let Some(call) = tool_call(text) {
        return Line::Call(Box::new(call));
    }
    match serde_json::from_str(text) {
        Ok(message) => Line::Message(Box::new(with_repeated_key(message, text))),
        Err(error) => match error.classify() {
            Category::Syntax | Category::Eof | Category::Io => not_json(&error),
            Category::Data => not_a_message(text),
        },
    }
}

/// Strips a byte order mark: RFC 8259 lets a parser ignore it, and some clients send one.
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text)
}

/// A `tools/call` request without answers to earlier questions.
#[derive(Deserialize)]
struct RawRequest {
    #[serde(rename = "jsonrpc")]
    _jsonrpc: JsonRpcVersion2_0,
    id: RequestId,
    #[serde(rename = "method")]
    _method: ToolsCall,
    params: Params,
}

/// The name of the method. A derived `Deserialize` would also accept an object with that key.
struct ToolsCall;

impl<'de> Deserialize<'de> for ToolsCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match <&str>::deserialize(deserializer)? {
            "tools/call" => Ok(Self),
            _ => Err(D::Error::custom("another method")),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    name: String,
    #[serde(default)]
    arguments: Option<unique::UniqueObject>,
    #[serde(rename = "_meta", default)]
    meta: Option<JsonObject>,
}

/// Parses an ordinary tool call; `None` for anything else, which rmcp parses. Most messages are tool calls,
/// and rmcp tries every message type in turn: trying this one first saves most of that work.
pub fn tool_call(text: &str) -> Option<ToolCall> {
    let RawRequest { id, params, .. } = serde_json::from_str(text).ok()?;
    let numbers = WrittenNumbers::read(text);
    let Params { name, arguments, meta } = params;
    let mut params = CallToolRequestParams::new(name);
    let mut repeated = None;
    params.arguments = arguments.map(|arguments| {
        repeated = arguments.repeated;
        arguments.entries
    });
    let meta = meta.map(|meta| RequestMetaObject(MetaObject(meta)));
    Some(ToolCall { id, params, meta, repeated, numbers })
}

/// Adds a repeated key of the arguments, and their numbers as they were written, to a message that rmcp has parsed,
/// because rmcp does not report them.
fn with_repeated_key(
    mut message: RxJsonRpcMessage<RoleServer>,
    text: &str,
) -> RxJsonRpcMessage<RoleServer> {
    let JsonRpcMessage::Request(request) = &mut message else { return message };
    let extensions = match &mut request.request {
        ClientRequest::CallToolRequest(call) => &mut call.extensions,
        ClientRequest::GetPromptRequest(get) => &mut get.extensions,
        _ => return message,
    };
    if let Some(repeated) = repeated(text) {
        extensions.insert(repeated);
    }
    extensions.insert(WrittenNumbers::read(text));
    message
}

/// Returns the key that is repeated in the arguments of a message, if any. Only for messages that rmcp
/// parses, because it parses the text a second time.
pub fn repeated(text: &str) -> Option<Repeated> {
    #[derive(Deserialize)]
    struct Message {
        params: Params,
    }
    #[derive(Deserialize)]
    struct Params {
        arguments: unique::UniqueObject,
    }
    let message: Message = serde_json::from_str(text).ok()?;
    message.params.arguments.repeated
}

fn not_json(error: &serde_json::Error) -> Line {
    Line::Bad(ErrorData::parse_error(format!("not JSON: {error}"), None), None)
}

/// Returns the error for text that is not a JSON-RPC message, and may not even be JSON.
fn not_a_message(text: &str) -> Line {
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        // rmcp found the wrong shape before the text stopped being JSON.
        Err(error) => return not_json(&error),
    };
    if value.get("id").is_none() && value.get("method").is_some_and(Value::is_string) {
        // A notification is never answered, not even an invalid one.
        return Line::Nothing;
    }
    let id = value.get("id").cloned().and_then(|id| serde_json::from_value(id).ok());
    let message = if value.is_array() {
        "batches are not part of MCP; send each message on its own"
    } else if value.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        "not a JSON-RPC message: `jsonrpc` must be \"2.0\""
    } else {
        "not a JSON-RPC message: expected `method`, `id` as an integer or a string, and `params` \
         as an object, each once"
    };
    Line::Bad(ErrorData::invalid_request(message, None), id)
}
