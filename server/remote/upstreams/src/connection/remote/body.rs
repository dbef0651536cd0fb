//! Bodies of responses, within the size limit of a message.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures::{Stream, StreamExt as _, stream};
use reqwest::Response;
use rmcp::model::{JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use sse_stream::{Sse, SseStream};

use super::error::HttpError;
use super::{MAX_MESSAGE, SseEvents};
use crate::connection::answer::{addressed, answered, failed, is_id_of, no_message, unreadable};
use crate::whole::WholeList;
use crate::written::to_json_text;

/// The whole body.
pub(super) async fn body(mut response: Response) -> Result<Vec<u8>, HttpError> {
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.map_err(HttpError::Client)? {
        body.extend_from_slice(&bytes);
        if body.len() > MAX_MESSAGE {
            return Err(HttpError::ResponseBodyTooLarge { max_size: MAX_MESSAGE });
        }
    }
    Ok(body)
}

/// The body as events.
pub(super) fn events(response: Response) -> SseEvents {
    SseStream::from_bytes_stream(limited(response.bytes_stream())).boxed()
}

/// A stream that ends with an error if an event in it is larger than a message may be.
fn limited(
    bytes: impl Stream<Item = reqwest::Result<Bytes>>,
) -> impl Stream<Item = io::Result<Bytes>> {
    // An empty line ends an event.
    let (mut event, mut line) = (0, 0);
    bytes.map(move |bytes| {
        let bytes = bytes.map_err(io::Error::other)?;
        for byte in &bytes {
            (event, line) = match byte {
                b'\n' | b'\r' if line == 0 => (0, 0),
                b'\n' | b'\r' => (event + 1, 0),
                _ => (event + 1, line + 1),
            };
            if event > MAX_MESSAGE {
                return Err(io::Error::other("the answer is too large"));
            }
        }
        Ok(bytes)
    })
}

/// Reads events as messages of MCP.
pub(super) struct Reader {
    /// The request that the stream answers, if it is the response to one.
    request: Option<RequestId>,
    /// Hears lists of tools.
    whole: WholeList,
    /// Counts the stream while it is open.
    _open: Arc<()>,
    is_answered: bool,
    /// Whether the stream can be continued after the last event with an id.
    can_continue: bool,
    /// The last event that was no message.
    said: String,
}

impl Reader {
    /// Reads the response to a request.
    pub(super) fn response(request: RequestId, whole: WholeList) -> Self {
        Self { request: Some(request), ..Self::stream(Arc::default(), whole) }
    }

    /// Reads the stream of a session.
    pub(super) fn stream(open: Arc<()>, whole: WholeList) -> Self {
        let (is_answered, can_continue, said) = Default::default();
        Self { request: None, whole, _open: open, is_answered, can_continue, said }
    }

    /// Returns the events in which only messages are left. If the response to a request ends without an answer, and cannot be
    /// continued, an error with what came instead is the last one.
    pub(super) fn messages(self, events: SseEvents) -> SseEvents {
        stream::unfold((self, Some(events)), |(mut reader, events)| async {
            let mut events = events?;
            match events.next().await {
                Some(event) => {
                    Some((event.map(|event| reader.read(event)), (reader, Some(events))))
                }
                None => Some((Ok(reader.ended()?), (reader, None))),
            }
        })
        .boxed()
    }

    fn read(&mut self, mut event: Sse) -> Sse {
        self.can_continue |= event.id.is_some();
        let is_message = matches!(event.event.as_deref(), None | Some("" | "message"));
        let Some(data) = event.data.take().filter(|data| is_message && !data.trim().is_empty())
        else {
            return event;
        };
        self.whole.heard(data.as_bytes());
        event.data = match serde_json::from_str(&data) {
            Ok(message) if self.is_right(&message) => Some(data),
            parsed => {
                let message = parsed.ok().or_else(|| unreadable(data.as_bytes()));
                if message.is_none() {
                    self.said = data;
                }
                message.map(|message| to_json_text(&self.addressed(message)))
            }
        };
        event
    }

    /// Whether a message is none that must be changed.
    fn is_right(&mut self, message: &ServerJsonRpcMessage) -> bool {
        let Some(request) = &self.request else { return true };
        let is_answer = matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
        self.is_answered |= is_answer;
        !is_answer || answered(message).is_some_and(|id| is_id_of(id, request))
    }

    fn addressed(&mut self, message: ServerJsonRpcMessage) -> ServerJsonRpcMessage {
        match &self.request {
            Some(request) => {
                self.is_answered = true;
                addressed(message, request)
            }
            None => message,
        }
    }

    /// The answer of a stream that has ended.
    fn ended(&self) -> Option<Sse> {
        let request = self.request.clone().filter(|_| !self.is_answered && !self.can_continue)?;
        Some(Sse::default().data(to_json_text(&failed(request, no_message(&self.said)))))
    }
}
