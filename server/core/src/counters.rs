//! What the engine counts while it runs. Metrics read it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

/// A number that only grows. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Counter(Arc<AtomicU64>);

impl Counter {
    /// Adds one.
    pub fn inc(&self) {
        self.0.fetch_add(1, Relaxed);
    }

    /// The number now.
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// A number that goes up and down. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Gauge(Arc<AtomicI64>);

impl Gauge {
    /// Adds one.
    pub fn inc(&self) {
        self.0.fetch_add(1, Relaxed);
    }

    /// Replaces the number.
    pub fn set(&self, value: i64) {
        self.0.store(value, Relaxed);
    }

    /// The number now.
    pub fn get(&self) -> i64 {
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
pub struct Counters {
    /// Handlers at work.
    pub handlers: Gauge,
    /// Calls that wait for a handler's place.
    pub waiting: Gauge,
    /// Calls refused because their caller sends too many a second.
    pub refused_by_rate: Counter,
    /// Calls refused because their session has made as many as it may, or without one their caller.
    pub refused_by_session: Counter,
    /// Calls refused because too many wait for a handler's place.
    pub refused_by_queue: Counter,
    /// Reads answered from the cache.
    pub cache_hits: Counter,
    /// Reads that could be answered from the cache, and were not in it.
    pub cache_misses: Counter,
    /// Handlers tried again after a failure.
    pub retries: Counter,
}

/// How far the audit is behind. Clones share the numbers.
#[derive(Debug, Clone, Default)]
pub struct Backlog {
    /// Records that wait for the disk.
    pub waiting: Gauge,
    /// Records that found no room, since the start.
    pub lost: Counter,
}
