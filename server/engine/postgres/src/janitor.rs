//! What one replica does for all: it adds and drops the days of the audit, renews keys, and deletes rows that have expired.

use std::time::Duration;

use tokio_postgres::types::Type;

use crate::database::{Database, Failed};
use crate::keys;
use crate::leases::Leases;

/// The time between rounds.
pub(crate) const ROUND: Duration = Duration::from_secs(30);
/// The lease of the replica that does the work.
const LEASE: &str = "janitor";
/// The days for which the audit has room before they come.
const AHEAD: i32 = 7;
/// The most days for which calls are kept: a date has no room for all that a number has.
const MOST_DAYS: u32 = 36_500;
/// How often a round deletes from one table.
const MOST_DELETIONS: u32 = 20;

/// The rows that have expired, a thousand at a time, so that no statement takes long.
const EXPIRED: [(&str, &str, &str); 8] = [
    ("claims", "principal, key", "started < clock_timestamp() - interval '1 day'"),
    ("replicas", "id", "until < clock_timestamp() - interval '1 hour'"),
    ("buckets", "principal, rate", "tat < clock_timestamp()"),
    ("hours", "principal", "until < clock_timestamp()"),
    ("tokens", "sha256", "until < clock_timestamp()"),
    ("keys", "number", "until < clock_timestamp()"),
    ("kept", "kind, id, number", "until < clock_timestamp()"),
    ("notices", "id", "until < clock_timestamp()"),
];

const UNFINISHED: &str = "SELECT count(*) FROM toolwrit.claims AS c
    WHERE answer IS NULL AND NOT EXISTS (
        SELECT FROM toolwrit.replicas AS r WHERE r.id = c.owner AND r.until > clock_timestamp())";

/// What a round has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Round {
    /// The days after today for which the audit has room.
    pub(crate) days_ahead: u32,
    /// Calls whose replica has ended without an outcome.
    pub(crate) unfinished: u64,
}

/// Does a round if this replica leads, and returns what every replica tells operators.
///
/// # Errors
/// At the first statement that fails.
pub(crate) async fn round(
    database: &Database,
    leases: &Leases,
    audit_days: u32,
) -> Result<Round, Failed> {
    if leases.take(database, LEASE).await?.is_none() {
        let kept = audit_days.min(MOST_DAYS).cast_signed();
        let values = [(&kept as _, Type::INT4), (&AHEAD as _, Type::INT4)];
        database.rows("SELECT toolwrit.keep_days($1, $2)", &values).await?;
        keys::rotate(database).await?;
        for (table, key, condition) in EXPIRED {
            delete(database, table, key, condition).await?;
        }
    }
    let ahead = database.row("SELECT toolwrit.days_ahead()", &[]).await?;
    let ahead: i32 = ahead.map(|row| row.try_get(0)).transpose()?.unwrap_or_default();
    let unfinished = database.row(UNFINISHED, &[]).await?;
    let unfinished: i64 = unfinished.map(|row| row.try_get(0)).transpose()?.unwrap_or_default();
    Ok(Round { days_ahead: ahead.unsigned_abs(), unfinished: unfinished.unsigned_abs() })
}

async fn delete(
    database: &Database,
    table: &str,
    key: &str,
    condition: &str,
) -> Result<(), Failed> {
    let statement = format!(
        "DELETE FROM toolwrit.{table} WHERE ({key}) IN (
            SELECT {key} FROM toolwrit.{table} WHERE {condition} LIMIT 1000 FOR UPDATE SKIP LOCKED)"
    );
    for _ in 0..MOST_DELETIONS {
        if database.execute(&statement, &[]).await? < 1000 {
            break;
        }
    }
    Ok(())
}
