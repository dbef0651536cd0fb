//! `/docs/`, where `/` leads: the documentation site, limited to what the caller's policy shows, and `/docs/search`, which
//! answers its search field. Sites are built on first use, and cached.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY,
    VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use axum::{Extension, Json, Router};
use moka::sync::Cache;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::sync::Mutex;
use toolwrit_docs::{category_address, joined_address, operation_address};
use toolwrit_manifest::Problems;

use super::content_policy;
use super::mcp::HttpState;
use super::refusal::Refusal;
use super::tools;
use crate::site::{self, SiteView};
use toolwrit_core::caller::principal::Identity;
use toolwrit_mcp::endpoint::{Endpoint, Match, SearchQuery};
use toolwrit_text::hex::Hex;

const ROOT: &str = "/docs/";
/// The name of these searches in the audit.
const SEARCH: &str = "GET /docs/search";
/// Number of cached sites, of some megabytes each.
const CACHED_SITES: u64 = 8;
/// Maximum number of operations in a search result.
const MAX_RESULTS: usize = 8;

/// The routes of the site.
pub(super) fn router(state: &Arc<HttpState>) -> Router {
    let docs =
        Docs { state: state.clone(), sites: Cache::new(CACHED_SITES), building: Arc::default() };
    Router::new()
        .route("/", get(async || Redirect::temporary(ROOT)))
        .route("/docs", get(async || Redirect::permanent(ROOT)))
        .route("/docs/search", get(search))
        .route("/docs/", get(show))
        .route("/docs/{*path}", get(show))
        .with_state(Arc::new(docs))
}

struct Docs {
    state: Arc<HttpState>,
    sites: Cache<SiteView, Arc<CachedSite>>,
    /// Held while a site is built: one at a time, because building one uses a whole processor core.
    building: Arc<Mutex<()>>,
}

/// A site in memory.
struct CachedSite(BTreeMap<String, File>);

struct File {
    kind: HeaderValue,
    tag: HeaderValue,
    bytes: Bytes,
}

async fn show(
    State(docs): State<Arc<Docs>>,
    identity: Option<Extension<Identity>>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Refusal> {
    let identity = identity.map(|Extension(identity)| identity).unwrap_or_default();
    let endpoint = docs.state.endpoints.flat(&headers, &identity)?;
    let site = docs.site(&endpoint).await?;
    // File names are plain ASCII, so a percent-encoded path matches none.
    let path = uri.path().strip_prefix(ROOT).filter(|path| !path.is_empty());
    let file = site.0.get(path.unwrap_or("index.html")).ok_or_else(no_such_page)?;
    Ok(file.answer(&headers))
}

pub(super) fn no_such_page() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "the documentation has no such page")
        .hinting("Start at /docs/ to find the existing pages.")
}

impl Docs {
    /// Returns the site of what an endpoint shows, built if it is not cached.
    async fn site(&self, endpoint: &Arc<Endpoint>) -> Result<Arc<CachedSite>, Refusal> {
        let view = SiteView::new(&endpoint.policy);
        if let Some(site) = self.sites.get(&view) {
            return Ok(site);
        }
        let lock = self.building.clone().lock_owned().await;
        let (sites, endpoint) = (self.sites.clone(), endpoint.clone());
        // The task completes and caches the site even if the client disconnects.
        let built = tokio::task::spawn_blocking(move || {
            let _lock = lock;
            if let Some(site) = sites.get(&view) {
                return Ok(site);
            }
            let site = Arc::new(CachedSite::new(site::serve(&endpoint.policy, &view)?));
            sites.insert(view, site.clone());
            Ok::<_, Problems>(site)
        });
        match built.await {
            Ok(Ok(site)) => Ok(site),
            Ok(Err(error)) => Err(build_failed(&error)),
            Err(error) => Err(build_failed(&error)),
        }
    }
}

/// Logs the reason, which may contain local paths, and hides it from the client.
fn build_failed(error: &impl std::fmt::Display) -> Refusal {
    tracing::error!(%error, "cannot build the documentation");
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the documentation could not be built")
}

impl CachedSite {
    fn new(files: BTreeMap<String, Vec<u8>>) -> Self {
        let file = |(path, bytes): (String, Vec<u8>)| {
            let file = File::new(&path, bytes);
            (path, file)
        };
        Self(files.into_iter().map(file).collect())
    }
}

/// A header value of ASCII text.
fn header(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static(""))
}

impl File {
    fn new(path: &str, bytes: Vec<u8>) -> Self {
        let digest = Sha256::digest(&bytes);
        let tag = header(&format!("\"{}\"", Hex(&digest[..16])));
        let kind = HeaderValue::from_static(media_type(path));
        Self { kind, tag, bytes: bytes.into() }
    }

    /// Returns the file, or 304 if the client has it.
    fn answer(&self, headers: &HeaderMap) -> Response {
        let common =
            [(ETAG, self.tag.clone())].into_iter().chain(caller_headers()).collect::<HeaderMap>();
        if self.is_known(headers) {
            return (StatusCode::NOT_MODIFIED, common).into_response();
        }
        let headers = [
            (CONTENT_TYPE, self.kind.clone()),
            (CONTENT_SECURITY_POLICY, content_policy::DOCUMENTATION),
            (REFERRER_POLICY, HeaderValue::from_static("same-origin")),
        ];
        (common, headers, self.bytes.clone()).into_response()
    }

    /// Whether `If-None-Match` names this file ([RFC 9110], 13.1.2).
    ///
    /// [RFC 9110]: https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
    fn is_known(&self, headers: &HeaderMap) -> bool {
        let known = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        let mut tags = known.flat_map(|list| list.split(',')).map(str::trim);
        tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == self.tag)
    }
}

/// Headers for all answers: what is shown depends on the caller and may change at any time.
fn caller_headers() -> [(HeaderName, HeaderValue); 3] {
    [
        (CACHE_CONTROL, HeaderValue::from_static("private, no-cache")),
        (VARY, HeaderValue::from_static("authorization, cookie, toolwrit-focus, toolwrit-role")),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ]
}

fn media_type(path: &str) -> &'static str {
    match Path::new(path).extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("txt") => "text/plain; charset=utf-8",
        Some("md") => "text/markdown; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// The query string of a search.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DocsQuery {
    /// The same as `query` of `search_tools`.
    q: String,
}

async fn search(
    State(docs): State<Arc<Docs>>,
    identity: Option<Extension<Identity>>,
    headers: HeaderMap,
    asked: Result<Query<DocsQuery>, QueryRejection>,
) -> Result<Response, Refusal> {
    let start = Instant::now();
    let Query(asked) = asked.map_err(|error| {
        Refusal::new(StatusCode::BAD_REQUEST, error.body_text()).expecting(["q"])
    })?;
    let identity = identity.map(|Extension(identity)| identity).unwrap_or_default();
    let endpoint = docs.state.endpoints.flat(&headers, &identity)?;
    let record = endpoint.record(SEARCH, &identity.principal, None, start);
    let permits = endpoint.acquire_permits(&identity.principal).await;
    match permits.and_then(|_permits| found(&endpoint, &asked.q)) {
        Ok(answer) => {
            record.succeeded(toolwrit_core::json::size::size(&answer));
            Ok((caller_headers(), Json(answer)).into_response())
        }
        Err(fault) => {
            record.failed(&fault);
            Err(tools::refusal(&fault))
        }
    }
}

/// Returns the matching operations, best first, or the categories if none matches.
fn found(endpoint: &Endpoint, query: &str) -> toolwrit_core::fault::Result<Value> {
    endpoint.policy.refresh();
    let found = endpoint.find(SearchQuery { query: Some(query), category: None })?;
    let is_blank = query.trim().is_empty();
    let shown = if is_blank { 0 } else { MAX_RESULTS };
    let operations = found.found.iter().take(shown);
    let operations: Vec<Value> = operations.map(operation).collect();
    let mut answer = json!({ "operations": operations, "total": found.found.len() });
    if let Some(reason) = found.reason() {
        answer["reason"] = reason.into();
    }
    if operations.is_empty() {
        let categories = endpoint.visible_categories().into_iter().map(|(_, category)| {
            let page = category_address(&category.name);
            json!({ "name": category.name, "summary": category.summary, "page": page })
        });
        answer["categories"] = categories.collect();
    }
    Ok(answer)
}

fn operation(found: &Match<'_>) -> Value {
    let operation = found.operation;
    let page = if operation.is_dynamic {
        format!("{}#{}", joined_address(), operation.id)
    } else {
        operation_address(&operation.id)
    };
    json!({
        "id": operation.id,
        "signature": operation.signature,
        "summary": operation.summary,
        "effect": operation.effect.as_str(),
        "deprecated": operation.deprecated.is_some(),
        "relevance": found.relevance(),
        "page": page,
    })
}
