//! What a tool answered, as the result of an operation.

use std::fmt::Write as _;

use serde_json::{Value, json};
use toolwrit_core::arguments::value::IntoJson as _;
use toolwrit_core::fault::{Code, Fault, Result};
use toolwrit_core::json::size::{share, size};
use toolwrit_core::result::content::{ToolResult, media_bytes};
use toolwrit_upstreams::Answer;

/// Bytes reserved for the notice in a text that is truncated.
const NOTICE: usize = 120;
/// Bytes that a text keeps, if it has them. If there is less room, the last blocks are left out.
const LEAST: usize = 2048;

/// Returns what a tool answered. If its content without images and files is larger than `limit` bytes, it is truncated. The
/// engine limits the structured result of a tool that declares one.
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
    let content = content(answer.content, limit)?;
    Ok(ToolResult { content, structured, meta: answer.meta }.into_json())
}

/// The object that the only text is, as older servers send it.
fn text_object(content: &[Value]) -> Option<Value> {
    let [block] = content else { return None };
    // Any text may stand there.
    let value: Value = serde_json::from_str(block.get("text")?.as_str()?).ok()?;
    value.is_object().then_some(value)
}

/// The bytes of a value without its images and files.
fn truncatable_bytes(value: &Value) -> usize {
    size(value) - media_bytes(value)
}

/// Truncates content blocks to `limit` bytes without images and files: the longest texts, after the last blocks have been left
/// out if the texts would become too short to be of use.
fn content(mut blocks: Vec<Value>, limit: usize) -> Result<Vec<Value>> {
    if bytes_of(&blocks) > limit {
        let of = blocks.len();
        let kept = fitting(&blocks, limit.saturating_sub(NOTICE)).max(1);
        blocks.truncate(kept);
        let reserved = if kept < of { NOTICE } else { 0 };
        truncate_texts(&mut blocks, limit.saturating_sub(reserved));
        if kept < of {
            let notice = format!("[truncated: true, {kept} of {of} parts. Ask for less at once.]");
            blocks.push(json!({ "type": "text", "text": notice }));
        }
    }
    let bytes = bytes_of(&blocks);
    if bytes > limit {
        return Err(Fault::new(
            Code::ResultTooLarge,
            format!("The result has {bytes} bytes besides images and files."),
        )
        .expecting(format!("at most {limit} bytes")));
    }
    Ok(blocks)
}

/// The bytes of a list of blocks without their images and files.
fn bytes_of(blocks: &[Value]) -> usize {
    1 + blocks.iter().map(|block| truncatable_bytes(block) + 1).sum::<usize>()
}

/// Returns how many of the first blocks fit into `limit` bytes if each text keeps at least [`LEAST`] bytes.
fn fitting(blocks: &[Value], limit: usize) -> usize {
    let mut taken = 1;
    let fits = |block: &&Value| {
        let text = text_bytes(block);
        taken += truncatable_bytes(block) - text + text.min(LEAST) + 1;
        taken <= limit
    };
    blocks.iter().take_while(fits).count()
}

/// Truncates the longest texts of blocks, so that the blocks have `limit` bytes without images and files.
fn truncate_texts(blocks: &mut [Value], limit: usize) {
    let sizes: Vec<usize> = blocks.iter().map(text_bytes).collect();
    let rest = bytes_of(blocks) - sizes.iter().sum::<usize>();
    let share = share(sizes, limit.saturating_sub(rest));
    for block in blocks {
        if let Some(Value::String(text)) = block.get_mut("text") {
            truncate(text, share);
        }
    }
}

/// The bytes of the text of a block; 0 without one.
fn text_bytes(block: &Value) -> usize {
    block.get("text").filter(|text| text.is_string()).map_or(0, size)
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

    fn texts(texts: impl IntoIterator<Item = String>) -> Vec<Value> {
        texts.into_iter().map(|text| json!({"type": "text", "text": text})).collect()
    }

    #[test]
    fn the_first_of_many_small_texts_are_kept_whole() {
        for count in [3_000, 20_000] {
            let sent = texts((0..count).map(|at| format!("{at:0100}")));
            let blocks = content(sent.clone(), 256 * 1024).unwrap();
            let (notice, kept) = blocks.split_last().unwrap();
            assert!(kept.len() > 1_900, "{}", kept.len());
            assert_eq!(kept, &sent[..kept.len()]);
            let said = format!(
                "[truncated: true, {} of {count} parts. Ask for less at once.]",
                kept.len()
            );
            assert_eq!(notice["text"], said);
        }
    }

    #[test]
    fn a_large_text_leaves_room_for_the_blocks_after_it() {
        let sent = texts(["x".repeat(50_000), "small".to_owned(), "y".repeat(3_000)]);
        let blocks = content(sent.clone(), 10_000).unwrap();
        let first = blocks[0]["text"].as_str().unwrap();
        assert!(first.len() > 6_000 && first.contains("[truncated: true, "), "{}", first.len());
        assert_eq!(blocks[1..], sent[1..]);
    }

    proptest! {
        #[test]
        fn content_fits_its_limit(sent in prop::collection::vec(".{0,2000}", 0..50), limit in 1000usize..5000) {
            let content = Value::Array(content(texts(sent), limit).unwrap());
            prop_assert!(content.to_string().len() <= limit, "{}", content.to_string().len());
        }
    }
}
