//! When an upstream that failed is started again.

use std::time::Duration;

use super::State;
use crate::model::Timing;

/// Counts failures. It knows no clock.
#[derive(Debug, Default)]
pub(super) struct Recovery {
    failures: u32,
    refusals: usize,
    /// Whether it was ready since the last failure.
    was_ready: bool,
}

impl Recovery {
    /// After a failure. `chance` is between -1 and 1. Returns the state, and the pause before the next start. The first
    /// failure of an upstream that was ready has none, so that callers hardly notice it.
    pub(super) fn failed(&mut self, timing: &Timing, chance: f64) -> (State, Duration) {
        self.refusals = 0;
        self.failures = self.failures.saturating_add(1);
        let was_ready = std::mem::take(&mut self.was_ready);
        if self.failures >= timing.failures {
            return (State::Disabled, timing.probe);
        }
        if was_ready && self.failures == 1 {
            return (State::Backoff, Duration::ZERO);
        }
        let doubled = 2_u32.saturating_pow(self.failures - 1);
        let pause = timing.first_pause.saturating_mul(doubled).min(timing.longest_pause);
        let factor = (1.0 + chance.clamp(-1.0, 1.0) * timing.jitter).max(0.0);
        (State::Backoff, pause.mul_f64(factor))
    }

    /// After the upstream has refused the credentials.
    pub(super) fn refused(&mut self, timing: &Timing) -> (State, Duration) {
        let last = timing.refused.len() - 1;
        let pause = timing.refused[self.refusals.min(last)];
        self.refusals += 1;
        (State::Refused, pause)
    }

    /// After an upstream that was ready for some time has ended. Its earlier failures count unless that was long: an
    /// upstream that ends soon after each start has not recovered.
    pub(super) fn was_ready(&mut self, lasted: Duration, timing: &Timing) {
        self.refusals = 0;
        self.was_ready = true;
        if lasted >= timing.steady {
            self.failures = 0;
        }
    }

    /// Whether the next start is a probe, for which nobody waits.
    pub(super) fn is_probing(&self, timing: &Timing) -> bool {
        self.failures >= timing.failures || self.refusals > 0
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::{Recovery, State, Timing};

    #[test]
    fn pauses_double_until_the_upstream_is_disabled() {
        let timing = Timing { failures: 9, ..Timing::default() };
        let mut recovery = Recovery::default();
        let pauses: Vec<u64> = (0..8).map(|_| recovery.failed(&timing, 0.0).1.as_secs()).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert!(!recovery.is_probing(&timing));
        assert_eq!(recovery.failed(&timing, 0.0), (State::Disabled, timing.probe));
        assert!(recovery.is_probing(&timing));
        assert_eq!(recovery.failed(&timing, 0.0), (State::Disabled, timing.probe));
    }

    #[test]
    fn only_a_steady_upstream_has_recovered() {
        let timing = Timing::default();
        let mut recovery = Recovery::default();
        for _ in 0..3 {
            recovery.failed(&timing, 0.0);
        }
        recovery.was_ready(Duration::from_secs(59), &timing);
        assert_eq!(recovery.failed(&timing, 0.0), (State::Backoff, Duration::from_secs(8)));
        recovery.was_ready(Duration::from_mins(1), &timing);
        assert_eq!(recovery.failed(&timing, 0.0), (State::Backoff, Duration::ZERO));
        recovery.was_ready(Duration::from_secs(59), &timing);
        assert_eq!(recovery.failed(&timing, 0.0), (State::Backoff, Duration::from_secs(2)));
    }

    #[test]
    fn pauses_after_refused_credentials_grow() {
        let timing = Timing::default();
        let mut recovery = Recovery::default();
        let pauses: Vec<u64> = (0..4).map(|_| recovery.refused(&timing).1.as_secs() / 60).collect();
        assert_eq!(pauses, [5, 15, 60, 60]);
        recovery.was_ready(Duration::ZERO, &timing);
        assert_eq!(recovery.refused(&timing).1, Duration::from_mins(5));
    }

    proptest! {
        #[test]
        fn pauses_stay_within_their_bounds(chances in prop::collection::vec(-2.0..2.0, 1..40)) {
            let timing = Timing { failures: 100, ..Timing::default() };
            let mut recovery = Recovery::default();
            for chance in chances {
                let (_, pause) = recovery.failed(&timing, chance);
                prop_assert!(pause >= timing.first_pause.mul_f64(0.79));
                prop_assert!(pause <= timing.longest_pause.mul_f64(1.21));
            }
        }
    }
}
