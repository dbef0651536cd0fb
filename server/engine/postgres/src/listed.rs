//! The costs of tool listings. All replicas add to them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use tokio_postgres::types::Type;
use toolwrit_core::audit::listing_costs::{AccountCosts, Total};

use crate::audit::write::{storable, to_bigint};
use crate::database::{Database, Failed, Value};

/// In the order of their names, so that two replicas do not wait for each other in a circle.
const ADD: &str =
    "INSERT INTO toolwrit.listed AS l (since, principal, requests, full_tokens, sent_tokens)
    SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
    ON CONFLICT (principal) DO UPDATE SET
        since = least(l.since, excluded.since),
        requests = l.requests + excluded.requests,
        full_tokens = l.full_tokens + excluded.full_tokens,
        sent_tokens = l.sent_tokens + excluded.sent_tokens";

/// Adds the costs that were counted since the last save.
///
/// # Errors
/// If they cannot be written.
pub(crate) async fn add(database: &Database, accounts: &AccountCosts) -> Result<(), Failed> {
    let mut totals: BTreeMap<String, Total> = BTreeMap::new();
    for (name, total) in &accounts.totals {
        totals.entry(storable(name).into_owned()).or_insert(Total::NOTHING).add(*total);
    }
    let names: Vec<&String> = totals.keys().collect();
    let column = |number: fn(&Total) -> u64| -> Vec<i64> {
        totals.values().map(|total| to_bigint(number(total))).collect()
    };
    let requests = column(|total| total.requests);
    let full = column(|total| total.full.unwrap_or_default());
    let sent = column(|total| total.sent.unwrap_or_default());
    let values: [Value<'_>; 5] = [
        (&accounts.since, Type::TIMESTAMPTZ),
        (&names, Type::TEXT_ARRAY),
        (&requests, Type::INT8_ARRAY),
        (&full, Type::INT8_ARRAY),
        (&sent, Type::INT8_ARRAY),
    ];
    database.execute(ADD, &values).await.map(drop)
}

/// Returns all costs added so far.
///
/// # Errors
/// If they cannot be read.
pub(crate) async fn read(database: &Database) -> Result<AccountCosts, Failed> {
    let all = "SELECT principal, since, requests, full_tokens, sent_tokens FROM toolwrit.listed";
    let mut accounts = AccountCosts { since: Timestamp::MAX, totals: BTreeMap::new() };
    for row in database.rows(all, &[]).await? {
        let number = |at| row.try_get(at).map(|number: i64| number.unsigned_abs());
        let total = Total { requests: number(2)?, full: Some(number(3)?), sent: Some(number(4)?) };
        accounts.since = accounts.since.min(row.try_get(1)?);
        accounts.totals.insert(row.try_get(0)?, total);
    }
    Ok(accounts)
}

/// Deletes all costs.
///
/// # Errors
/// If they cannot be deleted.
pub(crate) async fn forget(database: &Database) -> Result<(), Failed> {
    database.execute("DELETE FROM toolwrit.listed", &[]).await.map(drop)
}
