//! Servers over HTTP. Connections go to addresses that may be reached, and redirects are not followed.

mod answer;
mod client;
mod error;
mod events;
mod list;
mod reach;

use std::collections::HashMap;

use futures::stream::BoxStream;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;

pub(super) use client::Client;
pub(super) use events::Events;

/// Size limit of a message, in bytes, which is that over standard streams.
const MAX_MESSAGE: usize = super::lines::MAX_LINE;

/// Further headers of a request.
type Headers = HashMap<HeaderName, HeaderValue>;
type SseEvents = BoxStream<'static, Result<Sse, SseError>>;
