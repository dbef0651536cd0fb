//! Numbers of calls over time, and by operation.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use toolwrit_core::audit::row::AuditRow;

/// In how many parts a period is divided.
const BUCKETS: i64 = 48;
/// The outcome of a call that did not fail.
const OK: &str = "ok";

/// What a period's calls add up to.
#[derive(Debug)]
pub(super) struct Series {
    /// Equal parts of the period, the oldest first.
    pub(super) buckets: Vec<Bucket>,
    /// The operations that were called, those with most calls first.
    pub(super) operations: Vec<OperationTimes>,
}

/// A part of the period.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub(super) struct Bucket {
    /// When it begins, in seconds since 1970.
    at: i64,
    calls: u64,
    errors: u64,
}

/// The calls of one operation.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub(super) struct OperationTimes {
    id: String,
    calls: usize,
    errors: usize,
    /// Half of the calls took at most this many microseconds.
    p50: i64,
    /// 95 of 100 calls took at most this many microseconds.
    p95: i64,
}

impl Series {
    /// Adds up the calls of a period. Ignores those outside of it.
    pub(super) fn from_rows(rows: &[AuditRow], since: Timestamp, until: Timestamp) -> Self {
        let (since, until) = (since.as_second(), until.as_second());
        let step = ((until - since) / BUCKETS).max(1);
        let bucket = |at| Bucket { at: since + at * step, calls: 0, errors: 0 };
        let mut buckets: Vec<Bucket> = (0..BUCKETS).map(bucket).collect();
        for row in rows {
            let Ok(time) = row.time.parse::<Timestamp>() else { continue };
            // The last part also has what the division left over.
            let at = ((time.as_second() - since) / step).min(BUCKETS - 1);
            let Some(bucket) = usize::try_from(at).ok().and_then(|at| buckets.get_mut(at)) else {
                continue;
            };
            bucket.calls += 1;
            bucket.errors += u64::from(row.outcome != OK);
        }
        Self { buckets, operations: by_operation(rows) }
    }
}

fn by_operation(rows: &[AuditRow]) -> Vec<OperationTimes> {
    let mut calls: BTreeMap<&str, Vec<&AuditRow>> = BTreeMap::new();
    for row in rows {
        if let Some(id) = &row.operation {
            calls.entry(id).or_default().push(row);
        }
    }
    let mut operations: Vec<OperationTimes> = calls
        .into_iter()
        .map(|(id, rows)| {
            let mut micros: Vec<i64> = rows.iter().map(|row| row.micros).collect();
            micros.sort_unstable();
            let errors = rows.iter().filter(|row| row.outcome != OK).count();
            let (p50, p95) = (percentile(&micros, 50), percentile(&micros, 95));
            OperationTimes { id: id.to_owned(), calls: rows.len(), errors, p50, p95 }
        })
        .collect();
    operations.sort_by_key(|operation| std::cmp::Reverse(operation.calls));
    operations
}

/// Returns the smallest value that is not exceeded by this percentage of sorted values (nearest rank).
fn percentile(sorted: &[i64], percent: usize) -> i64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use toolwrit_core::audit::row::AuditRow;

    use super::{Series, percentile};

    fn row(second: i64, operation: &str, outcome: &str, micros: i64) -> AuditRow {
        AuditRow {
            time: Timestamp::from_second(second).unwrap().to_string(),
            principal: "local".to_owned(),
            client: None,
            surface: "flat".to_owned(),
            name: operation.to_owned(),
            operation: Some(operation.to_owned()),
            effect: None,
            focus: "full".to_owned(),
            role: "owner".to_owned(),
            decision: "allowed".to_owned(),
            outcome: outcome.to_owned(),
            micros,
            bytes_in: 0,
            bytes_out: 0,
            arguments: None,
            instance: None,
            replica: None,
        }
    }

    #[test]
    fn calls_are_counted_in_their_part_of_the_period() {
        let (since, until) = (1_000_000, 1_000_000 + 4800);
        let rows = [
            row(since, "a.one", "ok", 10),
            row(since + 99, "a.one", "NOT_FOUND", 30),
            row(until, "b.two", "ok", 5),
            row(since - 1000, "b.two", "ok", 7),
        ];
        let time = |second| Timestamp::from_second(second).unwrap();
        let series = Series::from_rows(&rows, time(since), time(until));
        assert_eq!(series.buckets.len(), 48);
        assert_eq!((series.buckets[0].calls, series.buckets[0].errors), (2, 1));
        assert_eq!((series.buckets[47].calls, series.buckets[47].errors), (1, 0));
        assert_eq!(series.buckets.iter().map(|bucket| bucket.calls).sum::<u64>(), 3);
        let one = series.operations.iter().find(|operation| operation.id == "a.one").unwrap();
        assert_eq!((one.calls, one.errors, one.p50, one.p95), (2, 1, 10, 30));
    }

    #[test]
    fn percentiles_are_values_that_occur() {
        let values: Vec<i64> = (1..=100).collect();
        assert_eq!((percentile(&values, 50), percentile(&values, 95)), (50, 95));
        assert_eq!((percentile(&[7], 50), percentile(&[7], 95)), (7, 7));
        assert_eq!(percentile(&[], 95), 0);
    }
}
