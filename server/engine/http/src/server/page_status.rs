//! What the operations need: the providers, their state, and what an operator can do about it. Upstream servers are
//! providers, too.

use std::sync::Arc;
use std::time::Instant;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde_json::{Map, Value, json};

use super::mcp::HttpState;
use super::page_caller::{PageCaller, answer};
use super::refusal::Refusal;
use super::tools::{FULL_ACCESS, refusal, refused_with};
use toolwrit_core::caller::principal::Identity;
use toolwrit_core::fault::{Code, Fault};
use toolwrit_core::json::size::size;
use toolwrit_core::policy::Policy;
use toolwrit_core::provider::Control;

pub(super) async fn list(
    State(state): State<Arc<HttpState>>,
    identity: Option<Extension<Identity>>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let caller = PageCaller::new(&state, identity, &headers)?;
    let permits = caller.endpoint.acquire_permits(&caller.principal).await;
    let _permits = permits.map_err(|fault| refusal(&fault))?;
    Ok(answer(providers(&caller)))
}

fn providers(caller: &PageCaller) -> Value {
    let endpoint = &caller.endpoint;
    let entry = |(name, mut provider): (String, Value)| {
        let view = endpoint.operator_view(&name).unwrap_or_default();
        let allowed =
            view.controls.iter().filter(|control| may(&endpoint.policy, **control).is_ok());
        provider["actions"] = allowed.map(|control| control.as_str()).collect();
        provider["state"] = view.state.into();
        let operations = provider["operations"].as_object().map_or(0, Map::len);
        provider["operations"] = operations.into();
        provider["name"] = name.into();
        provider
    };
    json!({ "providers": endpoint.providers().into_iter().map(entry).collect::<Vec<_>>() })
}

/// Whether the policy of a caller allows this.
///
/// # Errors
/// The fault that says what it would need.
fn may(policy: &Policy, control: Control) -> Result<(), Fault> {
    if !policy.is_operators() {
        let message = "only a caller with full access can do this";
        return Err(Fault::new(Code::ToolNotFound, message).hinting(FULL_ACCESS));
    }
    if control.changes() && !policy.writes() {
        return Err(policy.writes_disabled("This starts or stops other software"));
    }
    Ok(())
}

/// Does what an operator wants, and returns the state after it.
pub(super) async fn act(
    State(state): State<Arc<HttpState>>,
    identity: Option<Extension<Identity>>,
    headers: HeaderMap,
    Path((provider, action)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let start = Instant::now();
    let caller = PageCaller::new(&state, identity, &headers)?;
    let endpoint = &caller.endpoint;
    let permits = endpoint.acquire_permits(&caller.principal).await;
    let _permits = permits.map_err(|fault| refusal(&fault))?;
    // In the audit, because it is no call of an operation.
    let request = format!("POST /browser/api/status/{provider}/{action}");
    let record = endpoint.record(&request, &caller.principal, None, start);
    let done = control(&caller, &provider, &action).await;
    if let Err((status, fault)) = done {
        record.failed(&fault);
        return Err(refused_with(status, &fault));
    }
    let now = providers(&caller);
    record.succeeded(size(&now));
    Ok(answer(now))
}

/// Does what a request asks for.
///
/// # Errors
/// The fault, and the status of the answer.
async fn control(
    caller: &PageCaller,
    provider: &str,
    action: &str,
) -> Result<(), (StatusCode, Fault)> {
    let endpoint = &caller.endpoint;
    let forbidden = |fault| (StatusCode::FORBIDDEN, fault);
    // Others need not know what could be done.
    may(&endpoint.policy, Control::Test).map_err(forbidden)?;
    let missing = |message: &str, expected: Vec<String>| {
        let fault = Fault::new(Code::NotFound, message).expecting(expected.join("|"));
        (StatusCode::NOT_FOUND, fault)
    };
    let view = endpoint.operator_view(provider).ok_or_else(|| {
        missing("there is no such provider", endpoint.providers().keys().cloned().collect())
    })?;
    let found = view.controls.iter().find(|control| control.as_str() == action);
    let control = found.ok_or_else(|| {
        let names = view.controls.iter().map(|control| control.as_str().to_owned());
        missing("this cannot be done with the provider now", names.collect())
    })?;
    may(&endpoint.policy, *control).map_err(forbidden)?;
    let done = endpoint.control(provider, *control).await;
    done.map_err(|fault| (StatusCode::SERVICE_UNAVAILABLE, fault))
}
