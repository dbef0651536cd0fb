//! Stops without losing work: the server first says that it will stop, so that a balancer sends its requests elsewhere. Then
//! new requests are refused, and those in flight are answered.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, Method, Request, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;
use toolwrit_words::headers::MCP_SESSION;

use super::body::hold_until_sent;
use super::refusal::Refusal;

/// Whether the server still accepts requests, and which are in flight. Cheap to clone.
#[derive(Clone, Default)]
pub struct Drain {
    announced: CancellationToken,
    begun: CancellationToken,
    in_flight: TaskTracker,
}

impl Drain {
    pub(super) fn has_begun(&self) -> bool {
        self.begun.is_cancelled()
    }

    /// Whether the server refuses requests, or soon will.
    pub(super) fn is_announced(&self) -> bool {
        self.announced.is_cancelled()
    }

    /// Says that the server will refuse requests soon.
    pub(super) fn announce(&self) {
        self.announced.cancel();
    }

    /// Whether the server answers requests, but asks their clients to send the next one on another connection, which a
    /// balancer leads elsewhere.
    pub(super) fn sends_elsewhere(&self) -> bool {
        self.is_announced() && !self.has_begun()
    }

    /// Completes when the server starts to refuse requests.
    pub(super) fn begun(&self) -> impl Future<Output = ()> + Send + use<> {
        self.begun.clone().cancelled_owned()
    }

    /// Refuses new requests from now on.
    pub(super) fn begin(&self) {
        self.announce();
        self.begun.cancel();
        self.in_flight.close();
    }

    /// Counts a request until the returned guard is dropped and its handler has ended. The caller holds the
    /// guard until the answer is sent. In a session, the handler may run on after a disconnect.
    ///
    /// # Errors
    /// 503 if the server refuses new requests.
    pub(super) fn admit<B>(&self, request: &mut Request<B>) -> Result<InFlight, Refusal> {
        // Count before the check, so that draining waits for every admitted request.
        let in_flight = Arc::new(self.in_flight.token());
        let may_be_response =
            request.method() == Method::POST && request.headers().contains_key(MCP_SESSION);
        if self.has_begun() && !may_be_response {
            return Err(stopping());
        }
        request.extensions_mut().insert(in_flight.clone());
        Ok(in_flight)
    }

    /// Refuses new requests, and completes when those in flight are answered, or after `most`.
    pub async fn end(&self, most: Duration) {
        self.begin();
        if tokio::time::timeout(most, self.complete()).await.is_err() {
            tracing::warn!("stopped with requests still in flight");
        }
    }

    /// Completes when all requests in flight are answered. Call [`Drain::begin`] first.
    pub(super) async fn complete(&self) {
        self.in_flight.wait().await;
    }
}

/// Counts a request as in flight as long as a clone exists.
pub(super) type InFlight = Arc<TaskTrackerToken>;

/// Middleware that admits a request, and counts it until it is answered.
pub(super) async fn admit(
    State(drain): State<Drain>,
    mut request: Request<Body>,
    next: Next,
) -> Result<Response, Refusal> {
    let in_flight = drain.admit(&mut request)?;
    Ok(next.run(request).await.map(|body| hold_until_sent(body, in_flight)))
}

/// The refusal of requests that arrive after the drain began.
pub(super) fn stopping() -> Refusal {
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the server is stopping")
        .hinting("Nothing was done. Send the request again, on a new connection.")
        .with(RETRY_AFTER, HeaderValue::from_static("1"))
}

/// Why serving ended with an error.
#[derive(Debug, thiserror::Error)]
pub enum Interrupted {
    /// A second signal arrived before all requests were answered.
    #[error("stopped at once by a second signal; requests in flight were not answered")]
    AskedTwice,
    /// The process cannot listen for signals.
    #[error("cannot listen for signals: {0}")]
    Deaf(#[from] io::Error),
}
