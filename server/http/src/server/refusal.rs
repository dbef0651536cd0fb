//! The answer to a request that is refused before it reaches MCP: a status, and JSON with the reason and
//! the fix: `{"error": {"message", "expected"?, "hint"?}}`.

use axum::body::Body;
use axum::http::header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderName};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use rmcp::model::ProtocolVersion;
use serde::Serialize;

use super::{body, sessions};

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
        let mut letters = self.message.chars();
        let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        format!("{first}{}.", letters.as_str())
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

/// Gives a refusal of rmcp, which is plain text, the form of all refusals. Returns other answers unchanged.
pub(super) fn reworded(response: Response) -> Response {
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
