//! What a page of another origin may do, as browsers ask it: [CORS]. Its origin has been allowed by
//! then; a page whose origin is not never comes this far.
//!
//! [CORS]: https://fetch.spec.whatwg.org/#http-cors-protocol

use std::time::Duration;

use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderName, Method};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

use super::sessions;

/// How long a browser may keep what it was told.
const KEPT: Duration = Duration::from_hours(1);

/// Answers the question before a request (`OPTIONS`), and says which headers a page may read.
pub(super) fn layer() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(AllowOrigin::mirror_request())
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers([HeaderName::from_static(sessions::ID), WWW_AUTHENTICATE, RETRY_AFTER])
        .max_age(KEPT)
}
