//! The table of calls.

use jiff::Timestamp;
use rusqlite::types::Value as Cell;
use rusqlite::{Row as Found, params, params_from_iter};
use serde::Serialize;
use serde_json::value::RawValue;

use super::database::{Database, UnusableDatabase};
use toolwrit_core::record::Record;

/// How many calls are kept; the schema's trigger says the same.
const KEPT: u32 = 1_000_000;
/// How many bytes of them; the schema's trigger says the same.
const MOST_BYTES: u32 = 256 * 1024 * 1024;
/// What a row takes besides its texts, as the schema counts it.
const ROW_BYTES: usize = 200;
/// Old rows that go with each new one, when there are too many bytes. More than one, so that a file which
/// is far too large shrinks; not all at once, because calls are waiting to be recorded.
const GONE_FOR_EACH: usize = 4;

/// UTC, RFC 3339, milliseconds: texts in the order of time.
pub(super) fn stamp(at: Timestamp) -> String {
    format!("{at:.3}")
}

impl Database {
    /// Writes calls, and drops what is too old to keep.
    pub(super) fn record(&mut self, records: &[Record]) -> Result<(), UnusableDatabase> {
        if records.is_empty() {
            return Ok(());
        }
        let change = self.0.transaction()?;
        let mut insert = change.prepare(
            "INSERT INTO audit (time, principal, client, surface, name, operation, effect, focus,
                role, decision, outcome, micros, bytes_in, bytes_out, arguments)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        for record in records {
            // In the order of the columns: to look names up for every call takes longer than to
            // write it.
            insert.execute(params![
                stamp(record.at),
                record.principal.as_str(),
                record.client.as_deref().map(short),
                record.surface(),
                short(&record.name),
                record.operation(),
                record.effect(),
                record.focus(),
                record.role(),
                record.decision(),
                record.outcome(),
                whole(record.micros()),
                whole(record.bytes_in as u64),
                whole(record.bytes_out as u64),
                record.arguments.get(),
            ])?;
        }
        drop(insert);
        let bytes = records.iter().map(size).sum::<usize>();
        change.execute("UPDATE audit_size SET bytes = bytes + ?1", [whole(bytes as u64)])?;
        let too_old = "DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - ?1";
        change.execute(too_old, [KEPT])?;
        let oldest = "DELETE FROM audit WHERE id = (SELECT min(id) FROM audit)
            AND (SELECT bytes FROM audit_size) > ?1";
        let mut oldest = change.prepare(oldest)?;
        for _ in 0..GONE_FOR_EACH * records.len() {
            if oldest.execute([MOST_BYTES])? == 0 {
                break;
            }
        }
        drop(oldest);
        Ok(change.commit()?)
    }
}

/// What a record takes in the file, about.
fn size(record: &Record) -> usize {
    ROW_BYTES
        + record.principal.as_str().len()
        + short(&record.name).len()
        + record.client.as_deref().map_or(0, |client| short(client).len())
        + record.arguments.get().map_or(0, str::len)
}

/// Names that callers make up are kept, but not without bound.
fn short(name: &str) -> &str {
    &name[..name.floor_char_boundary(200)]
}

/// The table's numbers have a sign.
pub(super) fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Which calls to show.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// At most so many, the newest.
    pub limit: u32,
    /// Not older than this.
    pub since: Option<Timestamp>,
    /// The operation's id.
    pub operation: Option<String>,
    /// The account.
    pub principal: Option<String>,
    /// `ok`, or a code.
    pub outcome: Option<String>,
}

/// A call on record. Its fields are the keys of `audit --json`.
#[derive(Debug, Serialize)]
pub struct AuditRow {
    /// When it came: UTC, RFC 3339, milliseconds.
    pub time: String,
    /// The account.
    pub principal: String,
    /// The program that asked.
    pub client: Option<String>,
    /// The surface through which it came; `direct` on the command line.
    pub surface: String,
    /// The name that was called.
    pub name: String,
    /// The id of the operation.
    pub operation: Option<String>,
    pub(crate) effect: Option<String>,
    pub(crate) focus: String,
    pub(crate) role: String,
    pub(crate) decision: String,
    /// `ok`, or the code of the failure.
    pub outcome: String,
    /// How long it took, in microseconds.
    pub micros: i64,
    /// Size of the arguments as JSON.
    pub bytes_in: i64,
    /// Size of the result as JSON.
    pub bytes_out: i64,
    pub(crate) arguments: Option<Box<RawValue>>,
}

/// The calls that fit, oldest first.
///
/// # Errors
/// When the file cannot be read.
pub fn select(database: &Database, filter: &Filter) -> Result<Vec<AuditRow>, UnusableDatabase> {
    let mut conditions = String::from("1");
    let mut values: Vec<Cell> = Vec::new();
    let texts = [
        ("time >= ?", filter.since.map(stamp)),
        ("operation = ?", filter.operation.clone()),
        ("principal = ?", filter.principal.clone()),
        ("outcome = ?", filter.outcome.clone()),
    ];
    for (condition, value) in texts {
        if let Some(value) = value {
            conditions.push_str(" AND ");
            conditions.push_str(condition);
            values.push(value.into());
        }
    }
    values.push(filter.limit.into());
    let query = format!("SELECT * FROM audit WHERE {conditions} ORDER BY id DESC LIMIT ?");
    let mut query = database.0.prepare(&query)?;
    let rows = query.query_map(params_from_iter(values), row)?;
    let mut rows = rows.collect::<rusqlite::Result<Vec<AuditRow>>>()?;
    rows.reverse();
    Ok(rows)
}

fn row(found: &Found<'_>) -> rusqlite::Result<AuditRow> {
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
        // Text that is no JSON did not come from us.
        arguments: arguments.and_then(|text| RawValue::from_string(text).ok()),
    })
}
