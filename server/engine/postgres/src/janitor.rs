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

/// Does a round if this replica leads, and returns the days ahead for which the audit has room.
///
/// # Errors
/// At the first statement that fails.
pub(crate) async fn round(
    database: &Database,
    leases: &Leases,
    audit_days: u32,
) -> Result<u32, Failed> {
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
    Ok(ahead.unsigned_abs())
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
