//! Writes records. A batch is one statement, and may be sent again after its acknowledgement was lost.

use std::borrow::Cow;
use std::time::Duration;

use jiff::Timestamp;
use tokio::time::sleep;
use tokio_postgres::types::Type;
use toolwrit_core::audit::record::Record;
use uuid::{NoContext, Uuid};

use crate::audit::queue::{Arrived, Queue};
use crate::database::{Database, Failed, Value};
use crate::lease::Lease;

/// How long to wait before a batch is sent again.
const AGAIN: Duration = Duration::from_millis(500);

const INSERT: &str = "INSERT INTO toolwrit.audit (replica, at, id, principal, client, surface, name, operation, effect,
        focus, role, decision, outcome, micros, bytes_in, bytes_out, instance, arguments)
    SELECT $1, * FROM unnest($2::timestamptz[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
        $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::bigint[], $15::bigint[], $16::bigint[],
        $17::text[], $18::text[])
    ON CONFLICT (at, id) DO NOTHING";

/// A row of the table. It has its time and id once, however often it is sent.
struct Line {
    at: Timestamp,
    id: Uuid,
    record: Record,
}

impl Line {
    /// Turns a record into a row, with the database's time. This machine's clock may have been set meanwhile.
    fn new(Arrived { record, since, .. }: Arrived, now: Timestamp) -> Self {
        let ago = since.elapsed() + Duration::from_micros(record.micros());
        let at = now.checked_sub(ago).unwrap_or(record.at);
        let seconds = at.as_second().unsigned_abs();
        let nanoseconds = at.subsec_nanosecond().unsigned_abs();
        let id = Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, seconds, nanoseconds));
        Self { at, id, record }
    }
}

/// Writes records until the queue is closed and empty.
pub(crate) async fn write(queue: &Queue, database: &Database, lease: &Lease, replica: &str) {
    let mut is_failing = false;
    while let Some(mut batch) = queue.take().await {
        if batch.lost > 0 {
            tracing::error!(
                lost = batch.lost,
                "the database is too slow: calls are not in the audit"
            );
        }
        let now = lease.database_time().unwrap_or_else(|_| Timestamp::now());
        let records = std::mem::take(&mut batch.records);
        let lines: Vec<Line> = records.into_iter().map(|arrived| Line::new(arrived, now)).collect();
        let mut parts = vec![&lines[..]];
        while let Some(part) = parts.pop() {
            match insert(database, replica, part).await {
                Ok(()) => is_failing = false,
                // One row must not keep the others from being written.
                Err(failed) if failed.refuses_values() && part.len() > 1 => {
                    let (first, second) = part.split_at(part.len() / 2);
                    parts.extend([second, first]);
                }
                Err(failed) if failed.refuses_values() => {
                    queue.lose(&batch);
                    tracing::error!(error = %failed, "a call is not in the audit");
                }
                Err(failed) => {
                    if !is_failing {
                        let fix = failed.fix();
                        tracing::error!(error = %failed, fix, "calls wait to be written to the audit");
                    }
                    is_failing = true;
                    parts.push(part);
                    sleep(AGAIN).await;
                }
            }
        }
        queue.wrote(&batch);
    }
}

async fn insert(database: &Database, replica: &str, lines: &[Line]) -> Result<(), Failed> {
    if lines.is_empty() {
        return Ok(());
    }
    let at = column(lines, |line| line.at);
    let id = column(lines, |line| line.id);
    let principal = column(lines, |line| storable(line.record.principal.as_str()));
    let client = column(lines, |line| line.record.client.as_deref().map(shorten));
    let surface = column(lines, |line| line.record.surface());
    let name = column(lines, |line| shorten(&line.record.name));
    let operation = column(lines, |line| line.record.operation());
    let effect = column(lines, |line| line.record.effect());
    let focus = column(lines, |line| line.record.focus());
    let role = column(lines, |line| line.record.role());
    let decision = column(lines, |line| line.record.decision());
    let outcome = column(lines, |line| line.record.outcome());
    let micros = column(lines, |line| to_bigint(line.record.micros()));
    let bytes_in = column(lines, |line| to_bigint(line.record.bytes_in as u64));
    let bytes_out = column(lines, |line| to_bigint(line.record.bytes_out as u64));
    let instance = column(lines, |line| line.record.instance.as_deref().map(shorten));
    // JSON, in which a zero character is escaped.
    let arguments = column(lines, |line| line.record.arguments.get());
    let values: [Value<'_>; 18] = [
        (&replica, Type::TEXT),
        (&at, Type::TIMESTAMPTZ_ARRAY),
        (&id, Type::UUID_ARRAY),
        (&principal, Type::TEXT_ARRAY),
        (&client, Type::TEXT_ARRAY),
        (&surface, Type::TEXT_ARRAY),
        (&name, Type::TEXT_ARRAY),
        (&operation, Type::TEXT_ARRAY),
        (&effect, Type::TEXT_ARRAY),
        (&focus, Type::TEXT_ARRAY),
        (&role, Type::TEXT_ARRAY),
        (&decision, Type::TEXT_ARRAY),
        (&outcome, Type::TEXT_ARRAY),
        (&micros, Type::INT8_ARRAY),
        (&bytes_in, Type::INT8_ARRAY),
        (&bytes_out, Type::INT8_ARRAY),
        (&instance, Type::TEXT_ARRAY),
        (&arguments, Type::TEXT_ARRAY),
    ];
    database.execute(INSERT, &values).await.map(drop)
}

fn column<'a, T>(lines: &'a [Line], value: impl Fn(&'a Line) -> T) -> Vec<T> {
    lines.iter().map(value).collect()
}

/// Limits the length of names that callers choose.
pub(crate) fn shorten(name: &str) -> Cow<'_, str> {
    storable(&name[..name.floor_char_boundary(200)])
}

/// The text without zero characters, which the database refuses.
pub(crate) fn storable(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { text.replace('\0', "\u{FFFD}").into() } else { text.into() }
}

/// Converts to the signed integers of the database.
pub(crate) fn to_bigint(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
