//! What the operations need: the providers, their state, and what an operator can do about it. Other software that the
//! server supervises can be listed here too; `actions` says what can be done with each entry.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde_json::{Map, Value, json};

use super::mcp::HttpState;
use super::page_caller::{PageCaller, answer};
use super::refusal::Refusal;
use super::tools::refusal;
use toolwrit_core::principal::Identity;

/// Examines a provider now.
const TEST: &str = "test";

pub(super) async fn list(
    State(state): State<Arc<HttpState>>,
    identity: Option<Extension<Identity>>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let caller = PageCaller::of(&state, identity, &headers)?;
    let turn = caller.endpoint.turn(&caller.principal).await;
    let _places = turn.map_err(|fault| refusal(&fault))?;
    Ok(answer(providers(&caller)))
}

fn providers(caller: &PageCaller) -> Value {
    let actions: &[&str] = if caller.endpoint.policy.is_operators() { &[TEST] } else { &[] };
    let entry = |(name, mut provider): (String, Value)| {
        let operations = provider["operations"].as_object().map_or(0, Map::len);
        provider["operations"] = operations.into();
        provider["name"] = name.into();
        provider["actions"] = actions.into();
        provider
    };
    json!({ "providers": caller.endpoint.plugins().into_iter().map(entry).collect::<Vec<_>>() })
}

/// Does what an operator wants, and returns the state after it.
pub(super) async fn act(
    State(state): State<Arc<HttpState>>,
    identity: Option<Extension<Identity>>,
    headers: HeaderMap,
    Path((provider, action)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let caller = PageCaller::of(&state, identity, &headers)?;
    let turn = caller.endpoint.turn(&caller.principal).await;
    let _places = turn.map_err(|fault| refusal(&fault))?;
    if !caller.endpoint.policy.is_operators() {
        let message = "only a caller with full access can do this";
        return Err(Refusal::new(StatusCode::FORBIDDEN, message)
            .hinting("Use an access token of a role with all permissions."));
    }
    if action != TEST {
        return Err(
            Refusal::new(StatusCode::NOT_FOUND, "there is no such action").expecting([TEST])
        );
    }
    if !caller.endpoint.examine(&provider).await {
        let names: Vec<String> = caller.endpoint.plugins().keys().cloned().collect();
        return Err(Refusal::new(StatusCode::NOT_FOUND, "there is no such provider")
            .expecting(names.iter().map(String::as_str)));
    }
    Ok(answer(providers(&caller)))
}
