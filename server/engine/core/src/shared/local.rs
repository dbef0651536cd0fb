//! What one process shares with nobody. It is kept in memory: after a restart, limits begin anew, tokens must be issued again,
//! and clients begin again what was sealed.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use tokio::sync::broadcast;

use super::{
    Heard, Kept, Limited, Notice, Purpose, ReplicaFigures, RequestRate, SealKey, SealKeys, Shared,
    StorageFailed, Stored,
};
use crate::caller::principal::Principal;
use crate::caller::session_calls::SessionCalls;
use crate::dialogue::confirmed::Confirmed;
use crate::dialogue::{Binding, ConfirmationToken};

/// Principals to keep before idle ones are dropped.
const KEPT: usize = 1024;
/// Tokens to keep. Beyond that the least recently used become invalid, and their callers must confirm again.
const KEPT_TOKENS: u64 = 10_000;
const HOUR: Duration = Duration::from_hours(1);

/// What one process keeps for itself.
pub struct Local {
    /// The recent calls of each principal, by the rate that limits them.
    rates: Mutex<HashMap<NonZeroU32, DefaultKeyedRateLimiter<Principal>>>,
    hours: Mutex<HashMap<Principal, Hour>>,
    tokens: Cache<String, (Binding, Confirmed)>,
    request_state: LazyLock<Option<SealKey>>,
    cursor: LazyLock<Option<SealKey>>,
}

/// An hour of a principal, which began with its first call.
struct Hour {
    begun: Instant,
    calls: u64,
}

impl Hour {
    /// Returns the time until the hour ends; `None` if it has ended.
    fn left(&self, now: Instant) -> Option<Duration> {
        HOUR.checked_sub(now.duration_since(self.begun)).filter(|left| !left.is_zero())
    }
}

impl Default for Local {
    fn default() -> Self {
        let tokens = Cache::builder()
            .max_capacity(KEPT_TOKENS)
            .time_to_live(ConfirmationToken::LIFETIME)
            .eviction_policy(EvictionPolicy::lru());
        Self {
            rates: Mutex::default(),
            hours: Mutex::default(),
            tokens: tokens.build(),
            request_state: LazyLock::new(SealKey::random),
            cursor: LazyLock::new(SealKey::random),
        }
    }
}

impl Local {
    /// Takes a call from a principal's rate.
    ///
    /// # Errors
    /// The time until the next call is allowed.
    pub fn take_now(&self, principal: &Principal, per_second: NonZeroU32) -> Limited {
        // No code that can panic runs under the locks of this file.
        let mut rates = self.rates.lock().unwrap_or_else(PoisonError::into_inner);
        let limiter = rates
            .entry(per_second)
            .or_insert_with(|| RateLimiter::keyed(Quota::per_second(per_second)));
        if limiter.len() > KEPT {
            limiter.retain_recent();
        }
        limiter
            .check_key(principal)
            .map_err(|until| until.wait_time_from(DefaultClock::default().now()))
    }

    /// Counts a call of a principal in its hour.
    ///
    /// # Errors
    /// The time until the hour ends, if it has no calls left.
    pub fn count_now(&self, principal: &Principal, per_hour: u64) -> Limited {
        self.count_at(principal, per_hour, Instant::now())
    }

    fn count_at(&self, principal: &Principal, most: u64, now: Instant) -> Limited {
        let mut hours = self.hours.lock().unwrap_or_else(PoisonError::into_inner);
        if hours.len() >= KEPT {
            hours.retain(|_, hour| hour.left(now).is_some());
        }
        let hour = hours.entry(principal.clone()).or_insert(Hour { begun: now, calls: 0 });
        match hour.left(now) {
            Some(left) if hour.calls >= most => Err(left),
            Some(_) => {
                hour.calls += 1;
                Ok(())
            }
            None => {
                *hour = Hour { begun: now, calls: 1 };
                Ok(())
            }
        }
    }
}

impl Shared for Local {
    fn replica(&self) -> Option<&str> {
        None
    }

    fn unready(&self) -> Option<String> {
        None
    }

    fn figures(&self) -> Option<ReplicaFigures> {
        None
    }

    fn take<'a>(
        &'a self,
        principal: &'a Principal,
        per_second: NonZeroU32,
    ) -> BoxFuture<'a, Limited> {
        ready(self.take_now(principal, per_second)).boxed()
    }

    fn count<'a>(&'a self, principal: &'a Principal, per_hour: u64) -> BoxFuture<'a, Limited> {
        ready(self.count_now(principal, per_hour)).boxed()
    }

    fn count_in_session<'a>(&'a self, session: &'a SessionCalls, _: u64) -> BoxFuture<'a, u64> {
        ready(session.count()).boxed()
    }

    fn take_request<'a>(&'a self, _: &'a str, _: RequestRate) -> BoxFuture<'a, Option<Limited>> {
        ready(None).boxed()
    }

    fn issue<'a>(
        &'a self,
        token: &'a ConfirmationToken,
        call: Binding,
        confirmed: Confirmed,
    ) -> Stored<'a, ()> {
        self.tokens.insert(token.as_str().to_owned(), (call, confirmed));
        stored(())
    }

    fn redeem<'a>(&'a self, token: &'a str, call: Binding) -> Stored<'a, Option<Confirmed>> {
        let is_valid = self.tokens.get(token).is_some_and(|(bound, _)| bound == call);
        // Of two at once, only one removes it.
        let removed = if is_valid { self.tokens.remove(token) } else { None };
        stored(removed.map(|(_, confirmed)| confirmed))
    }

    fn keys(&self, purpose: Purpose) -> Option<SealKeys> {
        let key = match purpose {
            Purpose::RequestState => &self.request_state,
            Purpose::Cursor => &self.cursor,
        };
        Some(SealKeys { sealing: (**key).clone()?, opening: Vec::new() })
    }

    fn publish(&self, _: Notice) -> BoxFuture<'static, ()> {
        ready(()).boxed()
    }

    fn watch(&self) -> Option<broadcast::Receiver<Heard>> {
        None
    }

    fn hears(&self) -> bool {
        true
    }

    fn replicas(&self) -> u32 {
        1
    }

    fn release<'a>(&'a self, _: &'a str) -> BoxFuture<'a, ()> {
        ready(()).boxed()
    }

    fn lease<'a>(&'a self, _: &'a str) -> Stored<'a, Option<String>> {
        stored(None)
    }

    fn keep<'a>(&'a self, _: Kept, _: &'a str, _: String, _: Duration) -> Stored<'a, ()> {
        stored(())
    }

    fn kept<'a>(&'a self, _: Kept, _: &'a str) -> Stored<'a, Option<String>> {
        stored(None)
    }

    fn add<'a>(&'a self, _: Kept, _: &'a str, _: String, _: Duration) -> Stored<'a, ()> {
        stored(())
    }

    fn collect<'a>(&'a self, _: Kept, _: &'a str) -> Stored<'a, Vec<String>> {
        stored(Vec::new())
    }
}

fn stored<'a, T: Send + 'a>(value: T) -> Stored<'a, T> {
    ready(Ok::<T, StorageFailed>(value)).boxed()
}

impl std::fmt::Debug for Local {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Local").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ada() -> Principal {
        Principal::new("ada")
    }

    #[test]
    fn calls_are_allowed_again_when_the_hour_ends() {
        let local = Local::default();
        let start = Instant::now();
        let count =
            |principal: &Principal, after: Duration| local.count_at(principal, 2, start + after);
        assert_eq!(count(&ada(), Duration::ZERO), Ok(()));
        assert_eq!(count(&ada(), HOUR / 2), Ok(()));
        assert_eq!(count(&ada(), HOUR / 2), Err(HOUR / 2));
        assert_eq!(count(&Principal::new("ben"), HOUR / 2), Ok(()), "another has its own hour");
        assert_eq!(count(&ada(), HOUR), Ok(()), "the next hour has begun");
        assert_eq!(count(&ada(), HOUR), Ok(()));
        assert_eq!(count(&ada(), HOUR), Err(HOUR));
    }

    #[test]
    fn hours_that_have_passed_are_dropped() {
        let local = Local::default();
        let start = Instant::now();
        for number in 0..KEPT {
            local.count_at(&Principal::new(&number.to_string()), 1, start).unwrap();
        }
        local.count_at(&ada(), 1, start + HOUR).unwrap();
        assert_eq!(local.hours.lock().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn a_token_is_valid_once_and_for_one_call() {
        let ada = ada();
        let binding = |who: &Principal, what, how| Binding::new("", who, what, how);
        let mine = binding(&ada, "vault.delete", "{}");
        let local = Local::default();
        let token = ConfirmationToken::random().unwrap();
        local.issue(&token, mine, Confirmed::default()).await.unwrap();
        for other in [
            binding(&Principal::new("bob"), "vault.delete", "{}"),
            binding(&ada, "vault.bulk_delete", "{}"),
            binding(&ada, "vault.delete", "{\"path\":\"a\"}"),
            binding(&ada, "vault.delet", "e{}"),
            Binding::new("elsewhere", &ada, "vault.delete", "{}"),
        ] {
            assert_eq!(local.redeem(token.as_str(), other).await, Ok(None));
        }
        assert_eq!(local.redeem("", mine).await, Ok(None));
        assert!(local.redeem(token.as_str(), mine).await.unwrap().is_some());
        assert_eq!(local.redeem(token.as_str(), mine).await, Ok(None), "a second time");
    }
}
