//! Servers over HTTP. Connections go to addresses that may be reached, and redirects are followed within a server.

mod body;
mod client;
mod error;
mod events;
mod post;
mod reach;
mod sessions;

use std::collections::HashMap;

use futures::stream::BoxStream;
use reqwest::header::{AsHeaderName, HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Response};
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;
use toolwrit_words::headers::MCP_SESSION;

pub(super) use client::Client;
pub(crate) use error::Refusal;
pub(super) use events::Events;
pub use reach::http_client;

/// Size limit of a message, in bytes, which is that over standard streams.
const MAX_MESSAGE: usize = super::lines::MAX_LINE;

const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";

/// Further headers of a request.
type Headers = HashMap<HeaderName, HeaderValue>;
type SseEvents = BoxStream<'static, Result<Sse, SseError>>;

/// A header of a response, if it is a text.
fn header(response: &Response, name: impl AsHeaderName) -> Option<String> {
    Some(response.headers().get(name)?.to_str().ok()?.to_owned())
}

/// Whether a header with a media type, and perhaps parameters, names this one.
fn is_of(header: &str, media_type: &str) -> bool {
    let named = header.split(';').next().unwrap_or_default();
    named.trim().eq_ignore_ascii_case(media_type)
}

fn with_headers(
    mut request: RequestBuilder,
    headers: Headers,
    session: Option<&str>,
) -> RequestBuilder {
    for (name, value) in headers {
        request = request.header(name, value);
    }
    match session {
        Some(session) => request.header(MCP_SESSION, session),
        None => request,
    }
}
