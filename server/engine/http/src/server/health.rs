//! Health checks: whether the process is alive, and whether it accepts requests.

use axum::extract::State;
use axum::http::StatusCode;

use super::drain::Drain;
use super::refusal::Refusal;

/// `GET /healthz`.
pub(super) async fn alive() -> &'static str {
    "ok\n"
}

/// `GET /readyz`.
pub(super) async fn ready(State(drain): State<Drain>) -> Result<&'static str, Refusal> {
    if drain.is_announced() {
        // Keep the connection open: while draining, the server accepts no new ones to ask again.
        let refusal = Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the server is stopping");
        return Err(refusal.staying());
    }
    Ok("ok\n")
}
