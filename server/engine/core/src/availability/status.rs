//! The state of one provider, from the results of probes and calls.

use std::time::Duration;

use crate::authority::InvalidDynamicOperation;

/// Failures in a row that disable a provider.
const MOST_FAILURES: u32 = 3;
/// The time until a provider that has failed is examined again. It doubles with each further failure.
const FIRST_RETRY: Duration = Duration::from_secs(1);
/// The longest time until then.
const LAST_RETRY: Duration = Duration::from_mins(1);

/// Why a provider cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It is not installed.
    NotInstalled,
    /// It is installed, and switched off.
    Disabled,
    /// It needs configuration, such as a key.
    NeedsConfiguration,
    /// It must be started.
    NotRunning,
    /// It has failed.
    Failed,
}

impl Reason {
    /// Returns the name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::NotInstalled => "not_installed",
            Reason::Disabled => "disabled",
            Reason::NeedsConfiguration => "needs_configuration",
            Reason::NotRunning => "not_running",
            Reason::Failed => "failed",
        }
    }
}

/// Why a provider cannot be used, and what would change that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unavailable {
    /// The kind of the reason.
    pub reason: Reason,
    /// What is the case, as a sentence.
    pub message: String,
    /// What would make it available, as a sentence for the operator.
    pub remedy: String,
}

impl Unavailable {
    /// Creates the reason. `message` and `remedy` are sentences.
    pub fn new(reason: Reason, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { reason, message: message.into(), remedy: remedy.into() }
    }
}

/// The result of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probe {
    /// It can be used.
    Available {
        /// Its version, if known.
        version: Option<String>,
    },
    /// It cannot be used.
    Unavailable(Unavailable),
}

/// What is known of a provider.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProviderStatus {
    /// The last probe that succeeded; `None` before the first.
    last: Option<Probe>,
    /// Failed probes since then.
    failures: u32,
    /// Why the last of them failed, or why calls did.
    failure: Option<String>,
    /// Calls in a row that failed because of the provider.
    failed_calls: u32,
    /// How often calls have disabled it since one succeeded.
    relapses: u32,
    /// Why operations that it offers are not added.
    refused: Vec<String>,
    /// What it cannot use.
    problems: Vec<String>,
    /// How its operations are used.
    instructions: Option<String>,
}

impl ProviderStatus {
    /// Whether it can be used.
    pub fn is_available(&self) -> bool {
        matches!(self.last, Some(Probe::Available { .. })) && !self.is_disabled()
    }

    /// Whether repeated failures have disabled it.
    fn is_disabled(&self) -> bool {
        self.failures >= MOST_FAILURES || self.failed_calls >= MOST_FAILURES
    }

    /// Returns its version, if it is available and has one.
    pub fn version(&self) -> Option<&str> {
        match &self.last {
            Some(Probe::Available { version }) if self.is_available() => version.as_deref(),
            _ => None,
        }
    }

    /// Returns why it cannot be used; `None` if it can.
    pub fn unavailable(&self) -> Option<Unavailable> {
        if self.is_available() {
            return None;
        }
        Some(match (&self.last, &self.failure) {
            (Some(Probe::Unavailable(why)), _) if !self.is_disabled() => why.clone(),
            (_, Some(failure)) => Unavailable::new(
                Reason::Failed,
                format!("It has failed: {failure}"),
                "The server tries again by itself. Its log has the details.",
            ),
            _ => Unavailable::new(
                Reason::Failed,
                "It has not been examined yet.",
                "Try again in a moment.",
            ),
        })
    }

    /// Returns why it failed last, also while it can still be used; `None` if it has not failed since.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Returns why operations that it offers are not added.
    pub fn refused(&self) -> &[String] {
        &self.refused
    }

    /// Returns what it cannot use and its user can correct.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Returns how it says that its operations are used, if it is available.
    pub fn instructions(&self) -> Option<&str> {
        self.instructions.as_deref().filter(|_| self.is_available())
    }

    /// Adds the result of a probe. A success ends earlier failures. After failed calls it gives the provider one
    /// more chance.
    pub(crate) fn probed(&mut self, probe: Probe) {
        self.last = Some(probe);
        self.failures = 0;
        self.failure = None;
        self.failed_calls = self.failed_calls.min(MOST_FAILURES - 1);
    }

    /// Adds a failed probe.
    pub(crate) fn failed(&mut self, why: impl Into<String>) {
        self.failures = self.failures.saturating_add(1);
        self.failure = Some(why.into());
    }

    /// Sets why operations that it offers are not added.
    pub(crate) fn refuse(&mut self, refused: &[InvalidDynamicOperation]) {
        self.refused = refused.iter().map(ToString::to_string).collect();
    }

    /// Whether this operation was refused before for the same reason.
    pub(crate) fn refuses(&self, refused: &InvalidDynamicOperation) -> bool {
        self.refused.contains(&refused.to_string())
    }

    /// Sets what it cannot use.
    pub(crate) fn report(&mut self, problems: Vec<String>) {
        self.problems = problems;
    }

    /// Sets how its operations are used.
    pub(crate) fn instruct(&mut self, instructions: Option<String>) {
        self.instructions = instructions;
    }

    /// Adds a call that succeeded, or that failed for another reason than the provider.
    pub(crate) fn served(&mut self) {
        self.failed_calls = 0;
        self.relapses = 0;
    }

    /// Adds a call that failed because of the provider.
    pub(crate) fn call_failed(&mut self, why: impl Into<String>) {
        self.failed_calls = self.failed_calls.saturating_add(1);
        if self.failed_calls == MOST_FAILURES {
            self.relapses = self.relapses.saturating_add(1);
            self.failure = Some(why.into());
        }
    }

    /// Returns how long to wait before it is examined again; `None` if it has not failed.
    pub(crate) fn retry(&self) -> Option<Duration> {
        let times = if self.failures > 0 {
            self.failures
        } else if self.failed_calls >= MOST_FAILURES {
            self.relapses
        } else {
            return None;
        };
        let factor = 1u32.checked_shl(times.saturating_sub(1)).unwrap_or(u32::MAX);
        Some(FIRST_RETRY.saturating_mul(factor).min(LAST_RETRY))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn available() -> Probe {
        Probe::Available { version: Some("1.2".to_owned()) }
    }

    #[test]
    fn only_repeated_failures_disable_a_provider_and_a_probe_enables_it_again() {
        let mut status = ProviderStatus::default();
        assert!(!status.is_available(), "not yet examined");
        status.probed(available());
        for waited in [1, 2] {
            status.failed("no answer");
            assert_eq!(status.retry(), Some(Duration::from_secs(waited)));
            assert!(status.is_available(), "it was available a moment ago");
            assert_eq!(status.failure(), Some("no answer"));
        }
        status.failed("no answer");
        assert!(!status.is_available());
        assert_eq!(status.unavailable().map(|why| why.reason), Some(Reason::Failed));
        for _ in 0..40 {
            status.failed("no answer");
        }
        assert_eq!(status.retry(), Some(LAST_RETRY));
        status.probed(available());
        assert_eq!((status.version(), status.retry()), (Some("1.2"), None));
        assert_eq!(status.failure(), None);
    }

    #[test]
    fn failing_calls_disable_a_provider_and_each_relapse_lasts_longer() {
        let mut status = ProviderStatus::default();
        status.probed(available());
        for waited in [1, 2, 4] {
            while status.is_available() {
                status.call_failed("broken");
            }
            assert_eq!(status.retry(), Some(Duration::from_secs(waited)));
            status.probed(available());
            assert!(status.is_available());
        }
        status.call_failed("broken");
        assert!(!status.is_available(), "one more failure is enough after a relapse");
        status.probed(available());
        status.served();
        status.call_failed("broken");
        assert!(status.is_available(), "a success ends the row of failures");
    }
}
