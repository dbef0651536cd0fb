//! Messages of MCP as JSON. What was read from JSON, or made by this program, can be written as JSON.

use serde::Serialize;
use serde_json::Value;

pub(crate) fn to_json(message: &impl Serialize) -> Value {
    #[expect(clippy::expect_used, reason = "messages have only text keys and finite numbers")]
    serde_json::to_value(message).expect("the message can be written as JSON")
}

pub(crate) fn to_json_text(message: &impl Serialize) -> String {
    #[expect(clippy::expect_used, reason = "messages have only text keys and finite numbers")]
    serde_json::to_string(message).expect("the message can be written as JSON")
}
