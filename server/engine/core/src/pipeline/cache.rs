//! Caches the answers of reads that declare `cache`. An answer is valid until it expires, or until a write
//! through this server or a replica changes its category: a write of the category, or one that `invalidates` it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use futures::FutureExt as _;
use futures::future::{Either, join_all, ready};
use moka::Expiry;
use moka::sync::Cache;
use serde_json::Value;

use super::behind::behind;
use crate::arguments::value::ArgValues;
use crate::audit::counters::Counters;
use crate::audit::storage::State;
use crate::authority::{AuthorityVersion, Effect, OperationHandle};
use crate::call::Validated;
use crate::caller::principal::{Attributes, Principal};
use crate::result::outcome::Outcome;
use crate::shared::{Heard, Notice};

/// Bytes of JSON that the cache may hold.
const MOST_BYTES: u64 = 32 * 1024 * 1024;

pub(super) struct ResultCache {
    changes: WriteCounts,
    state: State,
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
    pub(super) fn new(state: State, counters: Counters) -> Self {
        let answers = Cache::builder()
            .max_capacity(MOST_BYTES)
            .weigher(|_, answer: &CachedAnswer| answer.bytes)
            .expire_after(Freshness)
            .build();
        Self { changes: WriteCounts::default(), state, answers, counters }
    }

    /// Returns a valid answer, or what to do with the answer of the handler.
    pub(super) fn look_up(&self, call: &mut Validated) -> CacheLookup {
        let operation = call.operation.row();
        if operation.effect != Effect::Read {
            let changed = || self.changes.by(&call.operation, &self.state);
            let (now, last) = (changed(), changed());
            // Count again when the last work of the call has ended, which may be after its answer.
            call.held.keep(last);
            return CacheLookup::Miss(Reuse::Change(now));
        }
        let Some(fresh_for) = operation.cache else { return CacheLookup::Miss(Reuse::No) };
        // Nothing would say that another replica has changed what an answer depends on.
        if !self.state.shared().hears() {
            self.counters.cache_misses.inc();
            return CacheLookup::Miss(Reuse::No);
        }
        let is_own = !operation.shared_cache;
        let key = CacheKey {
            authority: call.operation.authority().version(),
            operation: call.operation.index(),
            principal: is_own.then(|| call.caller.principal().clone()),
            attributes: call.caller.info.origin.attributes.clone().filter(|_| is_own),
            changes: self
                .changes
                .count_of(category_of(&call.operation, operation.category))
                .number
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

    /// Does what another replica's write asks for.
    pub(super) fn hear(&self, heard: &Heard) {
        match heard {
            Heard::Notice(Notice::Changed(category)) => {
                self.changes.count_of(category).add_one();
            }
            Heard::Notice(_) => {}
            Heard::Missed => self.changes.count_all(),
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
    Change(PendingWrite),
}

impl Reuse {
    /// Completes when the replicas know of a change.
    pub(super) async fn told(&self) {
        if let Self::Change(write) = self {
            write.tell().await;
        }
    }
}

/// The number of changes in each category. It is part of the cache key, so that no look-up finds an answer
/// from before a change. Categories are identified by name, because a change may end under another authority
/// than the reads that must see it.
#[derive(Default)]
struct WriteCounts(RwLock<HashMap<String, Arc<WriteCount>>>);

/// The number of changes in one category.
struct WriteCount {
    category: String,
    number: AtomicU64,
}

impl WriteCount {
    fn add_one(&self) {
        self.number.fetch_add(1, Ordering::Release);
    }
}

impl WriteCounts {
    fn count_of(&self, category: &str) -> Arc<WriteCount> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(category).cloned();
        known.unwrap_or_else(|| {
            let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
            let new = || {
                let (category, number) = (category.to_owned(), AtomicU64::default());
                Arc::new(WriteCount { category, number })
            };
            known.entry(category.to_owned()).or_insert_with(new).clone()
        })
    }

    /// Counts a change of each category.
    fn count_all(&self) {
        for count in self.0.read().unwrap_or_else(PoisonError::into_inner).values() {
            count.add_one();
        }
    }

    /// Returns the guard that counts the changes of an operation, and tells the replicas.
    fn by(&self, operation: &OperationHandle, state: &State) -> PendingWrite {
        let row = operation.row();
        let changed = row.invalidates.iter().chain([&row.category]);
        let changed = changed.map(|category| self.count_of(category_of(operation, *category)));
        PendingWrite { changed: changed.collect(), state: state.clone() }
    }
}

fn category_of(operation: &OperationHandle, category: u16) -> &str {
    &operation.authority().tables().categories[usize::from(category)].name
}

/// Counts a change of these categories when it is dropped.
pub(super) struct PendingWrite {
    changed: Vec<Arc<WriteCount>>,
    state: State,
}

impl PendingWrite {
    /// Tells the replicas, even if the future is dropped.
    fn tell(&self) -> impl Future<Output = ()> + use<> {
        let shared = self.state.shared();
        let told = match shared.replica() {
            Some(_) => self.changed.iter().map(|count| Notice::Changed(count.category.clone())),
            None => return Either::Left(ready(())),
        };
        let told: Vec<_> = told.map(|notice| shared.publish(notice)).collect();
        Either::Right(join_all(told).map(drop))
    }
}

impl Drop for PendingWrite {
    fn drop(&mut self) {
        for count in &self.changed {
            count.add_one();
        }
        drop(self.tell());
    }
}
