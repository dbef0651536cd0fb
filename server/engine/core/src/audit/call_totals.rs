//! Counts the calls of each operation.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use crate::audit::record::Record;

/// The most operations that are counted, because operations may join and leave while a server runs.
const MOST: usize = 10_000;

/// The calls of each operation since the start. Clones share the numbers.
#[derive(Debug, Clone)]
pub struct CallTotals(Arc<Counted>);

#[derive(Debug)]
struct Counted {
    since: Timestamp,
    by_operation: Mutex<HashMap<String, Calls>>,
}

/// The calls of one operation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Calls {
    /// All of them.
    pub calls: u64,
    /// Those that failed.
    pub errors: u64,
    /// How long they took together.
    pub time: Duration,
    /// How long the longest took.
    pub longest: Duration,
}

impl Default for CallTotals {
    fn default() -> Self {
        Self(Arc::new(Counted { since: Timestamp::now(), by_operation: Mutex::default() }))
    }
}

impl CallTotals {
    /// Adds a call that has ended, if it named an operation.
    pub(crate) fn add(&self, record: &Record) {
        let Some(operation) = record.operation() else { return };
        // No code that can panic runs under the lock.
        let mut all = self.0.by_operation.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.contains_key(operation) {
            if all.len() >= MOST {
                return;
            }
            all.insert(operation.to_owned(), Calls::default());
        }
        let Some(calls) = all.get_mut(operation) else { return };
        calls.calls += 1;
        calls.errors += u64::from(record.failure.is_some());
        calls.time += record.duration;
        calls.longest = calls.longest.max(record.duration);
    }

    /// Returns when counting began.
    pub fn since(&self) -> Timestamp {
        self.0.since
    }

    /// Returns the calls of each operation by id, the most called first.
    pub fn by_operation(&self) -> Vec<(String, Calls)> {
        let all = self.0.by_operation.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut all: Vec<(String, Calls)> = all.into_iter().collect();
        all.sort_by(|(a, x), (b, y)| y.calls.cmp(&x.calls).then_with(|| a.cmp(b)));
        all
    }
}
