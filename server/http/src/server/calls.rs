//! Tool calls that need nothing of their client but that it waits for the answer, which most do: they
//! pass the SDK by. The SDK answers all others, and requests with errors.

use std::sync::Arc;

use axum::http::header::ACCEPT;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use rmcp::RoleServer;
use rmcp::model::{ErrorCode, Extensions, JsonRpcMessage, ProtocolVersion};
use rmcp::service::TxJsonRpcMessage;
use tokio_util::sync::CancellationToken;

use super::endpoint_cache::McpServices;
use super::{body, sessions};
use toolwrit_mcp::line::tool_call;
use toolwrit_mcp::protocol::{ClientDeclaration, STATELESS, ToolCall, broken_off};

/// The headers of 2026-07-28 that say what the body says.
pub(super) const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";

/// A call without anything unusual about it.
pub(super) struct Usual {
    call: ToolCall,
    setting: ClientDeclaration,
}

/// The call that a request is, if it is such a one.
pub(super) fn usual(head: &Parts, text: &[u8]) -> Option<Usual> {
    let headers = &head.headers;
    if headers.contains_key(sessions::ID) || !body::says_json(headers) || !accepts_both(headers) {
        return None;
    }
    let call = tool_call(std::str::from_utf8(text).ok()?)?;
    let setting = call.setting()?;
    let fits = match setting {
        ClientDeclaration::Outside => names_older_revision(headers),
        ClientDeclaration::Inside => says_the_same(headers, &call),
    };
    (fits && call.wants_only_an_answer()).then_some(Usual { call, setting })
}

/// Whether the client takes JSON and events, as the specification wants it to say. Without weights, of
/// which one could mean the opposite.
fn accepts_both(headers: &HeaderMap) -> bool {
    let Some(accept) = only(headers, ACCEPT.as_str()) else { return false };
    let mut types = accept.split(',').map(str::trim);
    types.clone().any(|accepted| accepted.eq_ignore_ascii_case("application/json"))
        && types.any(|accepted| accepted.eq_ignore_ascii_case("text/event-stream"))
}

/// Whether the headers name an older revision, or none, which stands for one.
fn names_older_revision(headers: &HeaderMap) -> bool {
    let Some(said) = only(headers, sessions::VERSION) else {
        return !headers.contains_key(sessions::VERSION);
    };
    let known = ProtocolVersion::KNOWN_VERSIONS.iter().any(|known| known.as_str() == said);
    known && said < STATELESS.as_str()
}

/// Whether the headers of the latest revision agree with the body.
fn says_the_same(headers: &HeaderMap, call: &ToolCall) -> bool {
    only(headers, sessions::VERSION) == Some(STATELESS.as_str())
        && only(headers, METHOD) == Some("tools/call")
        && only(headers, NAME) == Some(&*call.params.name)
}

/// The value of a header that is there once, as text.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Answers such a call. When the client goes, the call is told so, and is carried to its end.
pub(super) async fn answer(services: Arc<McpServices>, usual: Usual, head: Parts) -> Response {
    let Usual { call, setting } = usual;
    let id = call.id.clone();
    let cancellation = CancellationToken::new();
    let gone = cancellation.clone().drop_guard();
    let mut extensions = Extensions::new();
    extensions.insert(head);
    let answer = services.fast_path.answer(call, setting, extensions, cancellation);
    let ended = tokio::spawn(answer).await;
    let message = ended.unwrap_or_else(|_| JsonRpcMessage::error(broken_off(), Some(id)));
    gone.disarm();
    match setting {
        ClientDeclaration::Outside => body::json(StatusCode::OK, &message),
        ClientDeclaration::Inside => body::json(status(&message), &message),
    }
}

/// The status that the latest revision gives an answer; older ones know only 200.
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
