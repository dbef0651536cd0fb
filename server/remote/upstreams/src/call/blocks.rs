//! Content blocks of kinds that MCP does not have, which become texts.

use rmcp::model::ContentBlock;
use serde_json::{Map, Value, json};
use toolwrit_text::shorten::start;

/// Characters of a text in a block of an unknown kind. Longer ones are data that no text can show.
const MOST_TEXT: usize = 500;

/// Returns a result that is one of a tool, although it has blocks that MCP does not have. `None` if it is none.
pub(super) fn tool_result(mut result: Value) -> Option<Value> {
    let fields = result.as_object_mut()?;
    let is_complete = fields.get("resultType").is_none_or(|kind| kind == "complete");
    let has_value = fields.get("structuredContent").is_some();
    match fields.get_mut("content") {
        Some(Value::Array(blocks)) if is_complete => blocks.iter_mut().for_each(make_known),
        None if is_complete && has_value => {}
        _ => return None,
    }
    Some(result)
}

/// Returns the messages of a prompt in the same way.
pub(super) fn messages(mut result: Value) -> Option<Value> {
    let Value::Array(messages) = result.get_mut("messages")? else { return None };
    for message in messages.iter_mut() {
        make_known(message.get_mut("content")?);
    }
    Some(messages.drain(..).collect())
}

/// Makes a block one of MCP: without annotations that it does not have, or as a text.
fn make_known(block: &mut Value) {
    let is_known = |block: &Value| serde_json::from_value::<ContentBlock>(block.clone()).is_ok();
    if is_known(block) {
        return;
    }
    let mut plain = block.clone();
    if let Some(fields) = plain.as_object_mut() {
        fields.remove("annotations");
        fields.remove("_meta");
    }
    *block = if is_known(&plain) { plain } else { text_of(&plain) };
}

/// A block of text that shows another one, whose long texts are shortened.
fn text_of(block: &Value) -> Value {
    json!({ "type": "text", "text": shortened(block).to_string() })
}

fn shortened(value: &Value) -> Value {
    match value {
        Value::String(text) if text.chars().nth(MOST_TEXT).is_some() => {
            format!("{} ({} bytes)", start(text, MOST_TEXT), text.len()).into()
        }
        Value::Array(items) => items.iter().map(shortened).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, field)| (name.clone(), shortened(field)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        scalar => scalar.clone(),
    }
}
