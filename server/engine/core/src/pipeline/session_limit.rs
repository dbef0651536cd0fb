//! Limits the calls of a session, or without a session the calls of a principal per hour. Every call counts,
//! even if a later phase refuses it.

use std::time::Duration;

use crate::audit::counters::Counters;
use crate::audit::storage::State;
use crate::call::Caller;
use crate::fault::{Fault, Result};

/// The limit, and what counts the calls of principals without a session.
pub(super) struct SessionLimit {
    most: Option<u64>,
    state: State,
    counters: Counters,
}

impl SessionLimit {
    pub(super) fn new(most: Option<u32>, state: State, counters: Counters) -> Self {
        Self { most: most.map(u64::from), state, counters }
    }

    /// Counts a call.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED` if the session or the principal has used up its calls.
    pub(super) async fn check(&self, caller: &Caller) -> Result<()> {
        let Some(most) = self.most else { return Ok(()) };
        let shared = self.state.shared();
        let checked = match &caller.session {
            Some(session) if shared.count_in_session(session, most).await > most => {
                Err(session_is_over(most))
            }
            Some(_) => Ok(()),
            None => {
                let counted = shared.count(caller.principal(), most).await;
                counted.map_err(|left| hour_is_over(most, left))
            }
        };
        checked.inspect_err(|_| self.counters.refused_by_session.inc())
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
