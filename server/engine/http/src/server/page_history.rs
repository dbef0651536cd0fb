//! The calls of the caller in the audit: as a list, and as numbers over time.

use std::sync::Arc;

use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use jiff::{Timestamp, ToSpan as _};
use serde::Deserialize;
use serde_json::{Value, json};

use super::call_series::Series;
use super::mcp::HttpState;
use super::page_caller::{PageCaller, answer};
use super::refusal::Refusal;
use super::tools::refusal;
use toolwrit_core::audit::row::{AuditFilter, AuditRow};
use toolwrit_core::caller::principal::Identity;

/// The most calls in a list.
const MOST_LISTED: u32 = 1000;
/// The most calls from which numbers are made.
const MOST_COUNTED: u32 = 20_000;
/// The longest time that numbers cover, in hours.
const MOST_HOURS: u32 = 24 * 31;

/// Which calls to list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    #[serde(default = "usual_limit")]
    limit: u32,
    since: Option<Timestamp>,
    operation: Option<String>,
    outcome: Option<String>,
}

fn usual_limit() -> u32 {
    200
}

/// Returns the calls of the caller, newest first. `calls` is null if the server keeps no audit.
pub(super) async fn list(
    State(state): State<Arc<HttpState>>,
    identity: Option<Extension<Identity>>,
    headers: HeaderMap,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Response, Refusal> {
    let Query(wanted) = wanted.map_err(|error| {
        Refusal::new(StatusCode::BAD_REQUEST, error.body_text()).expecting([
            "limit",
            "since",
            "operation",
            "outcome",
        ])
    })?;
    let caller = PageCaller::new(&state, identity, &headers)?;
    let filter = AuditFilter {
        limit: wanted.limit.min(MOST_LISTED),
        since: wanted.since,
        operation: wanted.operation,
        principal: Some(caller.principal.as_str().to_owned()),
        outcome: wanted.outcome,
        only_calls: true,
        client: None,
    };
    let rows = rows(&caller, filter).await?;
    let calls = rows.map(|rows| rows.iter().rev().map(call).collect::<Vec<_>>());
    Ok(answer(json!({ "now": format!("{:.3}", Timestamp::now()), "calls": calls })))
}

/// Waits for permits, then reads the audit; `None` if there is none.
async fn rows(caller: &PageCaller, filter: AuditFilter) -> Result<Option<Vec<AuditRow>>, Refusal> {
    let permits = caller.endpoint.acquire_permits(&caller.principal).await;
    let _permits = permits.map_err(|fault| refusal(&fault))?;
    Ok(caller.endpoint.recorded_calls(filter).await)
}

/// A call without its arguments, which stay in the memory of the page that made it.
fn call(row: &AuditRow) -> Value {
    json!({
        "time": row.time,
        "client": row.client,
        "surface": row.surface,
        "name": row.name,
        "operation": row.operation,
        "effect": row.effect,
        "focus": row.focus,
        "role": row.role,
        "outcome": row.outcome,
        "micros": row.micros,
        "bytes_in": row.bytes_in,
        "bytes_out": row.bytes_out,
    })
}

/// How long numbers reach back.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Period {
    #[serde(default = "one_day")]
    hours: u32,
}

fn one_day() -> u32 {
    24
}

/// Returns calls, errors and durations over time: to operators those of all callers, to others their own. `series` is
/// null if the server keeps no audit.
pub(super) async fn series(
    State(state): State<Arc<HttpState>>,
    identity: Option<Extension<Identity>>,
    headers: HeaderMap,
    period: Result<Query<Period>, QueryRejection>,
) -> Result<Response, Refusal> {
    let Query(Period { hours }) = period.map_err(|error| {
        Refusal::new(StatusCode::BAD_REQUEST, error.body_text()).expecting(["hours"])
    })?;
    let caller = PageCaller::new(&state, identity, &headers)?;
    let hours = hours.clamp(1, MOST_HOURS);
    let until = Timestamp::now();
    // At most a month before now, which is a valid time.
    let since = until.checked_sub(i64::from(hours).hours()).unwrap_or(until);
    let is_operator = caller.endpoint.policy.is_operators();
    let principal = (!is_operator).then(|| caller.principal.as_str().to_owned());
    let filter = AuditFilter {
        limit: MOST_COUNTED,
        since: Some(since),
        principal,
        only_calls: true,
        client: None,
        ..AuditFilter::default()
    };
    let rows = rows(&caller, filter).await?;
    let series = rows.map(|rows| {
        let is_complete = rows.len() < MOST_COUNTED as usize;
        let series = Series::from_rows(&rows, since, until);
        json!({ "complete": is_complete, "buckets": series.buckets, "operations": series.operations })
    });
    Ok(answer(json!({ "whose": if is_operator { "all" } else { "own" }, "series": series })))
}
