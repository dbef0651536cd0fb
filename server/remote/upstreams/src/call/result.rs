//! The result of a tool, which is data of the upstream.

use std::io;

use rmcp::model::CallToolResult;
use serde::Serialize;
use serde_json::Value;

use super::Answer;
use super::failed::{self, MAX_RESULT};
use crate::failure::{Failure, Result};
use toolwrit_text::media_type;
use toolwrit_text::shorten::start;
use toolwrit_text::visible::{escaped_result, escaped_result_value};
use toolwrit_words::Code;

/// Length limit of what a tool says about its failure, in characters.
const MAX_SAID: usize = 4096;

/// Returns the answer, or the failure that the tool reports.
pub(super) fn answer(result: CallToolResult, tool: &str) -> Result<Answer> {
    let is_error = result.is_error == Some(true);
    let Ok(Value::Object(mut json)) = serde_json::to_value(result) else {
        return Err(Failure::upstream(format!("The result of `{tool}` is not JSON.")).sent());
    };
    if !fits(&json) {
        return Err(failed::too_large());
    }
    let content = match json.remove("content") {
        Some(Value::Array(blocks)) => blocks.into_iter().map(escaped_parts).collect(),
        _ => Vec::new(),
    };
    let structured = json.remove("structuredContent").map(escaped_result_value);
    let answer = Answer { content, structured };
    if is_error { Err(reported(&answer, tool)) } else { Ok(answer) }
}

/// Returns a content block, a message or contents without `_meta`, whose keys mean nothing outside the upstream.
pub(super) fn escaped_parts(mut part: Value) -> Value {
    if let Value::Object(fields) = &mut part {
        fields.remove("_meta");
        if let Some(Value::String(mime_type)) = fields.get_mut("mimeType") {
            *mime_type = media_type(mime_type).to_owned();
        }
        for inner in ["content", "resource"] {
            if let Some(nested @ Value::Object(_)) = fields.get_mut(inner) {
                *nested = escaped_parts(nested.take());
            }
        }
    }
    escaped_result_value(part)
}

/// Codes that say what a tool found. All others are about the caller and this server, of which a tool knows nothing: it must
/// not ask for a confirmation in this server's name.
const TOOLS_OWN: [Code; 10] = [
    Code::AlreadyExists,
    Code::Conflict,
    Code::InvalidPath,
    Code::LimitExceeded,
    Code::NotFound,
    Code::ResultTooLarge,
    Code::Timeout,
    Code::UpstreamError,
    Code::UpstreamForbidden,
    Code::ValidationError,
];

/// The failure that a tool reports, which says nothing about another attempt. Another Toolwrit server says its code.
fn reported(answer: &Answer, tool: &str) -> Failure {
    let texts = answer.content.iter().filter_map(|block| block.get("text")?.as_str());
    let texts: Vec<&str> = texts.collect();
    let parsed = || serde_json::from_str::<Value>(texts.first()?).ok();
    let fault = answer.structured.clone().or_else(parsed);
    let field = |name: &str| Some(fault.as_ref()?.get("error")?.get(name)?.as_str()?.to_owned());
    let code = field("code").filter(|code| is_code(code)).map(Code::from);
    if let (Some(code), Some(message)) = (code, field("message")) {
        if !TOOLS_OWN.contains(&code) {
            let code_of_tool = format!("The tool `{tool}` failed with {code}: {}", said(&message));
            return Failure::reported(Code::UpstreamError, code_of_tool);
        }
        let failure = Failure::reported(code, said(&message));
        return match field("hint") {
            Some(hint) => failure.hinting(said(&hint)),
            None => failure,
        };
    }
    let text = match said(&texts.join("\n")) {
        text if text.is_empty() => "no reason is given".to_owned(),
        text => text,
    };
    Failure::reported(Code::UpstreamError, format!("The tool `{tool}` failed: {text}"))
}

/// What a tool says about its failure, with its lines, within the limit.
fn said(text: &str) -> String {
    escaped_result(start(text.trim(), MAX_SAID))
}

/// Whether a text has the form of a code, such as `NOT_FOUND`.
fn is_code(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// Whether a result is not too large.
pub(super) fn fits(json: &impl Serialize) -> bool {
    let mut counter = Counter(0);
    #[expect(clippy::expect_used, reason = "neither counting nor writing a value can fail")]
    serde_json::to_writer(&mut counter, json).expect("the value can be counted");
    counter.0 <= MAX_RESULT
}

struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
