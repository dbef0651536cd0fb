//! The request for a list of tools over streamable HTTP. rmcp reads answers itself, and drops fields of tools; this request
//! hears the answer as it is.

use std::io;

use bytes::Bytes;
use futures::{Stream, StreamExt as _, TryStreamExt as _};
use reqwest::header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE};
use reqwest::{RequestBuilder, Response, StatusCode};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::StreamableHttpPostResponse;
use sse_stream::{Sse, SseStream};
use toolwrit_words::headers::MCP_SESSION;

use super::answer::readable_events;
use super::error::{HttpError, refused};
use super::{Headers, MAX_MESSAGE, SseEvents};
use crate::whole::WholeList;

const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";

/// Sends a request for a list of tools. Returns `None` if the server refuses it, or answers with no message and no events:
/// rmcp then sends it once more, and knows what the answer means.
pub(super) async fn post(
    request: RequestBuilder,
    message: &ClientJsonRpcMessage,
    session: Option<&str>,
    headers: Headers,
    whole: &WholeList,
) -> Result<Option<StreamableHttpPostResponse>, HttpError> {
    whole.sent(message);
    let mut request = request.header(ACCEPT, format!("{EVENTS}, {JSON}"));
    for (name, value) in headers {
        request = request.header(name, value);
    }
    if let Some(session) = session {
        request = request.header(MCP_SESSION, session);
    }
    let response = request.json(message).send().await.map_err(HttpError::Client)?;
    let header = |name: &str| Some(response.headers().get(name)?.to_str().ok()?.to_owned());
    match response.status() {
        StatusCode::UNAUTHORIZED => {
            return Err(refused(header(WWW_AUTHENTICATE.as_str()).unwrap_or_default()));
        }
        // The answer comes on another stream.
        StatusCode::ACCEPTED | StatusCode::NO_CONTENT => {
            return Ok(Some(StreamableHttpPostResponse::Accepted));
        }
        status if !status.is_success() => return Ok(None),
        _ => {}
    }
    let (session, kind) = (header(MCP_SESSION), header(CONTENT_TYPE.as_str()).unwrap_or_default());
    if kind.starts_with(EVENTS) {
        let events = SseStream::from_bytes_stream(limited(response)).boxed();
        let events = readable_events(overheard(events, whole.clone()));
        return Ok(Some(StreamableHttpPostResponse::Sse(events, session)));
    }
    if !kind.starts_with(JSON) {
        return Ok(None);
    }
    let body = limited(response).map_ok(Vec::from).try_concat().await?;
    let Ok(message) = serde_json::from_slice(&body) else { return Ok(None) };
    whole.heard(&body);
    Ok(Some(StreamableHttpPostResponse::Json(message, session)))
}

/// The same events, in which the list of tools is heard.
pub(super) fn overheard(events: SseEvents, whole: WholeList) -> SseEvents {
    let hear = move |event: &Sse| {
        let is_message = event.event.as_deref().is_none_or(|kind| kind == "message");
        if let Some(data) = event.data.as_deref().filter(|_| is_message) {
            whole.heard(data.as_bytes());
        }
    };
    events.inspect_ok(hear).boxed()
}

/// The body of a response, which ends with an error if it is larger than a message may be.
fn limited(response: Response) -> impl Stream<Item = io::Result<Bytes>> {
    let mut read = 0;
    response.bytes_stream().map(move |bytes| {
        let bytes = bytes.map_err(io::Error::other)?;
        read += bytes.len();
        if read > MAX_MESSAGE {
            return Err(io::Error::other("the answer is too large"));
        }
        Ok(bytes)
    })
}
