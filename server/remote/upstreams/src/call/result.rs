//! The result of a tool, which is data of the upstream.

use std::io;

use serde::Serialize;
use serde_json::{Map, Value};

use super::failed::{self, MAX_RESULT};
use crate::answer::Answer;
use crate::failure::{Failure, Result};
use crate::written::to_json_text;
use toolwrit_text::media_type;
use toolwrit_text::shorten::start;
use toolwrit_text::visible::{escaped_result, escaped_result_value};
use toolwrit_words::Code;

/// Length limit of what a tool says about its failure, in characters.
const MAX_SAID: usize = 4096;

/// Size limit of `_meta`, in bytes.
const MAX_META: usize = 64 * 1024;
/// How the keys begin that the protocol itself uses.
const OF_PROTOCOL: &str = "io.modelcontextprotocol/";

/// Returns the answer, or the failure that the tool reports.
pub(super) fn answer(result: Value, tool: &str) -> Result<Answer> {
    let Value::Object(mut json) = result else {
        return Err(Failure::upstream(format!("The result of `{tool}` is not JSON.")).sent());
    };
    if !fits(&json) {
        return Err(failed::too_large());
    }
    let is_error = json.get("isError") == Some(&Value::Bool(true));
    let content = match json.remove("content") {
        Some(Value::Array(blocks)) => blocks.into_iter().map(escaped_parts).collect(),
        _ => Vec::new(),
    };
    let structured = json.remove("structuredContent").map(escaped_result_value);
    let meta = json.remove("_meta").and_then(passed_meta);
    let answer = Answer { content, structured, meta };
    if is_error { Err(reported(answer, tool)) } else { Ok(answer) }
}

/// Returns what of `_meta` passes: what is not for the protocol, if it is not too large.
fn passed_meta(meta: Value) -> Option<Map<String, Value>> {
    let Value::Object(mut meta) = meta else { return None };
    meta.retain(|key, _| !key.starts_with(OF_PROTOCOL));
    if meta.is_empty() || to_json_text(&meta).len() > MAX_META {
        return None;
    }
    match escaped_result_value(Value::Object(meta)) {
        Value::Object(meta) => Some(meta),
        _ => None,
    }
}

/// Returns a content block, a message or contents with what may pass of `_meta`.
pub(super) fn escaped_parts(mut part: Value) -> Value {
    let Value::Object(fields) = &mut part else { return escaped_result_value(part) };
    let meta = fields.remove("_meta").and_then(passed_meta);
    if let Some(Value::String(mime_type)) = fields.get_mut("mimeType") {
        *mime_type = media_type(mime_type).to_owned();
    }
    for inner in ["content", "resource"] {
        if let Some(nested @ Value::Object(_)) = fields.get_mut(inner) {
            *nested = escaped_parts(nested.take());
        }
    }
    let mut part = escaped_result_value(part);
    if let (Some(fields), Some(meta)) = (part.as_object_mut(), meta) {
        fields.insert("_meta".to_owned(), meta.into());
    }
    part
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
fn reported(answer: Answer, tool: &str) -> Failure {
    let texts = answer.content.iter().filter_map(|block| block.get("text")?.as_str());
    let texts: Vec<&str> = texts.collect();
    let parsed = || serde_json::from_str::<Value>(texts.first()?).ok();
    let fault = answer.structured.clone().or_else(parsed);
    let field = |name: &str| Some(fault.as_ref()?.get("error")?.get(name)?.as_str()?.to_owned());
    let code = field("code").filter(|code| is_code(code)).map(Code::from);
    if let (Some(code), Some(message)) = (code, field("message")) {
        if !TOOLS_OWN.contains(&code) {
            let code_of_tool = format!("The tool `{tool}` failed with {code}: {}", said(&message));
            return Failure::reported(Code::UpstreamError, code_of_tool, answer);
        }
        // The failure says all that it has.
        let answer = Answer { structured: None, ..answer };
        let failure = Failure::reported(code, said(&message), answer);
        return match field("hint") {
            Some(hint) => failure.hinting(said(&hint)),
            None => failure,
        };
    }
    let text = match said(&texts.join("\n")) {
        text if text.is_empty() => "no reason is given".to_owned(),
        text => text,
    };
    Failure::reported(Code::UpstreamError, format!("The tool `{tool}` failed: {text}"), answer)
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
