//! Reads recorded calls.

use jiff::Timestamp;
use serde_json::value::RawValue;
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use toolwrit_core::audit::row::{AuditFilter, AuditRow};

use crate::audit::write::shorten;
use crate::database::{Database, Failed};

/// A value that is absent selects everything. Other requests than calls are recorded by method and path.
const SELECT: &str = "SELECT at, principal, client, surface, name, operation, effect, focus, role, decision, outcome, micros,
        bytes_in, bytes_out, instance, replica, arguments
    FROM toolwrit.audit
    WHERE ($2::timestamptz IS NULL OR at >= $2)
        AND ($3::text IS NULL OR coalesce(operation, name) = $3)
        AND ($4::text IS NULL OR principal = $4)
        AND ($5::text IS NULL OR outcome = $5)
        AND ($6::text IS NULL OR client = $6)
        AND (NOT $7 OR operation IS NOT NULL OR name NOT LIKE '% /%')
    ORDER BY at DESC, id DESC LIMIT $1";

/// Returns the calls that match the filter, oldest first.
///
/// # Errors
/// If they cannot be read.
pub(crate) async fn select(
    database: &Database,
    filter: &AuditFilter,
) -> Result<Vec<AuditRow>, Failed> {
    let limit = i64::from(filter.limit);
    let client = filter.client.as_deref().map(shorten);
    let values = [
        (&limit as _, Type::INT8),
        (&filter.since as _, Type::TIMESTAMPTZ),
        (&filter.operation as _, Type::TEXT),
        (&filter.principal as _, Type::TEXT),
        (&filter.outcome as _, Type::TEXT),
        (&client as _, Type::TEXT),
        (&filter.only_calls as _, Type::BOOL),
    ];
    let rows = database.rows(SELECT, &values).await?;
    Ok(rows.iter().rev().map(read).collect::<Result<_, tokio_postgres::Error>>()?)
}

fn read(row: &Row) -> Result<AuditRow, tokio_postgres::Error> {
    let at: Timestamp = row.try_get("at")?;
    let arguments: Option<String> = row.try_get("arguments")?;
    Ok(AuditRow {
        time: format!("{at:.3}"),
        principal: row.try_get("principal")?,
        client: row.try_get("client")?,
        surface: row.try_get("surface")?,
        name: row.try_get("name")?,
        operation: row.try_get("operation")?,
        effect: row.try_get("effect")?,
        focus: row.try_get("focus")?,
        role: row.try_get("role")?,
        decision: row.try_get("decision")?,
        outcome: row.try_get("outcome")?,
        micros: row.try_get("micros")?,
        bytes_in: row.try_get("bytes_in")?,
        bytes_out: row.try_get("bytes_out")?,
        instance: row.try_get("instance")?,
        replica: row.try_get("replica")?,
        // This program writes only JSON; ignore anything else.
        arguments: arguments.and_then(|text| RawValue::from_string(text).ok()),
    })
}
