//! Sends no more requests to an API that has failed several times in a row, so that callers need not wait.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};
use crate::options::CircuitOptions;

/// What is known about an API.
pub(crate) struct Circuit {
    options: CircuitOptions,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Failures in a row.
    failures: u32,
    /// When requests are sent again.
    paused_until: Option<Instant>,
}

impl Circuit {
    pub(crate) fn new(options: CircuitOptions) -> Self {
        Self { options, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// # Errors
    /// `PROVIDER_UNAVAILABLE` while no requests are sent.
    pub(crate) fn check(&self, provider: &str) -> Result<()> {
        let mut state = self.state();
        let Some(until) = state.paused_until else { return Ok(()) };
        let now = Instant::now();
        if now < until {
            return Err(paused(provider, until - now));
        }
        // This request tries, and the others wait for its outcome.
        state.paused_until = Some(now + self.options.pause);
        Ok(())
    }

    /// Records whether the API has answered.
    pub(crate) fn record(&self, has_answered: bool) {
        let mut state = self.state();
        if has_answered {
            *state = State::default();
            return;
        }
        state.failures = state.failures.saturating_add(1);
        if state.failures >= self.options.failures.max(1) {
            state.paused_until = Some(Instant::now() + self.options.pause);
        }
    }
}

fn paused(provider: &str, pause: Duration) -> Box<Failure> {
    Failure::unavailable(format!("Several requests to {provider} have failed in a row."))
        .hinting("Requests are sent again after a pause.")
        .after(pause)
        .temporary()
}
