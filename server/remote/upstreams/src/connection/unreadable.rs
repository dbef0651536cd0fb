//! Answers that cannot be read. Each becomes an error, so that its call fails at once.

use std::borrow::Cow;

use rmcp::RoleClient;
use rmcp::model::{ErrorCode, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::RxJsonRpcMessage;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The code of an answer that cannot be read. It is not on the wire.
pub(crate) const UNREADABLE: ErrorCode = ErrorCode(-32097);

/// What a message is. Its values are skipped, however deep they are.
#[derive(Deserialize)]
struct Frame {
    id: Option<RequestId>,
    method: Option<IgnoredAny>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// Returns the error that an answer becomes; `None` if a text is no answer to a request.
pub(super) fn unreadable(text: &[u8]) -> Option<RxJsonRpcMessage<RoleClient>> {
    let frame: Frame = serde_json::from_slice(text).ok()?;
    let id = frame.id.filter(|_| frame.method.is_none())?;
    let why = match (&frame.result, &frame.error) {
        (Some(_), Some(_)) => "its answer has a result and an error",
        (None, None) => "its answer has neither a result nor an error",
        _ if std::str::from_utf8(text).is_err() => "its answer is not text in UTF-8",
        _ if is_too_deep(text) => "its answer is nested deeper than 128 levels",
        _ => "its answer is no message of MCP",
    };
    Some(failed(id, why))
}

/// The error of an answer that is not read.
pub(super) fn failed(
    id: RequestId,
    why: impl Into<Cow<'static, str>>,
) -> RxJsonRpcMessage<RoleClient> {
    JsonRpcMessage::error(ErrorData::new(UNREADABLE, why, None), Some(id))
}

fn is_too_deep(text: &[u8]) -> bool {
    let parsed = serde_json::from_slice::<serde_json::Value>(text);
    // The error has no kind that tells.
    parsed.is_err_and(|error| error.to_string().starts_with("recursion limit exceeded"))
}
