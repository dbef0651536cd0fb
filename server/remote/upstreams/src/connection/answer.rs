//! Answers as others send them. One that cannot be read, or has no id of a request, becomes an error with what it says, so
//! that its call fails at once.

use std::borrow::Cow;

use rmcp::RoleClient;
use rmcp::model::{ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::RxJsonRpcMessage;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use toolwrit_text::shorten::visible_line;

use crate::own_errors::UNREADABLE;

/// Characters of an answer that are repeated.
const MOST_SAID: usize = 200;

/// What a message is. Its values are skipped, however deep they are.
#[derive(Deserialize)]
struct Frame {
    jsonrpc: Option<IgnoredAny>,
    #[serde(default)]
    id: Value,
    method: Option<IgnoredAny>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// Reads a message. An answer that cannot be read is an error; `None` if a text is no message.
pub(super) fn read(text: &[u8]) -> Option<RxJsonRpcMessage<RoleClient>> {
    serde_json::from_slice(text).ok().or_else(|| unreadable(text))
}

/// Returns the error that an answer becomes that cannot be read. It is one of no request if the answer has no id. `None` if a
/// text is no answer.
pub(super) fn unreadable(text: &[u8]) -> Option<RxJsonRpcMessage<RoleClient>> {
    let frame: Frame = serde_json::from_slice(text).ok()?;
    if frame.method.is_some() {
        return None;
    }
    let id: Option<RequestId> = serde_json::from_value(frame.id).ok();
    let is_answer = frame.result.is_some() || frame.error.is_some();
    if id.is_none() && (frame.jsonrpc.is_none() || !is_answer) {
        return None;
    }
    let why = match (&frame.result, &frame.error) {
        (Some(_), Some(_)) => "its answer has a result and an error".to_owned(),
        (None, None) => "its answer has neither a result nor an error".to_owned(),
        _ if std::str::from_utf8(text).is_err() => "its answer is not text in UTF-8".to_owned(),
        _ if is_too_deep(text) => "its answer is nested deeper than 128 levels".to_owned(),
        _ => no_message(&String::from_utf8_lossy(text)),
    };
    Some(error(id, why))
}

/// Whether an id is that of a request. Some servers answer `"5"` to the request `5`.
pub(super) fn is_id_of(id: &RequestId, request: &RequestId) -> bool {
    match (id, request) {
        (RequestId::String(text), RequestId::Number(number)) => text.parse() == Ok(*number),
        _ => id == request,
    }
}

/// Returns the answer in the only response to a request; `None` if there is none.
pub(super) fn answer_to(
    request: &RequestId,
    response: &[u8],
) -> Option<RxJsonRpcMessage<RoleClient>> {
    let message = read(response).or_else(|| in_batch(request, response))?;
    Some(match addressed(message, request) {
        answer @ (JsonRpcMessage::Error(_) | JsonRpcMessage::Response(_)) => answer,
        _ => failed(request.clone(), "the server sent another message instead of an answer"),
    })
}

/// Returns a message in the response to a request. An answer in it is one to that request: an error may lack the id, and a
/// result with another one becomes an error.
pub(super) fn addressed(
    message: RxJsonRpcMessage<RoleClient>,
    request: &RequestId,
) -> RxJsonRpcMessage<RoleClient> {
    match message {
        JsonRpcMessage::Error(error) => JsonRpcMessage::error(error.error, Some(request.clone())),
        JsonRpcMessage::Response(answer) if !is_id_of(&answer.id, request) => {
            foreign(request.clone(), &answer.id)
        }
        message => message,
    }
}

/// Finds the answer in a batch, as the revision 2025-03-26 of MCP has them.
fn in_batch(request: &RequestId, response: &[u8]) -> Option<RxJsonRpcMessage<RoleClient>> {
    let batch: Vec<&serde_json::value::RawValue> = serde_json::from_slice(response).ok()?;
    let mut messages = batch.into_iter().filter_map(|message| read(message.get().as_bytes()));
    messages.find(|message| answered(message).is_some_and(|id| is_id_of(id, request)))
}

/// The id of the request that a message answers.
pub(super) fn answered(message: &RxJsonRpcMessage<RoleClient>) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}

/// The error of a request to which the answer has the id of another one.
fn foreign(request: RequestId, id: &RequestId) -> RxJsonRpcMessage<RoleClient> {
    let id = visible_line(&id.to_string(), MOST_SAID);
    failed(request, format!("its answer has the id `{id}` of another request"))
}

/// What is wrong with an answer that is not one, and what it says.
pub(super) fn no_message(text: &str) -> String {
    match visible_line(text.trim(), MOST_SAID) {
        said if said.is_empty() => "its answer is empty".to_owned(),
        said => format!("its answer is no message of MCP: {said}"),
    }
}

/// The error of an answer that is not read.
pub(super) fn failed(
    id: RequestId,
    why: impl Into<Cow<'static, str>>,
) -> RxJsonRpcMessage<RoleClient> {
    error(Some(id), why)
}

fn error(id: Option<RequestId>, why: impl Into<Cow<'static, str>>) -> RxJsonRpcMessage<RoleClient> {
    JsonRpcMessage::error(ErrorData::new(UNREADABLE, why, None), id)
}

fn is_too_deep(text: &[u8]) -> bool {
    let parsed = serde_json::from_slice::<Value>(text);
    // The error has no kind that tells.
    parsed.is_err_and(|error| error.to_string().starts_with("recursion limit exceeded"))
}
