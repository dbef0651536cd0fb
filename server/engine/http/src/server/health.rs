//! Health checks: whether the process is alive, and whether it should get requests.

use axum::extract::State;
use axum::http::StatusCode;

use super::drain::Drain;
use super::refusal::Refusal;
use toolwrit_core::audit::storage::State as StoredState;

/// `GET /healthz`.
pub(super) async fn alive() -> &'static str {
    "ok\n"
}

/// `GET /readyz`.
pub(super) async fn ready(
    State((drain, state)): State<(Drain, StoredState)>,
) -> Result<&'static str, Refusal> {
    let why = if drain.is_announced() {
        Some("the server is stopping".to_owned())
    } else {
        state.unready()
    };
    // Keep the connection open: while draining, the server accepts no new ones to ask again.
    let refuse = |why| Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why).staying();
    why.map_or(Ok("ok\n"), |why| Err(refuse(why)))
}
