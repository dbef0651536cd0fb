//! `metrics`: the calls of each operation, and what tool listings cost.

use std::time::Duration;

use serde_json::{Value, json};

use crate::audit::call_totals::{CallTotals, Calls};
use crate::audit::savings::Savings;
use crate::caller::principal::Principal;
use crate::policy::Policy;

/// Reports the calls of the operations that exist for the caller, and the caller's own listings.
pub(super) async fn report(
    policy: &Policy,
    calls: &CallTotals,
    savings: &Savings,
    principal: &Principal,
) -> Value {
    let known = |id: &str| {
        let found = policy.tables().lookup(id);
        found.is_some_and(|name| policy.knows(usize::from(name.operation)))
    };
    let known: Vec<(String, Calls)> =
        calls.by_operation().into_iter().filter(|(id, _)| known(id)).collect();
    let all = known.iter().fold((0, 0), |(calls, errors), (_, totals)| {
        (calls + totals.calls, errors + totals.errors)
    });
    let operations = known.iter().map(|(id, totals)| {
        let average =
            u32::try_from(totals.calls).ok().and_then(|calls| totals.time.checked_div(calls));
        json!({
            "operation": id,
            "calls": totals.calls,
            "errors": totals.errors,
            "average_ms": milliseconds(average.unwrap_or_default()),
            "longest_ms": milliseconds(totals.longest),
        })
    });
    let operations: Vec<Value> = operations.collect();
    let costs = savings.accounts().await.total_of(principal);
    let mut listings = json!({"requests": costs.requests});
    // Without a tokenizer there are none.
    if let Some(((sent, full), reduction)) =
        costs.sent.zip(costs.full).zip(costs.reduction_percent())
    {
        listings["sent_tokens"] = sent.into();
        listings["full_tokens"] = full.into();
        listings["reduction_percent"] = reduction.into();
    }
    json!({
        "since": format!("{:.3}", calls.since()),
        "calls": all.0,
        "errors": all.1,
        "operations": operations,
        "listings": listings,
    })
}

/// Milliseconds with three decimals.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
