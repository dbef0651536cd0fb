//! [CORS]: answers preflight requests, and lets allowed pages read headers. Origins have been checked
//! before; requests from other origins never reach this layer.
//!
//! [CORS]: https://fetch.spec.whatwg.org/#http-cors-protocol

use std::time::Duration;

use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderName, Method};
use toolwrit_words::headers::MCP_SESSION;
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

/// How long browsers may cache the answer to a preflight request.
const PREFLIGHT_AGE: Duration = Duration::from_hours(1);

/// Answers preflight requests (`OPTIONS`), and names the headers that a page may read.
pub(super) fn layer() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(AllowOrigin::mirror_request())
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers([HeaderName::from_static(MCP_SESSION), WWW_AUTHENTICATE, RETRY_AFTER])
        .max_age(PREFLIGHT_AGE)
}
