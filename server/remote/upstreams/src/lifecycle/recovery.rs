//! When an upstream that failed is started again. The seconds are in `model/timing`.

use std::time::Duration;

use super::State;
use crate::model::Timing;

/// Counts failures. It knows no clock.
#[derive(Debug, Default)]
pub(super) struct Recovery {
    failures: u32,
    refusals: usize,
}

impl Recovery {
    /// After a failure. `chance` is between -1 and 1. Returns the state, and the pause before the next start.
    pub(super) fn failed(&mut self, timing: &Timing, chance: f64) -> (State, Duration) {
        self.refusals = 0;
        self.failures = self.failures.saturating_add(1);
        if self.failures >= timing.failures {
            return (State::Disabled, timing.probe);
        }
        let at = usize::try_from(self.failures - 1).unwrap_or(usize::MAX);
        let pause = timing.pauses.get(at).or(timing.pauses.last()).copied().unwrap_or_default();
        let factor = (1.0 + chance.clamp(-1.0, 1.0) * timing.jitter).max(0.0);
        (State::Backoff, pause.mul_f64(factor))
    }

    /// Whether the next start should begin as starts usually do, in place of as the last one that went well did.
    pub(super) fn doubts_era(&self) -> bool {
        self.failures % 3 == 2
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
    use crate::model::{Endpoint, Remote};

    fn pauses_of(timing: &Timing, many: usize) -> Vec<f64> {
        let mut recovery = Recovery::default();
        (0..many).map(|_| recovery.failed(timing, 0.0).1.as_secs_f64()).collect()
    }

    fn remote() -> Timing {
        Timing::for_endpoint(&Endpoint::Remote(Remote::new("https://a.example")))
    }

    #[test]
    fn pauses_grow_and_a_program_is_disabled_at_last() {
        let programs = [0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 60.0, 300.0, 300.0];
        assert_eq!(pauses_of(&Timing::default(), 10), programs);
        let remotes = [0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 60.0, 60.0];
        assert_eq!(pauses_of(&remote(), 11), remotes);
        let (timing, mut recovery) = (Timing::default(), Recovery::default());
        for _ in 0..8 {
            assert_eq!(recovery.failed(&timing, 0.0).0, State::Backoff);
        }
        assert!(!recovery.is_probing(&timing));
        assert_eq!(recovery.failed(&timing, 0.0), (State::Disabled, timing.probe));
        assert!(recovery.is_probing(&timing));
    }

    #[test]
    fn only_a_steady_upstream_has_recovered() {
        let timing = Timing::default();
        let mut recovery = Recovery::default();
        for _ in 0..3 {
            recovery.failed(&timing, 0.0);
        }
        recovery.was_ready(Duration::from_secs(9), &timing);
        assert_eq!(recovery.failed(&timing, 0.0), (State::Backoff, Duration::from_secs(4)));
        recovery.was_ready(Duration::from_secs(10), &timing);
        assert_eq!(recovery.failed(&timing, 0.0), (State::Backoff, Duration::ZERO));
        recovery.was_ready(Duration::from_secs(9), &timing);
        assert_eq!(recovery.failed(&timing, 0.0), (State::Backoff, Duration::from_secs(1)));
    }

    /// Seconds from the end of an outage until a remote server is ready again, with a call every three seconds, from the
    /// first one at `phase`.
    fn recovered(outage: f64, phase: f64, calls_start: bool) -> f64 {
        let (timing, mut recovery) = (remote(), Recovery::default());
        let half_open = timing.half_open.as_secs_f64();
        let mut attempt = 0.0;
        while attempt < outage {
            let due = attempt + recovery.failed(&timing, 0.0).1.as_secs_f64();
            let calls = (0..).map(|call| phase + 3.0 * f64::from(call));
            let mut calls = calls.skip_while(|call| *call < attempt + half_open);
            let called = calls.next().filter(|_| calls_start).unwrap_or(f64::INFINITY);
            attempt = due.min(called);
        }
        attempt - outage
    }

    #[test]
    fn a_short_outage_is_soon_forgotten() {
        let median = |outage: f64, calls_start| {
            let phases = (0..30).map(|at| f64::from(at) / 10.0);
            let mut all: Vec<f64> = phases.map(|at| recovered(outage, at, calls_start)).collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        };
        for (outage, most, most_with_calls) in
            [(5.0, 3.0, 3.0), (17.0, 14.0, 6.0), (120.0, 31.0, 6.0)]
        {
            let (alone, called) = (median(outage, false), median(outage, true));
            assert!(alone <= most && called <= most_with_calls, "{outage}: {alone} {called}");
        }
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
                prop_assert!(pause <= Duration::from_mins(1).mul_f64(1.21));
            }
        }
    }
}
