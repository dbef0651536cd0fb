//! From the output of a command to its result.

use reqwest::header::HeaderMap;
use serde_json::Value;
use toolwrit_text::shorten::visible_line;

use crate::failure::{Failure, Result};
use crate::model::{Command, Read};
use crate::render::Scope;
use crate::response::AnswerReader;

/// Reads the result; null if the output does not matter.
///
/// # Errors
/// `UPSTREAM_ERROR` if the output is not what the table says.
pub(super) fn value(
    provider: &str,
    command: &Command,
    output: &[u8],
    scope: &Scope<'_>,
) -> Result<Value> {
    let Some(table) = &command.result else { return Ok(Value::Null) };
    let wrong = |what: &str| {
        let program = &command.program;
        let message = format!("The output of `{program}` of {provider} is not {what}.");
        Failure::upstream(message).sent().permanent()
    };
    let text = std::str::from_utf8(output).map_err(|_| wrong("text in UTF-8"))?;
    if table.read == Read::Text {
        return Ok(text.trim_end_matches(['\r', '\n']).into());
    }
    let body = if text.trim().is_empty() {
        Value::Null
    } else {
        serde_json::from_str(text).map_err(|_| wrong("JSON"))?
    };
    let headers = HeaderMap::new();
    let reader = AnswerReader { provider, shapes: &[], headers: &headers, scope, unread: None };
    reader.result(table, &body)
}

/// Returns the end of a text on one line, without characters that a reader does not see.
pub(super) fn shortened_to_end(text: &str, most: usize) -> String {
    let from = text.char_indices().rev().nth(most.saturating_sub(1)).map_or(0, |(at, _)| at);
    let end = visible_line(&text[from..], most);
    if from > 0 { format!("…{end}") } else { end }
}
