//! Limits the calls per second of a principal, with bursts of the same number. Every call counts, even if a
//! later phase refuses it.

use std::num::NonZeroU32;

use crate::audit::counters::Counters;
use crate::audit::storage::State;
use crate::caller::principal::Principal;
use crate::fault::{Fault, Result};

/// The limit, and what counts the calls.
pub(super) struct Rate {
    per_second: Option<NonZeroU32>,
    state: State,
    counters: Counters,
}

impl Rate {
    pub(super) fn new(per_second: Option<NonZeroU32>, state: State, counters: Counters) -> Self {
        Self { per_second, state, counters }
    }

    /// Counts a call of a principal.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED` if the principal exceeds its rate.
    pub(super) async fn check(&self, principal: &Principal) -> Result<()> {
        let Some(calls) = self.per_second else { return Ok(()) };
        self.state.shared().take(principal, calls).await.map_err(|wait| {
            self.counters.refused_by_rate.inc();
            Fault::too_many_calls(calls.get().into(), "second")
                .retry_after((wait.as_secs_f64() * 1000.0).ceil() / 1000.0)
                .hinting("Nothing was done. Wait, then send the same call.")
        })
    }
}
