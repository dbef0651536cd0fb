//! Caches the answers of reads that declare `cache`. An answer is valid until it expires, or until a write
//! through this server changes its category: a write of the category, or one that `invalidates` it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use moka::Expiry;
use moka::sync::Cache;
use serde_json::Value;

use super::behind::behind;
use crate::arguments::value::ArgValues;
use crate::audit::counters::Counters;
use crate::authority::{AuthorityVersion, Effect, OperationHandle};
use crate::call::Validated;
use crate::caller::principal::{Attributes, Principal};
use crate::result::outcome::Outcome;

/// Bytes of JSON that the cache may hold.
const MOST_BYTES: u64 = 32 * 1024 * 1024;

pub(super) struct ResultCache {
    changes: WriteCounts,
    answers: Cache<CacheKey, CachedAnswer>,
    counters: Counters,
}

/// Everything that an answer may depend on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CacheKey {
    /// The authority to which the positions below refer.
    authority: AuthorityVersion,
    operation: usize,
    /// The caller; `None` if answers are shared.
    principal: Option<Principal>,
    attributes: Option<Arc<Attributes>>,
    changes: u64,
    focus: usize,
    role: usize,
    arguments: ArgValues,
}

#[derive(Debug, Clone)]
struct CachedAnswer {
    value: Value,
    bytes: u32,
    fresh_for: Duration,
}

/// Expires each answer after the time that its operation declares.
struct Freshness;

impl Expiry<CacheKey, CachedAnswer> for Freshness {
    fn expire_after_create(
        &self,
        _: &CacheKey,
        answer: &CachedAnswer,
        _: Instant,
    ) -> Option<Duration> {
        Some(answer.fresh_for)
    }
}

impl ResultCache {
    pub(super) fn new(counters: Counters) -> Self {
        let answers = Cache::builder()
            .max_capacity(MOST_BYTES)
            .weigher(|_, answer: &CachedAnswer| answer.bytes)
            .expire_after(Freshness)
            .build();
        Self { changes: WriteCounts::default(), answers, counters }
    }

    /// Returns a valid answer, or what to do with the answer of the handler.
    pub(super) fn look_up(&self, call: &mut Validated) -> CacheLookup {
        let operation = call.operation.row();
        if operation.effect != Effect::Read {
            let changed = || self.changes.by(&call.operation);
            let (now, last) = (changed(), changed());
            // Count again when the last work of the call has ended, which may be after its answer.
            call.held.keep(last);
            return CacheLookup::Miss(Reuse::Change(now));
        }
        let Some(fresh_for) = operation.cache else { return CacheLookup::Miss(Reuse::No) };
        let is_own = !operation.shared_cache;
        let key = CacheKey {
            authority: call.operation.authority().version(),
            operation: call.operation.index(),
            principal: is_own.then(|| call.caller.principal().clone()),
            attributes: call.caller.info.origin.attributes.clone().filter(|_| is_own),
            changes: self
                .changes
                .count_of(category_of(&call.operation, operation.category))
                .load(Ordering::Acquire),
            focus: call.caller.policy().focus_in_force(),
            role: call.caller.policy().role_in_force(),
            arguments: behind(&call.operation, &call.arguments),
        };
        if let Some(answer) = self.answers.get(&key) {
            self.counters.cache_hits.inc();
            return CacheLookup::Hit(answer.value);
        }
        self.counters.cache_misses.inc();
        CacheLookup::Miss(Reuse::Keep(Box::new(key), fresh_for))
    }

    /// Stores an answer if it may be reused.
    pub(super) fn keep(&self, reuse: Reuse, outcome: &Outcome) {
        if let Reuse::Keep(key, fresh_for) = reuse {
            let value = outcome.value.clone();
            let bytes = u32::try_from(value.to_string().len()).unwrap_or(u32::MAX);
            self.answers.insert(*key, CachedAnswer { value, bytes, fresh_for });
        }
    }
}

/// The result of a look-up.
pub(super) enum CacheLookup {
    /// The cached answer.
    Hit(Value),
    /// There is no valid answer: the handler must run.
    Miss(Reuse),
}

/// What to do with the answer of a handler.
pub(super) enum Reuse {
    /// Do not reuse it.
    No,
    /// Cache it for this time.
    Keep(Box<CacheKey>, Duration),
    /// The call changes its category. The change is counted when this is dropped, however the call ended. A
    /// read that overlaps with it has the older count, so that its answer is never reused.
    Change(#[expect(dead_code, reason = "dropped at the end of the call")] PendingWrite),
}

/// The number of changes in each category. It is part of the cache key, so that no look-up finds an answer
/// from before a change. Categories are identified by name, because a change may end under another authority
/// than the reads that must see it.
#[derive(Default)]
struct WriteCounts(RwLock<HashMap<String, Arc<AtomicU64>>>);

impl WriteCounts {
    fn count_of(&self, category: &str) -> Arc<AtomicU64> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(category).cloned();
        known.unwrap_or_else(|| {
            let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
            known.entry(category.to_owned()).or_default().clone()
        })
    }

    /// Returns the guard that counts the changes of an operation.
    fn by(&self, operation: &OperationHandle) -> PendingWrite {
        let row = operation.row();
        let count = |category: u16| self.count_of(category_of(operation, category));
        let others = row.invalidates.iter().map(|category| count(*category)).collect();
        PendingWrite { category_count: count(row.category), others }
    }
}

fn category_of(operation: &OperationHandle, category: u16) -> &str {
    &operation.authority().tables().categories[usize::from(category)].name
}

/// Counts a change when it is dropped.
pub(super) struct PendingWrite {
    category_count: Arc<AtomicU64>,
    others: Vec<Arc<AtomicU64>>,
}

impl Drop for PendingWrite {
    fn drop(&mut self) {
        for count in self.others.iter().chain([&self.category_count]) {
            count.fetch_add(1, Ordering::Release);
        }
    }
}
