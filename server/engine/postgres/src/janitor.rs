//! What one replica does for all: it adds and drops the days of the audit, renews keys, and deletes rows that have expired.

use std::time::Duration;

use tokio_postgres::error::SqlState;
use tokio_postgres::types::{FromSqlOwned, Type};

use crate::database::{Database, Failed};
use crate::keys;
use crate::leases::Leases;
use crate::settings::Settings;

/// The time between rounds.
pub(crate) const ROUND: Duration = Duration::from_secs(30);
/// The lease of the replica that does the work.
const LEASE: &str = "janitor";
/// The days for which the audit has room before they come.
const AHEAD: i32 = 7;
/// The most days for which calls are kept: a date has no room for all that a number has.
const MOST_DAYS: u32 = 36_500;
/// Rows that one statement deletes, so that none takes long.
const DELETED_AT_ONCE: u64 = 5_000;
/// How often a round deletes from one table: together, more than 8,000 rows a second, which is more than are added.
const MOST_DELETIONS: u32 = 50;

/// The rows that have expired.
const EXPIRED: [(&str, &str, &str); 11] = [
    ("claims", "principal, key", "started < clock_timestamp() - interval '1 day'"),
    ("replicas", "id", "until < clock_timestamp() - interval '1 hour'"),
    ("leases", "name", "until < clock_timestamp() - interval '1 hour'"),
    ("buckets", "principal, rate", "tat < clock_timestamp()"),
    ("hours", "principal", "until < clock_timestamp()"),
    ("session_calls", "session", "until < clock_timestamp()"),
    ("api_rates", "api", "tat < clock_timestamp()"),
    ("tokens", "sha256", "until < clock_timestamp()"),
    ("keys", "number", "until < clock_timestamp()"),
    ("kept", "kind, id, number", "until < clock_timestamp()"),
    ("notices", "id", "until < clock_timestamp()"),
];

/// Only recent ones: an index on what has no answer would add a third to the cost of each call.
const UNFINISHED: &str = "SELECT count(*) FROM toolwrit.claims AS c
    WHERE started > clock_timestamp() - interval '10 minutes' AND answer IS NULL AND NOT EXISTS (
        SELECT FROM toolwrit.replicas AS r WHERE r.id = c.owner AND r.until > clock_timestamp())";

/// What a round has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Round {
    /// The days after today for which the audit has room.
    pub(crate) days_ahead: u32,
    /// Calls of the last ten minutes whose replica has ended without an outcome, if this replica leads.
    pub(crate) unfinished: Option<u64>,
}

/// Does a round if this replica leads, and returns what it tells operators. They are told also if something is not deleted.
///
/// # Errors
/// If the database does not say.
pub(crate) async fn round(
    database: &Database,
    leases: &Leases,
    settings: &Settings,
) -> Result<Round, Failed> {
    let leads = leases.take(database, LEASE).await?.is_none();
    if leads && let Err(error) = clean(database, settings).await {
        tracing::warn!(%error, "what has expired is not yet deleted");
    }
    let days_ahead: i32 = number(database, "SELECT toolwrit.days_ahead()").await?;
    let mut found = Round { days_ahead: days_ahead.unsigned_abs(), unfinished: None };
    if leads {
        found.unfinished = Some(number::<i64>(database, UNFINISHED).await?.unsigned_abs());
    }
    Ok(found)
}

/// Does each part, and returns the first error: a day that someone reads for long must not keep the rest from being done.
async fn clean(database: &Database, settings: &Settings) -> Result<(), Failed> {
    // First without dropping days, so that a lock on one of them does not keep new ones from being added.
    let mut done = keep_days(database, MOST_DAYS).await;
    done = done.and(keep_days(database, settings.audit_days).await);
    if settings.keys.is_none() {
        done = done.and(keys::rotate(database).await);
    }
    for (table, key, condition) in EXPIRED {
        done = done.and(delete(database, table, key, condition).await);
    }
    done
}

async fn keep_days(database: &Database, kept: u32) -> Result<(), Failed> {
    let kept = kept.min(MOST_DAYS).cast_signed();
    let values = [(&kept as _, Type::INT4), (&AHEAD as _, Type::INT4)];
    database.rows("SELECT toolwrit.keep_days($1, $2)", &values).await.map(drop)
}

/// The number that a statement returns.
async fn number<T: FromSqlOwned + Default>(
    database: &Database,
    statement: &str,
) -> Result<T, Failed> {
    let row = database.row(statement, &[]).await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?.unwrap_or_default())
}

async fn delete(
    database: &Database,
    table: &str,
    key: &str,
    condition: &str,
) -> Result<(), Failed> {
    let statement = format!(
        "DELETE FROM toolwrit.{table} WHERE ({key}) IN (
            SELECT {key} FROM toolwrit.{table} WHERE {condition} LIMIT {DELETED_AT_ONCE} FOR UPDATE SKIP LOCKED)"
    );
    for _ in 0..MOST_DELETIONS {
        match database.execute(&statement, &[]).await {
            Ok(DELETED_AT_ONCE) => {}
            Ok(_) => break,
            // The schema is that of the version before, until its owner migrates it.
            Err(failed) if failed.state() == Some(&SqlState::UNDEFINED_TABLE) => break,
            Err(failed) => return Err(failed),
        }
    }
    Ok(())
}
