//! A principal may send so many calls a second, with a burst of as many at once. Every call counts,
//! also one that is refused further on.

use std::num::NonZeroU32;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::counters::Counters;
use crate::fault::{Code, Fault, Result};
use crate::principal::Principal;

/// Principals that are remembered before those that have been idle are forgotten.
const KEPT: usize = 1024;

/// What each principal has sent lately.
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

    /// Counts what a principal sends.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED` when it is too much.
    pub(super) fn check(&self, principal: &Principal) -> Result<()> {
        let Some((calls, limiter)) = &self.limiter else { return Ok(()) };
        if limiter.len() > KEPT {
            limiter.retain_recent();
        }
        limiter.check_key(principal).map_err(|until| {
            self.counters.refused_by_rate.inc();
            let wait = until.wait_time_from(self.clock.now()).as_secs_f64();
            Fault::new(Code::LimitExceeded, format!("At most {calls} calls a second are served."))
                .retry_after((wait * 1000.0).ceil() / 1000.0)
                .hinting("Nothing was done. Wait, then send the same call.")
        })
    }
}
