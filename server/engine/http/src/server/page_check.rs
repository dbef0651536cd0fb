//! `POST /browser/check`: whether a call would reach its handler.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use serde_json::json;

use super::body;
use super::mcp::HttpState;
use super::page_caller::{PageCaller, answer};
use super::refusal::Refusal;
use super::slots::ConnectionSlot;
use toolwrit_core::caller::principal::Identity;
use toolwrit_core::fault::Result as Checked;
use toolwrit_core::json::unique::UniqueObject;
use toolwrit_mcp::endpoint::Request as CallRequest;

/// The parameters of a tool call on the flat surface.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckedCall {
    name: String,
    #[serde(default)]
    arguments: UniqueObject,
}

/// Answers `{"valid": true}`, or the fault with which the call would fail before its handler. Both are answers of the
/// server about the call, so both have the status 200, as in MCP.
pub(super) async fn check(
    State(state): State<Arc<HttpState>>,
    identity: Option<Extension<Identity>>,
    Extension(slot): Extension<ConnectionSlot>,
    request: Request,
) -> Result<Response, Refusal> {
    let (head, body) = request.into_parts();
    let body = body::read(body, &slot, state.limits).await?;
    if !body::is_json(&head.headers) {
        let message = "the content type must be application/json";
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    let call: CheckedCall = serde_json::from_slice(&body).map_err(|error| {
        Refusal::new(StatusCode::BAD_REQUEST, format!("the body is not a call: {error}"))
            .hinting("Send `{\"name\": TOOL, \"arguments\": {..}}`, as in `tools/call`.")
    })?;
    let caller = PageCaller::new(&state, identity, &head.headers)?;
    Ok(answer(match checked(caller, call).await {
        Ok(()) => json!({ "valid": true }),
        Err(fault) => fault.to_json(),
    }))
}

async fn checked(caller: PageCaller, call: CheckedCall) -> Checked<()> {
    let PageCaller { endpoint, principal } = caller;
    let CheckedCall { name, arguments: UniqueObject { entries, repeated } } = call;
    let request = CallRequest { origin: principal.into(), repeated, ..CallRequest::default() };
    endpoint.check(name, entries, request).await
}
