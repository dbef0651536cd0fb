//! The counters of a running engine, which metrics read.

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

    /// Returns the current number.
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// A number that rises and falls. Clones share it.
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

    /// Returns the current number.
    pub fn get(&self) -> i64 {
        self.0.load(Relaxed)
    }

    /// Adds one until the result is dropped.
    pub(crate) fn hold(&self) -> Counted {
        self.inc();
        Counted(self.clone())
    }
}

/// Subtracts one from the gauge when it is dropped.
#[derive(Debug)]
pub(crate) struct Counted(Gauge);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Relaxed);
    }
}

/// The counters of the pipeline. Clones share the numbers.
#[derive(Debug, Clone, Default)]
pub struct Counters {
    /// Handlers that are running.
    pub handlers: Gauge,
    /// Calls that are queued for a concurrency permit.
    pub waiting: Gauge,
    /// Calls refused because of their caller's rate limit.
    pub refused_by_rate: Counter,
    /// Calls refused because of the limit per session, or without a session per caller.
    pub refused_by_session: Counter,
    /// Calls refused because the queue is full.
    pub refused_by_queue: Counter,
    /// Reads answered from the cache.
    pub cache_hits: Counter,
    /// Cacheable reads that were not in the cache.
    pub cache_misses: Counter,
    /// Handlers run again after a failure.
    pub retries: Counter,
}

/// The queue of the audit. Clones share the numbers.
#[derive(Debug, Clone, Default)]
pub struct Backlog {
    /// Records that are not yet written.
    pub waiting: Gauge,
    /// Records dropped because the queue was full, since the start.
    pub lost: Counter,
}
