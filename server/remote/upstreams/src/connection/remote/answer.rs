//! Answers over streamable HTTP that cannot be read, which rmcp drops, or reports with their text.

use futures::TryStreamExt as _;
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage};
use rmcp::service::RxJsonRpcMessage;
use rmcp::transport::streamable_http_client::StreamableHttpPostResponse;
use sse_stream::Sse;

use super::SseEvents;
use super::error::HttpError;
use crate::connection::unreadable::{failed, unreadable};
use crate::written::to_json_text;

/// How rmcp reports a body that is no message.
const NO_MESSAGE: &str = "could not parse JSON response as ServerJsonRpcMessage: ";

/// Returns the answer to a message, in which what cannot be read is an error.
pub(super) fn readable(
    answer: Result<StreamableHttpPostResponse, HttpError>,
    message: &ClientJsonRpcMessage,
) -> Result<StreamableHttpPostResponse, HttpError> {
    match (answer, message) {
        (Ok(StreamableHttpPostResponse::Sse(events, session)), _) => {
            Ok(StreamableHttpPostResponse::Sse(readable_events(events), session))
        }
        (Err(HttpError::UnexpectedServerResponse(text)), JsonRpcMessage::Request(request))
            if text.starts_with(NO_MESSAGE) =>
        {
            // What follows the place of the error is the body.
            let why = match text[NO_MESSAGE.len()..].split_once(" at line ") {
                Some((why, _)) => format!("its answer is no message of MCP: {why}"),
                None => "its answer is no message of MCP".to_owned(),
            };
            Ok(StreamableHttpPostResponse::Json(failed(request.id.clone(), why), None))
        }
        (answer, _) => answer,
    }
}

/// The same events, in which what cannot be read is an error.
pub(super) fn readable_events(events: SseEvents) -> SseEvents {
    let read = |mut event: Sse| {
        let data = event.data.as_deref().unwrap_or_default();
        if serde_json::from_str::<RxJsonRpcMessage<RoleClient>>(data).is_err()
            && let Some(message) = unreadable(data.as_bytes())
        {
            event.data = Some(to_json_text(&message));
        }
        event
    };
    Box::pin(events.map_ok(read))
}
