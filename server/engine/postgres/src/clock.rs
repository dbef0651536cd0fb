//! A clock that also runs while the machine sleeps, or its clock is set.

use std::time::Duration;

/// A moment of that clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(Duration);

impl Moment {
    /// The present moment.
    pub(crate) fn now() -> Self {
        Self(since_start())
    }

    /// The time since this moment.
    pub(crate) fn elapsed(self) -> Duration {
        since_start().saturating_sub(self.0)
    }
}

#[cfg(unix)]
fn since_start() -> Duration {
    use rustix::time::{ClockId, clock_gettime};

    // Elsewhere than on Linux, the monotonic clock itself goes on in sleep.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const CLOCK: ClockId = ClockId::Boottime;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const CLOCK: ClockId = ClockId::Monotonic;
    // It does not run backwards from zero.
    clock_gettime(CLOCK).try_into().unwrap_or_default()
}

#[cfg(not(unix))]
fn since_start() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;

    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}
