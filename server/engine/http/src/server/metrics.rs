//! `GET /metrics`: the server's metrics, for Prometheus.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};

use super::mcp::HttpState;
use super::refusal::Refusal;
use crate::metrics::MEDIA_TYPE;
use toolwrit_core::caller::principal::Identity;

/// Answers while the server stops, too, so that the last calls are counted.
pub(super) async fn show(
    State(state): State<Arc<HttpState>>,
    request: Request,
) -> Result<Response, Refusal> {
    let identity = request.extensions().get::<Identity>().cloned().unwrap_or_default();
    // The policy of an endpoint knows the providers.
    let endpoint = state.endpoints.flat(request.headers(), &identity)?;
    let text = state.metrics.render(&endpoint.policy);
    Ok(([(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE))], text).into_response())
}
