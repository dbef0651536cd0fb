//! Bodies: those of requests are read within bounds of size and time, those of answers are JSON, and may
//! hold on to something while they are sent.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use http_body_util::BodyExt as _;
use hyper::body::{Frame, SizeHint};
use rmcp::RoleServer;
use rmcp::service::TxJsonRpcMessage;

use super::Limits;
use super::refusal::Refusal;

/// A body that is too large is read on up to this many times the limit, because a client that is
/// still writing when the connection closes may never see the answer.
const PATIENCE: usize = 16;

/// Reads a body to its end.
///
/// # Errors
/// 413 for one that is too large, 408 for one that takes too long, 400 for one that breaks off.
pub(super) async fn read(body: Body, limits: Limits) -> Result<Bytes, Refusal> {
    let Limits { body_bytes, body_time, .. } = limits;
    match tokio::time::timeout(body_time, collect(body, body_bytes)).await {
        Ok(collected) => collected,
        Err(_) => Err(too_slow(body_time)),
    }
}

async fn collect(mut body: Body, limit: usize) -> Result<Bytes, Refusal> {
    let mut collected = Vec::new();
    let mut seen = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            Refusal::new(StatusCode::BAD_REQUEST, format!("the body breaks off: {error}"))
        })?;
        let Ok(data) = frame.into_data() else { continue };
        seen += data.len();
        if seen <= limit {
            collected.extend_from_slice(&data);
        } else if seen > limit * PATIENCE {
            break;
        }
    }
    if seen > limit { Err(too_large(limit)) } else { Ok(collected.into()) }
}

fn too_large(limit: usize) -> Refusal {
    let message = format!("the body of a request has at most {limit} bytes");
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
        .hinting("Send less at once, in several calls.")
}

fn too_slow(limit: Duration) -> Refusal {
    let message = format!("the body did not arrive within {} s", limit.as_secs_f64());
    Refusal::new(StatusCode::REQUEST_TIMEOUT, message)
}

/// Whether a request says that its body is JSON.
pub(super) fn says_json(headers: &HeaderMap) -> bool {
    let said = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    said.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

/// A message as the body of an answer.
pub(super) fn json(status: StatusCode, message: &TxJsonRpcMessage<RoleServer>) -> Response {
    let mut response = Response::new(Body::from(serde_json::to_vec(message).unwrap_or_default()));
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

/// A body that keeps something until it is sent, or dropped.
pub(super) fn held(body: Body, held: impl Send + Unpin + 'static) -> Body {
    Body::new(Held { body, _held: held })
}

struct Held<T> {
    body: Body,
    _held: T,
}

impl<T: Unpin> HttpBody for Held<T> {
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
    use std::time::Duration;

    use axum::body::{Body, Bytes};
    use axum::response::IntoResponse;
    use futures::stream;

    use super::{Limits, read};

    fn limits() -> Limits {
        let body_time = Duration::from_millis(50);
        Limits { body_bytes: 10, body_time, ..Limits::default() }
    }

    async fn outcome(body: Body) -> Result<Bytes, u16> {
        read(body, limits()).await.map_err(|refusal| refusal.into_response().status().as_u16())
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
