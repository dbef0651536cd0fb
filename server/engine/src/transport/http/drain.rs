//! Stopping without losing anything: new work is refused, what is in flight is answered.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use hyper::body::{Frame, SizeHint};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::refusal::Refusal;

/// Whether the server still takes work, and what is in flight. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Drain {
    begun: CancellationToken,
    in_flight: TaskTracker,
}

impl Drain {
    pub(super) fn has_begun(&self) -> bool {
        self.begun.is_cancelled()
    }

    /// From now on no work is taken.
    pub(super) fn begin(&self) {
        self.begun.cancel();
        self.in_flight.close();
    }

    /// Completes when everything in flight is answered, after [`Drain::begin`].
    pub(super) async fn complete(&self) {
        self.in_flight.wait().await;
    }
}

/// Lets a request in and counts it until the last byte of its answer is handed over.
pub(super) async fn admit(State(drain): State<Drain>, request: Request, next: Next) -> Response {
    // Counted before the question: whoever is let in is waited for.
    let in_flight = drain.in_flight.token();
    if drain.has_begun() {
        return Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the server is stopping")
            .hinting("Nothing was done. Send the request again, on a new connection.")
            .with(RETRY_AFTER, HeaderValue::from_static("1"))
            .last()
            .into_response();
    }
    next.run(request).await.map(|body| Body::new(Counted { body, _in_flight: in_flight }))
}

/// The body of an answer, in flight until it is dropped.
struct Counted {
    body: Body,
    _in_flight: TaskTrackerToken,
}

impl HttpBody for Counted {
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

/// Why serving ended badly.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Interrupted {
    /// The process was asked twice to stop.
    #[error("stopped at once; requests in flight have no answer")]
    AskedTwice,
    /// The process cannot be asked to stop.
    #[error("cannot listen to signals: {0}")]
    Deaf(#[from] io::Error),
}

/// Requests to stop: SIGTERM and SIGINT, or what the system has in their place.
pub(super) struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let (terminate, interrupt) =
            (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        Ok(Self { terminate, interrupt })
    }

    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    #[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    pub(super) async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}
