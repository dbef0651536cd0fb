//! What the engine counts while it runs. Metrics read it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

/// A number that only grows. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counter(Arc<AtomicU64>);

impl Counter {
    /// Adds one.
    pub(crate) fn inc(&self) {
        self.0.fetch_add(1, Relaxed);
    }

    /// The number now.
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// A number that goes up and down. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gauge(Arc<AtomicI64>);

impl Gauge {
    /// Adds one.
    pub(crate) fn inc(&self) {
        self.0.fetch_add(1, Relaxed);
    }

    /// Replaces the number.
    pub(crate) fn set(&self, value: i64) {
        self.0.store(value, Relaxed);
    }

    /// The number now.
    pub(crate) fn get(&self) -> i64 {
        self.0.load(Relaxed)
    }

    /// Counts one more until the result is dropped.
    pub(crate) fn hold(&self) -> Counted {
        self.inc();
        Counted(self.clone())
    }
}

/// Counts one in a gauge until it is dropped.
#[derive(Debug)]
pub(crate) struct Counted(Gauge);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Relaxed);
    }
}

/// What the pipeline counts. Clones share the numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counters {
    /// Handlers at work.
    pub(crate) handlers: Gauge,
    /// Calls that wait for a handler's place.
    pub(crate) waiting: Gauge,
    /// Calls refused because their caller sends too many a second.
    pub(crate) refused_by_rate: Counter,
    /// Calls refused because too many wait for a handler's place.
    pub(crate) refused_by_queue: Counter,
    /// Reads answered from the cache.
    pub(crate) cache_hits: Counter,
    /// Reads that could be answered from the cache, and were not in it.
    pub(crate) cache_misses: Counter,
    /// Handlers tried again after a failure.
    pub(crate) retries: Counter,
}

/// How far the audit is behind. Clones share the numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Backlog {
    /// Records that wait for the disk.
    pub(crate) waiting: Gauge,
    /// Records that found no room, since the start.
    pub(crate) lost: Counter,
}
