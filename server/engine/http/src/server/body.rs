//! Bodies: request bodies are read within limits of size and time. Response bodies are JSON, and can keep
//! a value alive until they are sent.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use http_body_util::BodyExt as _;
use hyper::body::{Frame, SizeHint};
use rmcp::RoleServer;
use rmcp::service::TxJsonRpcMessage;

use super::HttpLimits;
use super::refusal::Refusal;
use super::slots::{ConnectionSlot, Full};
use toolwrit_core::json::written::to_json_text;

/// The first bytes of each body that are not counted as held: most calls are smaller, and large bodies
/// must not keep them out.
const SMALL: usize = 8 * 1024;

/// Reads the whole body.
///
/// # Errors
/// 413 if it is too large, 408 if it takes too long, 400 if it is incomplete, 503 if too many bytes are
/// held for other requests.
pub(super) async fn read(
    body: Body,
    slot: &ConnectionSlot,
    limits: HttpLimits,
) -> Result<Bytes, Refusal> {
    let HttpLimits { body_bytes, body_time, .. } = limits;
    slot.reads();
    let collected = match tokio::time::timeout(body_time, collect(body, slot, body_bytes)).await {
        Ok(collected) => collected,
        Err(_) => Err(too_slow(body_time)),
    };
    slot.has_read(collected.is_ok());
    collected
}

async fn collect(mut body: Body, slot: &ConnectionSlot, limit: usize) -> Result<Bytes, Refusal> {
    let mut collected: Vec<u8> = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            Refusal::new(StatusCode::BAD_REQUEST, format!("the body is incomplete: {error}"))
        })?;
        let Ok(data) = frame.into_data() else { continue };
        if collected.len() + data.len() > limit {
            return Err(too_large(limit));
        }
        let (capacity, needed) = (collected.capacity(), collected.len() + data.len());
        if needed > capacity {
            let grown = needed.max(2 * capacity).min(limit);
            let more = grown.saturating_sub(SMALL) - capacity.saturating_sub(SMALL);
            if more > 0 {
                slot.hold(more).await.map_err(|Full| out_of_memory_budget())?;
            }
            collected.reserve_exact(grown - collected.len());
        }
        collected.extend_from_slice(&data);
    }
    Ok(collected.into())
}

fn too_large(limit: usize) -> Refusal {
    let message = format!("the body is too large; the limit is {limit} bytes");
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message).hinting("Send less in one call.")
}

fn too_slow(limit: Duration) -> Refusal {
    let message = format!("the body did not arrive within {} s", limit.as_secs_f64());
    Refusal::new(StatusCode::REQUEST_TIMEOUT, message)
}

fn out_of_memory_budget() -> Refusal {
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the server is receiving too much data")
        .hinting("Nothing was done. Send the request again.")
        .with(RETRY_AFTER, HeaderValue::from_static("1"))
}

/// Whether the content type is JSON.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    is_of_type(headers, "application/json")
}

/// Whether the content type is that of event streams.
pub(super) fn is_event_stream(headers: &HeaderMap) -> bool {
    is_of_type(headers, "text/event-stream")
}

fn is_of_type(headers: &HeaderMap, expected: &str) -> bool {
    let media_type =
        headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    media_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(expected)
}

/// Returns a response with a JSON-RPC message as its body.
pub(super) fn json(status: StatusCode, message: &TxJsonRpcMessage<RoleServer>) -> Response {
    let mut response = Response::new(Body::from(to_json_text(message)));
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

/// Wraps a body, to keep a value alive until the body is sent or dropped.
pub(super) fn hold_until_sent(body: Body, held: impl Send + Unpin + 'static) -> Body {
    Body::new(HeldBody { body, _held: held })
}

struct HeldBody<T> {
    body: Body,
    _held: T,
}

impl<T: Unpin> HttpBody for HeldBody<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::time::Duration;

    use axum::body::{Body, Bytes};
    use axum::response::IntoResponse;
    use futures::stream;

    use super::super::slots::ConnectionSlots;
    use super::{HttpLimits, read};

    fn limits() -> HttpLimits {
        let body_time = Duration::from_millis(50);
        HttpLimits { body_bytes: 10, body_time, ..HttpLimits::default() }
    }

    async fn outcome(body: Body) -> Result<Bytes, u16> {
        let taken = ConnectionSlots::new(1, 100).take(IpAddr::V4(Ipv4Addr::LOCALHOST)).unwrap();
        let read = read(body, taken.slot(), limits()).await;
        read.map_err(|refusal| refusal.into_response().status().as_u16())
    }

    #[tokio::test]
    async fn bodies_are_bounded_in_size_and_time() {
        assert_eq!(outcome(Body::from("0123456789")).await, Ok("0123456789".into()));
        assert_eq!(outcome(Body::from("0123456789a")).await, Err(413));
        let endless = stream::repeat_with(|| Ok::<_, std::io::Error>("0123456789"));
        assert_eq!(outcome(Body::from_stream(endless)).await, Err(413));
        let stuck = stream::pending::<Result<Bytes, std::io::Error>>();
        assert_eq!(outcome(Body::from_stream(stuck)).await, Err(408));
        let broken = stream::iter([Ok("01"), Err(std::io::Error::other("gone"))]);
        assert_eq!(outcome(Body::from_stream(broken)).await, Err(400));
    }
}
