//! `/mcp`, `/mcp/{surface}`, `/mcp/{surface}/{focus}`: passes a message to one endpoint, mostly to rmcp.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header::{ACCEPT, ALLOW};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use http_body_util::Full;
use rmcp::model::{
    ErrorData, InitializeRequest, JsonRpcMessage, JsonRpcRequest, ProtocolVersion, RequestId,
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use toolwrit_words::headers::MCP_SESSION;

use super::access::Gate;
use super::drain::{Drain, stopping};
use super::endpoint_cache::{EndpointCache, McpServices};
use super::refusal::{Refusal, wrong_method};
use super::session_owner::SessionOwner;
use super::sessions;
use super::slots::ConnectionSlot;
use super::streams::{self, Streams};
use super::{HttpLimits, body, calls};
#[cfg(feature = "metrics")]
use crate::metrics::Metrics;
use toolwrit_core::caller::principal::Identity;
use toolwrit_core::caller::principal::Principal;
use toolwrit_mcp::line::{Line, parse, repeated, without_mark};
use toolwrit_text::numbers::WrittenNumbers;

/// What clients must accept. rmcp requires that they name both types, also if they accept everything.
const BOTH_TYPES: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
/// The method whose answer stays open as long as the client listens.
const LISTEN: &str = "subscriptions/listen";

/// The state shared by the paths below `/mcp` and the other routes.
pub(super) struct HttpState {
    pub(super) endpoints: EndpointCache,
    pub(super) gate: Arc<Gate>,
    pub(super) streams: Arc<Streams>,
    pub(super) limits: HttpLimits,
    pub(super) drain: Drain,
    #[cfg(feature = "metrics")]
    pub(super) metrics: Arc<Metrics>,
}

/// A request whose body has been read.
type HttpRequest = Request<Full<Bytes>>;

/// Whether this is a path of MCP.
pub(super) fn is_here(path: &str) -> bool {
    path.strip_prefix("/mcp").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Answers a request to such a path.
///
/// # Errors
/// If the request is refused before it reaches MCP.
pub(super) async fn handle(
    state: &Arc<HttpState>,
    mut request: Request,
    slot: &ConnectionSlot,
) -> Result<Response, Refusal> {
    let in_flight = state.drain.admit(&mut request)?;
    // Boxed, because rmcp's future is large and this function's future is moved.
    let response = Box::pin(answer(state, request, slot)).await?;
    Ok(response.map(|body| body::hold_until_sent(body, in_flight)))
}

async fn answer(
    state: &Arc<HttpState>,
    request: Request,
    slot: &ConnectionSlot,
) -> Result<Response, Refusal> {
    let (mut head, body) = request.into_parts();
    if accepts_everything(&head.headers) {
        head.headers.insert(ACCEPT, BOTH_TYPES);
    }
    let is_message = head.method == Method::POST;
    let body = if is_message { body::read(body, slot, state.limits).await? } else { Bytes::new() };
    let identity = head.extensions.get::<Identity>().cloned().unwrap_or_default();
    let path = head.uri.path().strip_prefix("/mcp").unwrap_or_default();
    let path = path.strip_suffix('/').unwrap_or(path);
    let services = state.endpoints.find(path, &head.headers, &identity)?;
    let is_json = body::is_json(&head.headers);
    let text = body.slice_ref(without_mark(&body));
    // Accept responses and notifications to the end: requests in flight may wait for them.
    if state.drain.has_begun() && request_id(&text).is_some() {
        return Err(stopping());
    }
    if is_message && let Some(call) = calls::plain(&head, &text) {
        return Ok(calls::answer(services, call, head).await);
    }
    if is_message && let Ok(text) = std::str::from_utf8(&text) {
        head.extensions.insert(WrittenNumbers::read(text));
        if let Some(repeated) = repeated(text) {
            head.extensions.insert(repeated);
        }
    }
    let response = pass_on(state, services, head, identity, &text).await?;
    if is_message && is_json && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        // rmcp also answers 415 if it cannot parse a body; JSON-RPC has an error for that.
        let (error, id) = parse_failure(&body);
        return Ok(invalid(error, id));
    }
    Ok(reworded(response))
}

/// Whether the client accepts every type, with any weight but 0, which would refuse them.
fn accepts_everything(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|accepted| {
        let mut parts = accepted.split(';').map(str::trim);
        let is_every_type = parts.next() == Some("*/*");
        is_every_type && !parts.any(is_weight_of_zero)
    })
}

fn is_weight_of_zero(parameter: &str) -> bool {
    let (name, weight) = parameter.split_once('=').unwrap_or_default();
    name.trim().eq_ignore_ascii_case("q") && weight.trim().parse() == Ok(0.0)
}

/// Passes a request to rmcp. If the answer is a stream, it ends with the credential of the request.
async fn pass_on(
    state: &Arc<HttpState>,
    services: Arc<McpServices>,
    head: Parts,
    identity: Identity,
    body: &Bytes,
) -> Result<Response, Refusal> {
    let has_sessions = state.endpoints.sessions().concern(&head.headers);
    let principal = identity.principal.clone();
    let open = stays_open(&head).then(|| state.streams.open(&principal)).transpose()?;
    let (gate, headers) = (state.gate.clone(), Arc::new(head.headers.clone()));
    let is_listening = open.is_some();
    let is_valid = move || {
        let (gate, headers, identity) = (gate.clone(), headers.clone(), identity.clone());
        async move {
            if is_listening {
                gate.may_listen(&headers, &identity).await
            } else {
                gate.may_answer(&headers, &identity).await
            }
        }
    };
    let request = Request::from_parts(head, Full::new(body.clone()));
    let response = if has_sessions {
        in_session(state, services, principal, request, body).await?
    } else {
        services.alone.handle(request).await.map(Body::new)
    };
    if !body::is_event_stream(response.headers()) {
        return Ok(response);
    }
    let response = response.map(|body| streams::while_valid(body, is_valid));
    Ok(match open {
        Some(open) => response.map(|body| open.body(body, state.drain.begun())),
        None => response,
    })
}

/// Whether the answer to a request stays open as long as the client listens.
fn stays_open(head: &Parts) -> bool {
    let mut methods = head.headers.get_all(calls::METHOD).iter();
    head.method == Method::GET || methods.any(|method| method == LISTEN)
}

/// Answers a request of a revision with sessions: in a session, opening one, or without one.
async fn in_session(
    state: &Arc<HttpState>,
    services: Arc<McpServices>,
    principal: Principal,
    mut request: HttpRequest,
    body: &[u8],
) -> Result<Response, Refusal> {
    let sessions = state.endpoints.sessions();
    let method = request.method().clone();
    let owner = SessionOwner { principal, choice: services.choice.clone() };
    let Some(id) = request.headers().get(MCP_SESSION) else {
        return match method {
            // rmcp opens a session only for `initialize` with valid parameters.
            Method::POST if is_initialize(body) => {
                // Completed even if the client disconnects, so that the session has an owner.
                let opening = open(state.clone(), services, owner, request);
                tokio::spawn(opening).await.unwrap_or_else(|_| Err(interrupted()))
            }
            Method::POST => Ok(services.alone.handle(request).await.map(Body::new)),
            Method::GET | Method::DELETE => Err(sessionless()),
            _ => Ok(services.in_session.handle(request).await.map(Body::new)),
        };
    };
    let session_use = sessions.enter(id, &owner).await?;
    if let Some(id) = request_id(body)
        && !session_use.reserve(id.clone())
    {
        let message = "another request of this session has this id, and no answer yet";
        return Ok(invalid(ErrorData::invalid_request(message, None), Some(id)));
    }
    request.extensions_mut().insert(session_use.clone());
    let response = services.in_session.handle(request).await.map(Body::new);
    if method == Method::DELETE || response.status() == StatusCode::NOT_FOUND {
        // The client or rmcp has ended the session.
        sessions.close(&session_use).await;
    }
    if method == Method::DELETE && response.status().is_success() {
        // rmcp answers 202, which clients treat as a failure.
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Ok(if body::is_event_stream(response.headers()) {
        response.map(|body| session_use.answers(body))
    } else {
        response.map(|body| body::hold_until_sent(body, session_use))
    })
}

async fn open(
    state: Arc<HttpState>,
    services: Arc<McpServices>,
    owner: SessionOwner,
    request: HttpRequest,
) -> Result<Response, Refusal> {
    let sessions = state.endpoints.sessions();
    let session_use = sessions.open(owner.clone()).await?;
    let response = services.in_session.handle(request).await.map(Body::new);
    if let Some(id) = response.headers().get(MCP_SESSION) {
        session_use.opened(id);
        if let (Some(shared), Ok(id)) = (sessions.shared(), id.to_str()) {
            shared.opened(id, &owner).await;
        }
    }
    Ok(response.map(|body| body::hold_until_sent(body, session_use)))
}

fn sessionless() -> Refusal {
    Refusal::new(StatusCode::BAD_REQUEST, "the request names no session")
        .hinting("Send `Mcp-Session-Id` with the id that the answer to `initialize` had.")
        .staying()
}

fn interrupted() -> Refusal {
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "no session could be opened")
}

/// The id of a request; `None` for other messages.
fn request_id(body: &[u8]) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct RequestHead {
        #[serde(rename = "method")]
        _method: IgnoredAny,
        id: RequestId,
    }
    serde_json::from_slice(body).ok().map(|RequestHead { id, .. }| id)
}

fn is_initialize(body: &[u8]) -> bool {
    serde_json::from_slice::<JsonRpcRequest<InitializeRequest>>(body).is_ok()
}

/// Returns the JSON-RPC error for a body that rmcp refuses.
fn parse_failure(body: &[u8]) -> (ErrorData, Option<RequestId>) {
    match parse(body) {
        Line::Bad(error, id) => (error, id),
        Line::Nothing if body.trim_ascii().is_empty() => {
            (ErrorData::parse_error("the body is empty", None), None)
        }
        Line::Nothing => (ErrorData::invalid_request("the body is not an MCP message", None), None),
        // The parser of lines accepts tool calls nested one level deeper than rmcp's parser.
        Line::Call(_) | Line::Message(_) => {
            (ErrorData::parse_error("the body is nested too deeply", None), None)
        }
    }
}

/// Returns the answer to a message that rmcp does not get.
fn invalid(error: ErrorData, id: Option<RequestId>) -> Response {
    body::json(StatusCode::BAD_REQUEST, &JsonRpcMessage::error(error, id))
}

/// Gives a refusal of rmcp, which is plain text, the form of all refusals. Returns other answers unchanged.
fn reworded(response: Response) -> Response {
    let status = response.status();
    let is_refused = status.is_client_error() || status.is_server_error();
    if !is_refused || body::is_json(response.headers()) {
        return response;
    }
    let refusal = match status {
        // The only header that rmcp refuses so.
        StatusCode::BAD_REQUEST => {
            let message =
                "the header MCP-Protocol-Version names no revision that this server knows";
            let known = ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str);
            Refusal::new(status, message).expecting(known)
        }
        StatusCode::NOT_FOUND => sessions::no_such_session(),
        StatusCode::METHOD_NOT_ALLOWED => wrong_method(),
        StatusCode::NOT_ACCEPTABLE => {
            Refusal::new(status, "the client does not accept all types that the answer may have")
                .hinting("Send `Accept: application/json, text/event-stream`.")
        }
        StatusCode::UNSUPPORTED_MEDIA_TYPE => Refusal::new(status, "the body must be JSON")
            .hinting("Send `Content-Type: application/json`."),
        _ => Refusal::new(status, "the server cannot answer this request"),
    };
    let allowed = response.headers().get(ALLOW).cloned();
    let refusal =
        allowed.into_iter().fold(refusal, |refusal, methods| refusal.with(ALLOW, methods));
    refusal.staying().into_response()
}
