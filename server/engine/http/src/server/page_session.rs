//! `POST /session`: gives the user of an access token a cookie for pages. `DELETE /session` ends it.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, ORIGIN, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;

use super::access::bearer;
use super::mcp::HttpState;
use super::readers::{LIFE, name};
use super::refusal::Refusal;

pub(super) fn router(state: &Arc<HttpState>) -> Router {
    Router::new().route("/session", post(begin).delete(end)).with_state(state.clone())
}

async fn begin(
    State(state): State<Arc<HttpState>>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let Some(token) = bearer(&headers)?.filter(|_| state.gate.requires_token().is_some()) else {
        let message = "only a request with an access token gets a cookie";
        return Err(Refusal::new(StatusCode::BAD_REQUEST, message)
            .hinting("Send `Authorization: Bearer TOKEN`."));
    };
    let cookie = state.gate.readers.begin(token).await.map_err(|error| {
        tracing::error!(%error, "no cookie could be made");
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "no cookie could be made")
    })?;
    Ok(answer(&headers, &cookie, LIFE))
}

async fn end(State(state): State<Arc<HttpState>>, headers: HeaderMap) -> Response {
    // The path of the cookie keeps it from this request, so its users are found by their token.
    if let Ok(Some(token)) = bearer(&headers) {
        state.gate.readers.end(token).await;
    }
    answer(&headers, "", Duration::ZERO)
}

fn answer(headers: &HeaderMap, cookie: &str, life: Duration) -> Response {
    let of_https =
        headers.get(ORIGIN).is_some_and(|origin| origin.as_bytes().starts_with(b"https:"));
    let secure = if of_https { "; Secure" } else { "" };
    let (name, life) = (name(headers), life.as_secs());
    let field =
        format!("{name}={cookie}; Path=/docs; HttpOnly; SameSite=Strict; Max-Age={life}{secure}");
    // Hexadecimal digits and fixed words are valid in a header.
    let field = HeaderValue::try_from(field).unwrap_or_else(|_| HeaderValue::from_static(""));
    let common = (CACHE_CONTROL, HeaderValue::from_static("no-store"));
    (StatusCode::NO_CONTENT, [common, (SET_COOKIE, field)]).into_response()
}
