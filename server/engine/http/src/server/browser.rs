//! `/browser`: a page on which people find, call and watch operations. Its files are public and contain no data; what it
//! shows comes from the routes below `/browser/api`, which need the credential of the user. It calls operations through
//! `/mcp/flat`, as every client.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::json;

use super::access::bearer;
use super::mcp::HttpState;
use super::page_caller::answer;
use super::refusal::Refusal;
use super::{page_check, page_files, page_history, page_operations, page_status};
use crate::identity::ResourceServer;

/// The routes of the tool browser.
pub(super) fn router(state: &Arc<HttpState>) -> Router {
    Router::new()
        .route("/browser", get(page_files::redirect))
        .route("/browser/", get(page_files::page))
        .route("/browser/callback", get(page_files::page))
        .route("/browser/files/{*path}", get(page_files::file))
        .route("/browser/api/sign-in", get(sign_in))
        .route("/browser/api/launch", post(launch))
        .route("/browser/api/operations", get(page_operations::list))
        .route("/browser/api/search", get(page_operations::search))
        .route("/browser/check", post(page_check::check))
        .route("/browser/api/history", get(page_history::list))
        .route("/browser/api/series", get(page_history::series))
        .route("/browser/api/status", get(page_status::list))
        .route("/browser/api/status/{provider}/{action}", post(page_status::act))
        .with_state(state.clone())
}

/// What a page needs to know before a user has signed in. `required` is null if only a request can tell.
async fn sign_in(State(state): State<Arc<HttpState>>) -> Response {
    let authority = state.endpoints.engine().authority();
    let server = &authority.tables().server;
    answer(json!({
        "title": server.title.as_ref().unwrap_or(&server.name),
        "required": state.gate.requires_token(),
        "oauth": state.gate.sign_in().map(ResourceServer::offer),
        "browse": state.gate.user_command().is_some(),
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
