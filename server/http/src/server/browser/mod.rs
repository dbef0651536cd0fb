//! `/browser`: a page on which people find, call and watch operations. Its files are public and contain no data; what it
//! shows comes from the routes below `/browser/api`, which need the credential of the user. It calls operations through
//! `/mcp/flat`, as every client.

mod check;
mod files;
mod history;
mod operations;
mod series;
mod status;

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use serde_json::{Value, json};

use super::access::bearer;
use super::mcp::HttpState;
use super::refusal::Refusal;
use toolwrit_core::principal::{Identity, Principal};
use toolwrit_mcp::endpoint::Endpoint;

/// The routes of the tool browser.
pub(super) fn router(state: &Arc<HttpState>) -> Router {
    Router::new()
        .route("/browser", get(files::redirect))
        .route("/browser/", get(files::page))
        .route("/browser/files/{*path}", get(files::file))
        .route("/browser/api/sign-in", get(sign_in))
        .route("/browser/api/launch", post(launch))
        .route("/browser/api/operations", get(operations::list))
        .route("/browser/api/search", get(operations::search))
        .route("/browser/check", post(check::check))
        .route("/browser/api/history", get(history::list))
        .route("/browser/api/series", get(history::series))
        .route("/browser/api/status", get(status::list))
        .route("/browser/api/status/{provider}/{action}", post(status::act))
        .with_state(state.clone())
}

/// What a page needs to know before a user has signed in. `required` is null if only a request can tell.
async fn sign_in(State(state): State<Arc<HttpState>>) -> Response {
    let authority = state.endpoints.engine().authority();
    let server = &authority.tables().server;
    answer(json!({
        "title": server.title.unwrap_or(server.name),
        "required": state.gate.requires_token(),
        "oauth": state.gate.has_oauth(),
    }))
}

/// Returns the token for the code in the header, once.
async fn launch(
    State(state): State<Arc<HttpState>>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let token = bearer(&headers)?.and_then(|code| state.gate.redeem(code));
    let used = || {
        Refusal::new(StatusCode::UNAUTHORIZED, "this address opens the page only once")
            .hinting("Open the address that `browse` has printed, or run it again.")
    };
    Ok(answer(json!({ "token": token.ok_or_else(used)? })))
}

/// The caller of a request of the page.
struct PageCaller {
    endpoint: Arc<Endpoint>,
    principal: Principal,
}

impl PageCaller {
    fn of(
        state: &HttpState,
        identity: Option<Extension<Identity>>,
        headers: &HeaderMap,
    ) -> Result<Self, Refusal> {
        let identity = identity.map(|Extension(identity)| identity).unwrap_or_default();
        let endpoint = state.endpoints.flat(headers, &identity)?;
        endpoint.policy.refresh();
        Ok(Self { endpoint, principal: identity.principal })
    }
}

/// An answer that depends on the caller and changes at any time.
fn answer(value: Value) -> Response {
    ([(CACHE_CONTROL, HeaderValue::from_static("no-store"))], Json(value)).into_response()
}
