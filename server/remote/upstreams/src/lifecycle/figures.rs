//! What the calls of an upstream have cost.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::failure::Failure;
use toolwrit_words::Code;

/// What the calls of an upstream have cost, since it is supervised.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// Calls that it has received, or may have.
    pub calls: u64,
    /// How many of them failed; not those that their callers have cancelled.
    pub failures: u64,
    /// How long they took together.
    pub busy: Duration,
}

#[derive(Debug, Default)]
pub(super) struct Counts {
    calls: AtomicU64,
    failures: AtomicU64,
    /// In microseconds.
    busy: AtomicU64,
}

impl Counts {
    pub(super) fn add(&self, took: Duration, failure: Option<&Failure>) {
        self.calls.fetch_add(1, Relaxed);
        let has_failed = failure.is_some_and(|failure| failure.code != Code::Cancelled);
        self.failures.fetch_add(u64::from(has_failed), Relaxed);
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.busy.fetch_add(took, Relaxed);
    }

    pub(super) fn now(&self) -> Figures {
        Figures {
            calls: self.calls.load(Relaxed),
            failures: self.failures.load(Relaxed),
            busy: Duration::from_micros(self.busy.load(Relaxed)),
        }
    }
}
