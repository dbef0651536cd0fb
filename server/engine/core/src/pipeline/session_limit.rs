//! Limits the calls of a session, or without a session the calls of a principal per hour. Every call counts,
//! even if a later phase refuses it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::audit::counters::Counters;
use crate::call::Caller;
use crate::caller::principal::Principal;
use crate::fault::{Fault, Result};

const HOUR: Duration = Duration::from_hours(1);
/// Principals whose hours are kept before hours that have passed are dropped.
const KEPT: usize = 1024;

/// The limit, and the hours of principals without a session.
pub(super) struct SessionLimit {
    most: Option<u64>,
    hours: Mutex<HashMap<Principal, Hour>>,
    counters: Counters,
}

/// An hour of a principal, which began with its first call.
struct Hour {
    begun: Instant,
    calls: u64,
}

impl SessionLimit {
    pub(super) fn new(most: Option<u32>, counters: Counters) -> Self {
        Self { most: most.map(u64::from), hours: Mutex::default(), counters }
    }

    /// Counts a call.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED` if the session or the principal has used up its calls.
    pub(super) fn check(&self, caller: &Caller) -> Result<()> {
        let Some(most) = self.most else { return Ok(()) };
        let checked = match &caller.session {
            Some(session) if session.count() > most => Err(session_is_over(most)),
            Some(_) => Ok(()),
            None => self.count(caller.principal(), most, Instant::now()),
        };
        checked.inspect_err(|_| self.counters.refused_by_session.inc())
    }

    fn count(&self, principal: &Principal, most: u64, now: Instant) -> Result<()> {
        // No code that can panic runs under the lock.
        let mut hours = self.hours.lock().unwrap_or_else(PoisonError::into_inner);
        if hours.len() >= KEPT {
            hours.retain(|_, hour| hour.left(now).is_some());
        }
        let hour = hours.entry(principal.clone()).or_insert(Hour { begun: now, calls: 0 });
        match hour.left(now) {
            Some(left) if hour.calls >= most => Err(hour_is_over(most, left)),
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

impl Hour {
    /// Returns the time until the hour ends; `None` if it has ended.
    fn left(&self, now: Instant) -> Option<Duration> {
        HOUR.checked_sub(now.duration_since(self.begun)).filter(|left| !left.is_zero())
    }
}

fn session_is_over(most: u64) -> Fault {
    Fault::too_many_calls(most, "session")
        .retryable(false)
        .hinting("Nothing was done. Stop, and tell the user to begin a new session.")
}

fn hour_is_over(most: u64, left: Duration) -> Fault {
    Fault::too_many_calls(most, "hour")
        .retry_after(left.as_secs_f64().ceil())
        .hinting("Nothing was done. Wait, then send the same call.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ada() -> Principal {
        Principal::new("ada")
    }

    #[test]
    fn calls_are_allowed_again_when_the_hour_ends() {
        let limit = SessionLimit::new(Some(2), Counters::default());
        let start = Instant::now();
        let count = |principal: &Principal, after: Duration| {
            limit.count(principal, 2, start + after).map_err(|fault| fault.wait())
        };
        assert_eq!(count(&ada(), Duration::ZERO), Ok(()));
        assert_eq!(count(&ada(), HOUR / 2), Ok(()));
        assert_eq!(count(&ada(), HOUR / 2), Err(Some(HOUR / 2)));
        assert_eq!(count(&Principal::new("ben"), HOUR / 2), Ok(()), "another has its own hour");
        assert_eq!(count(&ada(), HOUR), Ok(()), "the next hour has begun");
        assert_eq!(count(&ada(), HOUR), Ok(()));
        assert_eq!(count(&ada(), HOUR), Err(Some(HOUR)));
    }

    #[test]
    fn hours_that_have_passed_are_dropped() {
        let limit = SessionLimit::new(Some(1), Counters::default());
        let start = Instant::now();
        for number in 0..KEPT {
            limit.count(&Principal::new(&number.to_string()), 1, start).unwrap();
        }
        limit.count(&ada(), 1, start + HOUR).unwrap();
        assert_eq!(limit.hours.lock().unwrap().len(), 1);
    }
}
