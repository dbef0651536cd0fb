//! Answers plain tool calls without rmcp: calls whose client only waits for the answer, which most do. rmcp
//! answers all other messages, and requests with errors.

use std::sync::Arc;

use axum::http::header::ACCEPT;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use rmcp::RoleServer;
use rmcp::model::{ErrorCode, Extensions, JsonRpcMessage, ProtocolVersion};
use rmcp::service::TxJsonRpcMessage;
use tokio_util::sync::CancellationToken;
use toolwrit_words::headers::{MCP_REVISION, MCP_SESSION};

use super::body;
use super::endpoint_cache::McpServices;
use toolwrit_mcp::line::tool_call;
use toolwrit_mcp::protocol::{ClientDeclaration, STATELESS, ToolCall, broken_off};

/// The header of revision 2026-07-28 that repeats the method in the body.
pub(super) const METHOD: &str = "mcp-method";
/// The header of revision 2026-07-28 that repeats the tool's name in the body.
const NAME: &str = "mcp-name";

/// A plain tool call.
pub(super) struct Usual {
    call: ToolCall,
    setting: ClientDeclaration,
}

/// Returns the plain tool call in a request. `None` if rmcp must answer the request.
pub(super) fn plain(head: &Parts, text: &[u8]) -> Option<Usual> {
    let headers = &head.headers;
    if headers.contains_key(MCP_SESSION) || !body::is_json(headers) || !accepts_both(headers) {
        return None;
    }
    let call = tool_call(std::str::from_utf8(text).ok()?)?;
    let setting = call.setting()?;
    let fits = match setting {
        ClientDeclaration::Outside => names_older_revision(headers),
        ClientDeclaration::Inside => agrees_with_body(headers, &call),
    };
    (fits && call.wants_only_an_answer()).then_some(Usual { call, setting })
}

/// Whether the client accepts JSON and event streams, as the specification requires. Types with
/// parameters do not count, because a weight of 0 would refuse them.
fn accepts_both(headers: &HeaderMap) -> bool {
    let Some(accept) = only(headers, ACCEPT.as_str()) else { return false };
    let mut types = accept.split(',').map(str::trim);
    types.clone().any(|accepted| accepted.eq_ignore_ascii_case("application/json"))
        && types.any(|accepted| accepted.eq_ignore_ascii_case("text/event-stream"))
}

/// Whether the headers name an older revision, or none, which means an older one.
fn names_older_revision(headers: &HeaderMap) -> bool {
    let Some(version) = only(headers, MCP_REVISION) else {
        return !headers.contains_key(MCP_REVISION);
    };
    let known = ProtocolVersion::KNOWN_VERSIONS.iter().any(|known| known.as_str() == version);
    known && version < STATELESS.as_str()
}

/// Whether the headers of revision 2026-07-28 agree with the body.
fn agrees_with_body(headers: &HeaderMap, call: &ToolCall) -> bool {
    only(headers, MCP_REVISION) == Some(STATELESS.as_str())
        && only(headers, METHOD) == Some("tools/call")
        && only(headers, NAME) == Some(&*call.params.name)
}

/// The value of a header that occurs exactly once, as text.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Answers a plain call. If the client disconnects, the call is cancelled, but runs to its end.
pub(super) async fn answer(services: Arc<McpServices>, plain: Usual, head: Parts) -> Response {
    let Usual { call, setting } = plain;
    let id = call.id.clone();
    let cancellation = CancellationToken::new();
    let cancel_on_disconnect = cancellation.clone().drop_guard();
    let mut extensions = Extensions::new();
    extensions.insert(head);
    let answer = services.fast_path.answer(call, setting, extensions, cancellation);
    let ended = tokio::spawn(answer).await;
    let message = ended.unwrap_or_else(|_| JsonRpcMessage::error(broken_off(), Some(id)));
    cancel_on_disconnect.disarm();
    match setting {
        ClientDeclaration::Outside => body::json(StatusCode::OK, &message),
        ClientDeclaration::Inside => body::json(status(&message), &message),
    }
}

/// The HTTP status of an answer in revision 2026-07-28. Older revisions use only 200.
fn status(message: &TxJsonRpcMessage<RoleServer>) -> StatusCode {
    let JsonRpcMessage::Error(error) = message else { return StatusCode::OK };
    match error.error.code {
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
        | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
        | ErrorCode::HEADER_MISMATCH => StatusCode::BAD_REQUEST,
        ErrorCode::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}
