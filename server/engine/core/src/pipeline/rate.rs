//! Limits the calls per second of a principal, with bursts of the same number. Every call counts, even if a
//! later phase refuses it.

use std::num::NonZeroU32;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::audit::counters::Counters;
use crate::caller::principal::Principal;
use crate::fault::{Fault, Result};

/// Principals to keep before idle ones are dropped.
const KEPT: usize = 1024;

/// The recent calls of each principal.
pub(super) struct Rate {
    limiter: Option<(NonZeroU32, DefaultKeyedRateLimiter<Principal>)>,
    clock: DefaultClock,
    counters: Counters,
}

impl Rate {
    pub(super) fn new(calls_per_second: Option<NonZeroU32>, counters: Counters) -> Self {
        let limiter =
            calls_per_second.map(|calls| (calls, RateLimiter::keyed(Quota::per_second(calls))));
        Self { limiter, clock: DefaultClock::default(), counters }
    }

    /// Counts a call of a principal.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED` if the principal exceeds its rate.
    pub(super) fn check(&self, principal: &Principal) -> Result<()> {
        let Some((calls, limiter)) = &self.limiter else { return Ok(()) };
        if limiter.len() > KEPT {
            limiter.retain_recent();
        }
        limiter.check_key(principal).map_err(|until| {
            self.counters.refused_by_rate.inc();
            let wait = until.wait_time_from(self.clock.now()).as_secs_f64();
            Fault::too_many_calls(calls.get().into(), "second")
                .retry_after((wait * 1000.0).ceil() / 1000.0)
                .hinting("Nothing was done. Wait, then send the same call.")
        })
    }
}
