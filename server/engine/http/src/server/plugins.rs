//! `GET /plugins`: the providers that exist for the caller, what they offer, and the plugins of the software that the
//! application works with. `GET /plugins/{id}/capabilities` returns one of them.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::{Extension, Json};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use super::mcp::HttpState;
use super::refusal::Refusal;
use super::tools::refusal;
use toolwrit_core::caller::principal::Identity;
use toolwrit_core::fault::{Code, Fault, Result as Answered};
use toolwrit_core::json::size::size;
use toolwrit_mcp::endpoint::Endpoint;
use toolwrit_text::shorten;

/// The name of these requests in the audit.
const RECORD: &str = "GET /plugins";

pub(super) async fn list(
    State(state): State<Arc<HttpState>>,
    identity: Option<Extension<Identity>>,
    headers: HeaderMap,
) -> Result<Json<Value>, Refusal> {
    answer(&state, identity, &headers, |endpoint| Ok(json!({ "plugins": endpoint.plugins() })))
        .await
}

pub(super) async fn capabilities(
    State(state): State<Arc<HttpState>>,
    identity: Option<Extension<Identity>>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let one = move |endpoint: &Endpoint| {
        let mut provider = endpoint.plugin(&id).ok_or_else(|| {
            let names: Vec<String> = endpoint.plugins().keys().cloned().collect();
            let short = shorten::name(&id);
            Fault::new(Code::NotFound, format!("there is no plugin `{short}`"))
                .expecting(names.join("|"))
        })?;
        provider["id"] = id.as_str().into();
        Ok(provider)
    };
    answer(&state, identity, &headers, one).await
}

/// Answers a query about providers, as one request of the caller. The query may block.
async fn answer(
    state: &HttpState,
    identity: Option<Extension<Identity>>,
    headers: &HeaderMap,
    query: impl FnOnce(&Endpoint) -> Answered<Value> + Send + 'static,
) -> Result<Json<Value>, Refusal> {
    let start = Instant::now();
    let identity = identity.map(|Extension(identity)| identity).unwrap_or_default();
    let endpoint = state.endpoints.flat(headers, &identity)?;
    let record = endpoint.record(RECORD, &identity.principal, None, start);
    let answered = match endpoint.acquire_permits(&identity.principal).await {
        Ok(_permits) => {
            let asked = endpoint.clone();
            let answered = spawn_blocking(move || query(&asked)).await;
            answered.unwrap_or_else(|error| Err(Fault::internal(error.to_string())))
        }
        Err(fault) => Err(fault),
    };
    match answered {
        Ok(value) => {
            record.succeeded(size(&value));
            Ok(Json(value))
        }
        Err(fault) => {
            record.failed(&fault);
            Err(match fault.code() {
                Code::NotFound => Refusal::new(StatusCode::NOT_FOUND, fault.message())
                    .expecting(fault.expected().unwrap_or_default().split('|')),
                _ => refusal(&fault),
            })
        }
    }
}
