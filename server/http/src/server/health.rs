//! Health checks: whether the process is alive, and whether it takes requests.

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
    if drain.has_begun() {
        // A connection that is kept is the only way to go on asking.
        let refusal = Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the server is stopping");
        return Err(refusal.staying());
    }
    Ok("ok\n")
}
