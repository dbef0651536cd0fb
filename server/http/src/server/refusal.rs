//! A request that is refused before it reaches MCP: a status, and JSON that says why and what would
//! be right: `{"error": {"message", "expected"?, "hint"?}}`.

use axum::body::Body;
use axum::http::header::{CONNECTION, CONTENT_TYPE, HeaderName};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// The connection ends with the answer, and the answer says so: as a rule, because the body of
    /// the request may not have been read.
    last: bool,
    error: Error,
}

#[derive(Debug, Serialize)]
struct Error {
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    expected: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        let error = Error { message: message.into(), expected: Vec::new(), hint: None };
        Self { status, headers: Vec::new(), last: true, error }
    }

    /// The choices that there are.
    pub(super) fn expecting<'a>(mut self, choices: impl IntoIterator<Item = &'a str>) -> Self {
        self.error.expected = choices.into_iter().map(str::to_owned).collect();
        self
    }

    /// What to do about it.
    pub(super) fn hinting(mut self, hint: impl Into<String>) -> Self {
        self.error.hint = Some(hint.into());
        self
    }

    /// The connection goes on: for requests that have no body.
    pub(super) fn staying(mut self) -> Self {
        self.last = false;
        self
    }

    pub(super) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = serde_json::json!({ "error": self.error }).to_string();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = self.status;
        let json = (CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let last = self.last.then(|| (CONNECTION, HeaderValue::from_static("close")));
        response.headers_mut().extend(self.headers.into_iter().chain([json]).chain(last));
        response
    }
}

/// For a path that leads nowhere.
pub(super) fn nothing_here() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "there is nothing under this path").expecting([
        "/mcp",
        "/mcp/{surface}",
        "/mcp/{surface}/{focus}",
        "/healthz",
        "/readyz",
        #[cfg(feature = "metrics")]
        "/metrics",
        "/tools",
        "/tools/metrics",
        #[cfg(feature = "docs")]
        "/docs",
    ])
}

/// For a path that takes another method; the header `Allow` says which.
pub(super) fn wrong_method() -> Refusal {
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "this path takes another method")
}
