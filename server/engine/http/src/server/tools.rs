//! `GET /tools`: the flat tools of the caller, all or a selection. `GET /tools/metrics` reports the costs
//! of listings, and `POST /tools/metrics/reset` resets them.

use std::collections::HashSet;
use std::error::Error as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Extension;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderMap, StatusCode, Uri};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::mcp::HttpState;
use super::refusal::Refusal;
use toolwrit_core::audit::listing_costs::{AccountCosts, Total};
use toolwrit_core::caller::principal::Identity;
use toolwrit_core::caller::principal::Principal;
use toolwrit_core::fault::{Code, Fault};
use toolwrit_core::policy::Policy;
use toolwrit_mcp::endpoint::{Criteria, Endpoint, Selection};
use toolwrit_text::shorten;

/// The parameters of a listing.
const PARAMETERS: [&str; 5] = ["context", "previous", "category", "query", "userId"];
/// Where the tools can be called.
const ENDPOINT: &str = "/mcp/flat";
/// The name of these requests in the audit.
const LIST_RECORD: &str = "GET /tools";
const RESET_RECORD: &str = "POST /tools/metrics/reset";
/// What a caller needs who is no operator.
pub(super) const FULL_ACCESS: &str = "Use an access token of a role with all permissions.";

pub(super) async fn list(
    State(state): State<Arc<HttpState>>,
    identity: Option<Extension<Identity>>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Json<Value>, Refusal> {
    let start = Instant::now();
    let criteria = criteria(&uri)?;
    let identity = identity.map(|Extension(identity)| identity).unwrap_or_default();
    let endpoint = state.endpoints.flat(&headers, &identity)?;
    let record =
        endpoint.record(LIST_RECORD, &identity.principal, criteria.user_id.as_deref(), start);
    match select(&endpoint, &identity.principal, &criteria).await {
        Ok((selection, cost)) => {
            let answer = answer(&selection);
            record.succeeded(toolwrit_core::json::size::size(&answer));
            let savings = state.endpoints.engine().savings();
            savings.add_for(&identity.principal, criteria.user_id.as_deref(), cost).await;
            Ok(Json(answer))
        }
        Err(fault) => {
            record.failed(&fault);
            Err(refusal(&fault))
        }
    }
}

/// Parses the parameters of a listing.
///
/// # Errors
/// 400 for an unknown, repeated or invalid parameter.
fn criteria(uri: &Uri) -> Result<Criteria, Refusal> {
    let refused = |message: String| Refusal::new(StatusCode::BAD_REQUEST, message);
    let invalid = |error: QueryRejection| {
        // Without the words of the library that parses the parameters.
        refused(error.source().map_or_else(|| error.body_text(), ToString::to_string))
    };
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri).map_err(invalid)?;
    let mut known = HashSet::new();
    for (name, _) in &pairs {
        let short = shorten::name(name);
        if !PARAMETERS.contains(&name.as_str()) {
            let message = format!("there is no parameter `{short}`");
            return Err(refused(message).expecting(PARAMETERS));
        }
        if !known.insert(name) {
            return Err(refused(format!("the parameter `{short}` occurs more than once")));
        }
    }
    Query::try_from_uri(uri).map(|Query(criteria)| criteria).map_err(invalid)
}

/// Waits for permits, then returns the tools and the cost of sending them.
async fn select<'a>(
    endpoint: &'a Endpoint,
    principal: &Principal,
    criteria: &Criteria,
) -> toolwrit_core::fault::Result<(Selection<'a>, Total)> {
    let _permits = endpoint.acquire_permits(principal).await?;
    let selection = endpoint.select(criteria)?;
    let cost = endpoint.cost(&selection.listing).await;
    Ok((selection, cost))
}

/// Converts the fault of a listing or search: 429 if a limit was exceeded, otherwise 400.
pub(super) fn refusal(fault: &Fault) -> Refusal {
    let is_busy = fault.code() == Code::LimitExceeded;
    let status = if is_busy { StatusCode::TOO_MANY_REQUESTS } else { StatusCode::BAD_REQUEST };
    refused_with(status, fault)
}

/// Converts a fault to the refusal with this status.
pub(super) fn refused_with(status: StatusCode, fault: &Fault) -> Refusal {
    let expected = fault.expected().into_iter().flat_map(|expected| expected.split('|'));
    let mut refusal = Refusal::new(status, fault.message()).expecting(expected);
    if let Some(hint) = fault.hint() {
        refusal = refusal.hinting(hint);
    }
    // `Retry-After` has whole seconds; round up.
    let whole = |wait: Duration| wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    match fault.wait() {
        Some(wait) => refusal.with(RETRY_AFTER, whole(wait).into()),
        None => refusal,
    }
}

/// The answer's JSON. All keys are always present.
fn answer(selection: &Selection<'_>) -> Value {
    let (original, returned) = (selection.original, selection.listing.descriptors().len());
    json!({
        "tools": selection.tools(),
        "metadata": {
            "timestamp": format!("{:.3}", Timestamp::now()),
            "requestId": request_id(),
            "endpoint": ENDPOINT,
            "filtered": selection.is_filtered(),
            "originalCount": original,
            "returnedCount": returned,
            "reductionPercent": selection.reduction_percent(),
            "appliedContext": applied(selection),
            "contexts": selection.contexts,
            "reason": selection.reason,
        },
    })
}

/// The only context by name, or a list of names.
fn applied(selection: &Selection<'_>) -> Value {
    match selection.contexts.as_deref().unwrap_or_default() {
        [only] => only.name.as_str().into(),
        contexts => contexts.iter().map(|context| context.name.as_str()).collect(),
    }
}

/// A random id of 128 bits, to identify an answer in logs.
fn request_id() -> String {
    let (high, low) = (getrandom::u64(), getrandom::u64());
    format!("{:016x}{:016x}", high.unwrap_or_default(), low.unwrap_or_default())
}

/// Reports the costs of listings: to operators those of all callers, to others their own.
pub(super) async fn costs(
    State(state): State<Arc<HttpState>>,
    identity: Option<Extension<Identity>>,
    headers: HeaderMap,
) -> Result<Json<Value>, Refusal> {
    let identity = identity.map(|Extension(identity)| identity).unwrap_or_default();
    let policy = state.endpoints.policy(&headers, &identity)?;
    let accounts = state.endpoints.engine().savings().accounts().await;
    Ok(Json(report(&accounts, &identity.principal, policy.is_operators())))
}

/// Resets the costs of all callers. Only operators with write access may do this.
pub(super) async fn reset(
    State(state): State<Arc<HttpState>>,
    identity: Option<Extension<Identity>>,
    headers: HeaderMap,
) -> Result<Json<Value>, Refusal> {
    let start = Instant::now();
    let identity = identity.map(|Extension(identity)| identity).unwrap_or_default();
    let endpoint = state.endpoints.flat(&headers, &identity)?;
    let record = endpoint.record(RESET_RECORD, &identity.principal, None, start);
    let policy = &endpoint.policy;
    if let Err(fault) = may_reset(policy) {
        record.failed(&fault);
        return Err(refused_with(StatusCode::FORBIDDEN, &fault));
    }
    let savings = state.endpoints.engine().savings();
    savings.reset().await;
    let report = report(&savings.accounts().await, &identity.principal, true);
    record.succeeded(toolwrit_core::json::size::size(&report));
    Ok(Json(report))
}

fn may_reset(policy: &Policy) -> Result<(), Fault> {
    if !policy.is_operators() {
        let message = "only a caller with full access can reset the costs";
        return Err(Fault::new(Code::ToolNotFound, message).hinting(FULL_ACCESS));
    }
    if !policy.writes() {
        return Err(policy.writes_disabled("Resetting the costs changes data"));
    }
    Ok(())
}

/// The costs as JSON: for operators the total and each principal's part, for others their own.
fn report(accounts: &AccountCosts, principal: &Principal, is_operator: bool) -> Value {
    let mut report = if is_operator { accounts.report() } else { accounts.report_of(principal) };
    report["principal"] = accounts.named_report_of(principal);
    report
}
