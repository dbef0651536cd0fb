//! What a tool answered, as the result of an operation.

use std::fmt::Write as _;

use serde_json::{Map, Value};
use toolwrit_core::fault::{Code, Fault, Result};
use toolwrit_upstreams::Answer;

/// Bytes reserved for the notice in a text that is truncated.
const NOTICE: usize = 120;

/// Returns the structured result of a tool that declares one.
///
/// # Errors
/// `UPSTREAM_ERROR` if there is none.
pub(crate) fn structured(answer: Answer, tool: &str) -> Result<Value> {
    let object = answer.structured.and_then(|value| match value {
        Value::Object(object) => Some(object),
        _ => None,
    });
    match object.or_else(|| text_object(&answer.content)) {
        Some(object) => Ok(Value::Object(object)),
        None => Err(Fault::new(
            Code::UpstreamError,
            format!("The tool `{tool}` declares a structured result, and returned none."),
        )),
    }
}

/// The object that the only text is, as older servers send it.
fn text_object(content: &[Value]) -> Option<Map<String, Value>> {
    let [block] = content else { return None };
    serde_json::from_str(block.get("text")?.as_str()?).ok()
}

/// Returns the content of an answer. If it is larger than `limit` bytes, its longest texts are truncated.
pub(crate) fn content(mut blocks: Vec<Value>, limit: usize) -> Value {
    let size = |blocks: &[Value]| blocks.iter().map(|block| block.to_string().len() + 1).sum();
    let whole: usize = size(&blocks);
    if whole + 1 > limit {
        let texts = blocks.iter().filter_map(text);
        let of_texts: usize = texts.map(|text| Value::from(text).to_string().len()).sum();
        let rest = whole + 1 - of_texts;
        let count = blocks.iter().filter_map(text).count().max(1);
        let share = limit.saturating_sub(rest) / count;
        for block in &mut blocks {
            if let Some(Value::String(text)) = block.get_mut("text") {
                truncate(text, share);
            }
        }
    }
    Value::Array(blocks)
}

fn text(block: &Value) -> Option<&str> {
    block.get("text")?.as_str()
}

/// Truncates a text so that its JSON has at most `limit` bytes, and says so in it.
fn truncate(text: &mut String, limit: usize) {
    let whole = text.len();
    if Value::from(text.as_str()).to_string().len() <= limit {
        return;
    }
    let room = limit.saturating_sub(NOTICE);
    let mut taken = 0;
    let end = text.char_indices().find_map(|(at, c)| {
        taken += match c {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            '\0'..='\u{1f}' => 6,
            c => c.len_utf8(),
        };
        (taken > room).then_some(at)
    });
    let end = end.unwrap_or(whole);
    text.truncate(end);
    // Writing to a string cannot fail.
    let _ = write!(text, "\n\n[truncated: true, {end} of {whole} bytes. Ask for less at once.]");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    proptest! {
        #[test]
        fn content_fits_its_limit(texts in prop::collection::vec(".{0,2000}", 0..5), limit in 1000usize..5000) {
            let blocks = texts.iter().map(|text| json!({"type": "text", "text": text})).collect();
            let content = content(blocks, limit);
            prop_assert!(content.to_string().len() <= limit, "{}", content.to_string().len());
        }
    }
}
