//! Answers of reads that declare `cache`, reused while they are young and nothing in their category
//! was changed through this server.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures::FutureExt as _;
use futures::future::Either;
use moka::Expiry;
use moka::sync::Cache as Store;
use serde_json::Value;

use super::Service;
use crate::authority::{Authority, Effect};
use crate::call::Bound;
use crate::counters::Counters;
use crate::fault::Result;
use crate::outcome::Outcome;
use crate::principal::Principal;
use crate::slot::Slots;

/// Bytes of JSON that all answers together may take.
const MOST_BYTES: u64 = 32 * 1024 * 1024;

pub(super) struct Cache<N> {
    /// For each category, how often something in it was changed. Answers from before a change have
    /// keys that nobody asks for again.
    changes: Arc<[AtomicU64]>,
    answers: Store<Key, Answer>,
    counters: Counters,
    next: N,
}

/// Everything that an answer may depend on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    operation: usize,
    principal: Principal,
    changes: u64,
    focus: &'static str,
    role: &'static str,
    arguments: Slots,
}

#[derive(Debug, Clone)]
struct Answer {
    value: Value,
    bytes: u32,
    fresh_for: Duration,
}

/// Each operation says how long its answers stay fresh.
struct Freshness;

impl Expiry<Key, Answer> for Freshness {
    fn expire_after_create(&self, _: &Key, answer: &Answer, _: Instant) -> Option<Duration> {
        Some(answer.fresh_for)
    }
}

impl<N> Cache<N> {
    pub(super) fn new(authority: &'static Authority, counters: Counters, next: N) -> Self {
        let answers = Store::builder()
            .max_capacity(MOST_BYTES)
            .weigher(|_, answer: &Answer| answer.bytes)
            .expire_after(Freshness)
            .build();
        let changes = authority.categories.iter().map(|_| AtomicU64::new(0)).collect();
        Self { changes, answers, counters, next }
    }
}

impl<N: Service<Bound>> Service<Bound> for Cache<N> {
    fn call(&self, mut call: Bound) -> impl Future<Output = Result<Outcome>> + Send {
        let operation = call.operation;
        let category = usize::from(operation.category);
        if operation.effect != Effect::Read {
            // Counted when it ends, whatever became of it, even if it is dropped half-way: a read
            // that overlaps with it has the older count, and its answer is never reused. Counted again
            // when the last of its work has ended, which may be after its answer.
            let changed = || Changed { changes: self.changes.clone(), category };
            let count = changed();
            call.held.keep(changed());
            return Either::Left(self.next.call(call).inspect(move |_| drop(count)));
        }
        Either::Right(match operation.cache {
            Some(fresh_for) => {
                let changes = self.changes[category].load(Ordering::Acquire);
                Either::Left(Box::pin(self.answer(call, changes, fresh_for)))
            }
            None => Either::Right(self.next.call(call)),
        })
    }
}

impl<N: Service<Bound>> Cache<N> {
    /// An answer that is still fresh, or one that may be reused until its category has seen another
    /// change.
    async fn answer(&self, call: Bound, changes: u64, fresh_for: Duration) -> Result<Outcome> {
        let operation = call.operation;
        let key = Key {
            operation: call.index,
            principal: call.caller.principal.clone(),
            changes,
            focus: call.caller.policy.focus(),
            role: call.caller.policy.role(),
            arguments: call.arguments.clone(),
        };
        if let Some(answer) = self.answers.get(&key) {
            self.counters.cache_hits.inc();
            return Ok(Outcome { operation, alias: None, value: answer.value });
        }
        self.counters.cache_misses.inc();
        let outcome = self.next.call(call).await?;
        let value = outcome.value.clone();
        let bytes = u32::try_from(value.to_string().len()).unwrap_or(u32::MAX);
        self.answers.insert(key, Answer { value, bytes, fresh_for });
        Ok(outcome)
    }
}

/// Counts a change when it goes out of scope.
struct Changed {
    changes: Arc<[AtomicU64]>,
    category: usize,
}

impl Drop for Changed {
    fn drop(&mut self) {
        self.changes[self.category].fetch_add(1, Ordering::Release);
    }
}
