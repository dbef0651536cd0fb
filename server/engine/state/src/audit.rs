//! The table of calls.

use jiff::Timestamp;
use rusqlite::types::Value as Cell;
use rusqlite::{Row as Found, params, params_from_iter};
use serde_json::value::RawValue;

use super::database::{Database, UnusableDatabase};
use toolwrit_core::audit::record::Record;
use toolwrit_core::audit::row::{AuditFilter, AuditRow};

/// How many calls the audit keeps. The trigger in the schema has the same number.
const KEPT: u32 = 1_000_000;
/// How many bytes of calls it keeps. The trigger in the schema has the same number.
const MOST_BYTES: u32 = 256 * 1024 * 1024;
/// Bytes of a row besides its texts, as the schema counts them.
const ROW_BYTES: usize = 200;
/// Old rows to delete for each new one, if there are too many bytes. More than one, so that a file that is
/// far too large shrinks. Not all at once, because calls are waiting to be recorded.
const DELETED_PER_INSERT: usize = 4;

/// Formats a time: UTC, RFC 3339, milliseconds. The texts sort by time.
pub(super) fn format_time(at: Timestamp) -> String {
    format!("{at:.3}")
}

impl Database {
    /// Writes calls, and deletes the oldest ones beyond the limits.
    pub(super) fn record(&mut self, records: &[Record]) -> Result<(), UnusableDatabase> {
        if records.is_empty() {
            return Ok(());
        }
        let change = self.0.transaction()?;
        let mut insert = change.prepare(
            "INSERT INTO audit (time, principal, client, surface, name, operation, effect, focus,
                role, decision, outcome, micros, bytes_in, bytes_out, arguments, instance)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        for record in records {
            // Positional parameters: looking up their names for every call takes longer than the
            // write.
            insert.execute(params![
                format_time(record.at),
                record.principal.as_str(),
                record.client.as_deref().map(shorten),
                record.surface(),
                shorten(&record.name),
                record.operation(),
                record.effect(),
                record.focus(),
                record.role(),
                record.decision(),
                record.outcome(),
                to_sql_integer(record.micros()),
                to_sql_integer(record.bytes_in as u64),
                to_sql_integer(record.bytes_out as u64),
                record.arguments.get(),
                record.instance.as_deref().map(shorten),
            ])?;
        }
        drop(insert);
        let bytes = records.iter().map(estimate_size).sum::<usize>();
        change
            .execute("UPDATE audit_size SET bytes = bytes + ?1", [to_sql_integer(bytes as u64)])?;
        let too_old = "DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - ?1";
        change.execute(too_old, [KEPT])?;
        let oldest = "DELETE FROM audit WHERE id = (SELECT min(id) FROM audit)
            AND (SELECT bytes FROM audit_size) > ?1";
        let mut oldest = change.prepare(oldest)?;
        for _ in 0..DELETED_PER_INSERT * records.len() {
            if oldest.execute([MOST_BYTES])? == 0 {
                break;
            }
        }
        drop(oldest);
        Ok(change.commit()?)
    }
}

/// Returns the approximate bytes of a record in the file.
fn estimate_size(record: &Record) -> usize {
    ROW_BYTES
        + record.principal.as_str().len()
        + shorten(&record.name).len()
        + record.client.as_deref().map_or(0, |client| shorten(client).len())
        + record.arguments.get().map_or(0, str::len)
}

/// Limits the length of names that callers choose.
fn shorten(name: &str) -> &str {
    &name[..name.floor_char_boundary(200)]
}

/// Converts to the signed integers of `SQLite`.
pub(super) fn to_sql_integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns the calls that match the filter, oldest first.
///
/// # Errors
/// If the file cannot be read.
pub fn select(
    database: &Database,
    filter: &AuditFilter,
) -> Result<Vec<AuditRow>, UnusableDatabase> {
    let mut conditions = String::from("1");
    let mut values: Vec<Cell> = Vec::new();
    let texts = [
        ("time >= ?", filter.since.map(format_time)),
        ("coalesce(operation, name) = ?", filter.operation.clone()),
        ("principal = ?", filter.principal.clone()),
        ("outcome = ?", filter.outcome.clone()),
        ("client = ?", filter.client.as_deref().map(|client| shorten(client).to_owned())),
    ];
    for (condition, value) in texts {
        if let Some(value) = value {
            conditions.push_str(" AND ");
            conditions.push_str(condition);
            values.push(value.into());
        }
    }
    if filter.only_calls {
        // Other requests are recorded by method and path.
        conditions.push_str(" AND (operation IS NOT NULL OR name NOT LIKE '% /%')");
    }
    values.push(filter.limit.into());
    let query = format!("SELECT * FROM audit WHERE {conditions} ORDER BY id DESC LIMIT ?");
    let mut query = database.0.prepare(&query)?;
    let rows = query.query_map(params_from_iter(values), read_row)?;
    let mut rows = rows.collect::<rusqlite::Result<Vec<AuditRow>>>()?;
    rows.reverse();
    Ok(rows)
}

fn read_row(found: &Found<'_>) -> rusqlite::Result<AuditRow> {
    let arguments: Option<String> = found.get("arguments")?;
    Ok(AuditRow {
        time: found.get("time")?,
        principal: found.get("principal")?,
        client: found.get("client")?,
        surface: found.get("surface")?,
        name: found.get("name")?,
        operation: found.get("operation")?,
        effect: found.get("effect")?,
        focus: found.get("focus")?,
        role: found.get("role")?,
        decision: found.get("decision")?,
        outcome: found.get("outcome")?,
        micros: found.get("micros")?,
        bytes_in: found.get("bytes_in")?,
        bytes_out: found.get("bytes_out")?,
        // A file that no newer server has opened yet has no such column.
        replica: None,
        instance: found.get("instance").unwrap_or_default(),
        // This program writes only JSON; ignore anything else.
        arguments: arguments.and_then(|text| RawValue::from_string(text).ok()),
    })
}
