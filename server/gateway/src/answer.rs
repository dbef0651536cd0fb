//! What a tool answered, as the result of an operation.

use std::fmt::Write as _;

use serde_json::Value;
use toolwrit_core::arg_value::IntoJson as _;
use toolwrit_core::content::{ToolResult, media_bytes};
use toolwrit_core::fault::{Code, Fault, Result};
use toolwrit_core::json_size::size;
use toolwrit_upstreams::Answer;

/// Bytes reserved for the notice in a text that is truncated.
const NOTICE: usize = 120;

/// Returns what a tool answered. If its content without images and files is larger than `limit` bytes, its longest texts are
/// truncated. The engine limits the structured result of a tool that declares one.
///
/// # Errors
/// `UPSTREAM_ERROR` if the tool declares a structured result and there is none, and `RESULT_TOO_LARGE` if what cannot be
/// truncated is too large.
pub(crate) fn result(
    answer: Answer,
    tool: &str,
    is_structured: bool,
    limit: usize,
) -> Result<Value> {
    let structured = if is_structured {
        let object = answer.structured.filter(Value::is_object);
        Some(object.or_else(|| text_object(&answer.content)).ok_or_else(|| {
            let message =
                format!("The tool `{tool}` declares a structured result, and returned none.");
            Fault::new(Code::UpstreamError, message)
        })?)
    } else {
        // The content has the same for clients that do not know it.
        answer.structured.filter(|value| truncatable_bytes(value) <= limit)
    };
    Ok(ToolResult { content: content(answer.content, limit)?, structured }.into_json())
}

/// The object that the only text is, as older servers send it.
fn text_object(content: &[Value]) -> Option<Value> {
    let [block] = content else { return None };
    let value: Value = serde_json::from_str(block.get("text")?.as_str()?).ok()?;
    value.is_object().then_some(value)
}

/// The bytes of a value without its images and files.
fn truncatable_bytes(value: &Value) -> usize {
    size(value) - media_bytes(value)
}

/// Truncates the longest texts of content blocks, if they have more than `limit` bytes without images and files.
fn content(mut blocks: Vec<Value>, limit: usize) -> Result<Vec<Value>> {
    let bytes =
        |blocks: &[Value]| 1 + blocks.iter().map(|own| truncatable_bytes(own) + 1).sum::<usize>();
    let whole = bytes(&blocks);
    if whole > limit {
        let texts = blocks.iter().filter_map(text);
        let of_texts: usize = texts.map(|text| size(&text.into())).sum();
        let rest = whole - of_texts;
        let count = blocks.iter().filter_map(text).count().max(1);
        let share = limit.saturating_sub(rest) / count;
        for block in &mut blocks {
            if let Some(Value::String(text)) = block.get_mut("text") {
                truncate(text, share);
            }
        }
    }
    let bytes = bytes(&blocks);
    if bytes > limit {
        return Err(Fault::new(
            Code::ResultTooLarge,
            format!("The result has {bytes} bytes besides images and files."),
        )
        .expecting(format!("at most {limit} bytes")));
    }
    Ok(blocks)
}

fn text(block: &Value) -> Option<&str> {
    block.get("text")?.as_str()
}

/// Truncates a text so that its JSON has at most `limit` bytes, and says so in it.
fn truncate(text: &mut String, limit: usize) {
    let whole = text.len();
    if size(&text.as_str().into()) <= limit {
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
            let content = Value::Array(content(blocks, limit).unwrap());
            prop_assert!(content.to_string().len() <= limit, "{}", content.to_string().len());
        }
    }
}
