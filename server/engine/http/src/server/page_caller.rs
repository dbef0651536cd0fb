//! The caller of a request of the tool browser, and the answers to it.

use std::sync::Arc;

use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use serde_json::Value;

use super::mcp::HttpState;
use super::refusal::Refusal;
use toolwrit_core::caller::principal::{Identity, Principal};
use toolwrit_mcp::endpoint::Endpoint;

/// The caller of a request of the page.
pub(super) struct PageCaller {
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) principal: Principal,
}

impl PageCaller {
    pub(super) fn new(
        state: &HttpState,
        identity: Option<Extension<Identity>>,
        headers: &HeaderMap,
    ) -> Result<Self, Refusal> {
        let identity = identity.map(|Extension(identity)| identity).unwrap_or_default();
        let endpoint = state.endpoints.flat(headers, &identity)?;
        endpoint.policy.refresh();
        Ok(Self { endpoint, principal: identity.principal })
    }
}

/// An answer that depends on the caller and changes at any time.
pub(super) fn answer(value: Value) -> Response {
    ([(CACHE_CONTROL, HeaderValue::from_static("no-store"))], Json(value)).into_response()
}
