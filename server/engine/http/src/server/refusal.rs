//! The answer to a request that is refused before it reaches MCP: a status, and JSON with the reason and
//! the fix: `{"error": {"message", "expected"?, "hint"?}}`.

use axum::body::Body;
use axum::http::header::{CONNECTION, CONTENT_TYPE, HeaderName};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// Whether to close the connection after the answer, and to say so. The default, because the body of
    /// the request may not have been read.
    last: bool,
    error: ErrorBody,
}

/// The reason and the fix. The answer keeps it as an extension, so that it can be shown to people.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ErrorBody {
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    expected: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[cfg(feature = "docs")]
impl ErrorBody {
    /// The reason as people read it.
    pub(super) fn sentence(&self) -> String {
        toolwrit_text::to_sentence(&self.message)
    }
}

impl Refusal {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        let error = ErrorBody { message: message.into(), expected: Vec::new(), hint: None };
        Self { status, headers: Vec::new(), last: true, error }
    }

    /// Adds the allowed values.
    pub(super) fn expecting<'a>(mut self, choices: impl IntoIterator<Item = &'a str>) -> Self {
        self.error.expected = choices.into_iter().map(str::to_owned).collect();
        self
    }

    /// Adds what the client should do.
    pub(super) fn hinting(mut self, hint: impl Into<String>) -> Self {
        self.error.hint = Some(hint.into());
        self
    }

    /// Keeps the connection open. Only for requests without a body, or whose body has been read.
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
        response.extensions_mut().insert(self.error);
        response
    }
}

/// The refusal of an unknown path.
pub(super) fn nothing_here() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "this path does not exist").expecting([
        "/mcp",
        "/mcp/{surface}",
        "/mcp/{surface}/{focus}",
        "/healthz",
        "/readyz",
        #[cfg(feature = "metrics")]
        "/metrics",
        "/tools",
        "/tools/metrics",
        "/plugins",
        #[cfg(feature = "docs")]
        "/docs",
        #[cfg(feature = "browser")]
        "/browser",
    ])
}

/// The refusal of a method that a path does not support; the header `Allow` names the supported ones.
pub(super) fn wrong_method() -> Refusal {
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "this path does not support this method")
}
