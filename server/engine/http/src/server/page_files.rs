//! The files of the page.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use axum::extract::{Path, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use sha2::{Digest as _, Sha256};
use toolwrit_browser::{FILES, File, PAGE};
use toolwrit_text::hex::Hex;

use super::content_policy;
use super::mcp::HttpState;
use super::refusal::Refusal;
use crate::identity::ResourceServer;

pub(super) async fn redirect() -> Redirect {
    Redirect::permanent("/browser/")
}

pub(super) async fn page(State(state): State<Arc<HttpState>>, headers: HeaderMap) -> Response {
    send(&PAGE, &state, &headers)
}

pub(super) async fn file(
    State(state): State<Arc<HttpState>>,
    Path(path): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let found = FILES.iter().find(|file| file.path == path);
    let missing = || Refusal::new(StatusCode::NOT_FOUND, "the tool browser has no such file");
    found.map(|file| send(file, &state, &headers)).ok_or_else(missing)
}

/// Returns a file, or 304 if the browser has it.
fn send(file: &File, state: &HttpState, headers: &HeaderMap) -> Response {
    let tag = tag(file.path);
    let common = [
        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (ETAG, tag.clone()),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    if headers.get_all(IF_NONE_MATCH).iter().any(|known| *known == tag) {
        return (StatusCode::NOT_MODIFIED, common).into_response();
    }
    let issuer = state.gate.sign_in().map(ResourceServer::issuer_origin);
    let headers: [(HeaderName, HeaderValue); 3] = [
        (CONTENT_TYPE, HeaderValue::from_static(file.media_type)),
        (CONTENT_SECURITY_POLICY, content_policy::tool_browser(issuer)),
        // The fragment of a link may contain arguments; the address alone has nothing private.
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ];
    (common, headers, file.text).into_response()
}

fn tag(path: &str) -> HeaderValue {
    static TAGS: LazyLock<BTreeMap<&str, HeaderValue>> = LazyLock::new(|| {
        let tag = |file: &File| {
            let tag = format!("\"{}\"", Hex(&Sha256::digest(file.text)[..16]));
            HeaderValue::try_from(tag).ok().map(|tag| (file.path, tag))
        };
        FILES.iter().chain([&PAGE]).filter_map(tag).collect()
    });
    TAGS.get(path).cloned().unwrap_or_else(|| HeaderValue::from_static("\"\""))
}
