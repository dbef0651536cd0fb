//! Stopping without losing anything: new work is refused, what is in flight is answered.

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

use super::body::held;
use super::refusal::Refusal;
use super::sessions;

/// Whether the server still takes work, and what is in flight. Cheap to clone.
#[derive(Clone, Default)]
pub struct Drain {
    begun: CancellationToken,
    in_flight: TaskTracker,
}

impl Drain {
    pub(super) fn has_begun(&self) -> bool {
        self.begun.is_cancelled()
    }

    /// Completes when no more work is taken.
    pub(super) fn begun(&self) -> impl Future<Output = ()> + Send + use<> {
        self.begun.clone().cancelled_owned()
    }

    /// From now on no work is taken.
    pub(super) fn begin(&self) {
        self.begun.cancel();
        self.in_flight.close();
    }

    /// Counts a request until the last byte of its answer is handed over, which is the caller's part,
    /// and its handler has ended: in a session, that may work on when the client has gone.
    ///
    /// # Errors
    /// 503 once no more work is taken.
    pub(super) fn admit<B>(&self, request: &mut Request<B>) -> Result<InFlight, Refusal> {
        // Counted before the check: an admitted request is waited for.
        let in_flight = Arc::new(self.in_flight.token());
        let may_be_answer =
            request.method() == Method::POST && request.headers().contains_key(sessions::ID);
        if self.has_begun() && !may_be_answer {
            return Err(stopping());
        }
        request.extensions_mut().insert(in_flight.clone());
        Ok(in_flight)
    }

    /// Takes no more work, and completes when what is in flight is answered, or after so long.
    pub async fn end(&self, most: Duration) {
        self.begin();
        if tokio::time::timeout(most, self.complete()).await.is_err() {
            tracing::warn!("stopped with requests still in flight");
        }
    }

    /// Completes when everything in flight is answered, after [`Drain::begin`].
    pub(super) async fn complete(&self) {
        self.in_flight.wait().await;
    }
}

/// A request is in flight as long as one of these is there.
pub(super) type InFlight = Arc<TaskTrackerToken>;

/// Lets a request in and counts it until it is answered.
pub(super) async fn admit(
    State(drain): State<Drain>,
    mut request: Request<Body>,
    next: Next,
) -> Result<Response, Refusal> {
    let in_flight = drain.admit(&mut request)?;
    Ok(next.run(request).await.map(|body| held(body, in_flight)))
}

/// For work that comes too late.
pub(super) fn stopping() -> Refusal {
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the server is stopping")
        .hinting("Nothing was done. Send the request again, on a new connection.")
        .with(RETRY_AFTER, HeaderValue::from_static("1"))
}

/// Why serving ended badly.
#[derive(Debug, thiserror::Error)]
pub enum Interrupted {
    /// The process was asked twice to stop.
    #[error("stopped at once; requests in flight have no answer")]
    AskedTwice,
    /// The process cannot be asked to stop.
    #[error("cannot listen to signals: {0}")]
    Deaf(#[from] io::Error),
}
