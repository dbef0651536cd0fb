//! What tools answer.

use serde_json::{Map, Value};

/// What a tool answered. Hidden characters are escaped.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// Content blocks, as JSON of MCP. A block that MCP does not have is a text.
    pub content: Vec<Value>,
    /// The structured content, if there is any.
    pub structured: Option<Value>,
    /// `_meta` of the result, without what belongs to the protocol.
    pub meta: Option<Map<String, Value>>,
}
