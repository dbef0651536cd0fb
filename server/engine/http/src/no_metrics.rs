//! Replaces `metrics` in a build without that feature: counts only refused credentials, for the log.

use crate::identity::Unidentified;
use toolwrit_core::audit::counters::{Counter, Counters};
use toolwrit_core::audit::record::Record;
use toolwrit_core::audit::recorder::Observer;
use toolwrit_core::audit::storage::State;
use toolwrit_core::authority::Authority;

/// Counts requests refused for their credential, by [`Unidentified`].
#[derive(Default)]
pub struct Metrics([Counter; Unidentified::COUNT]);

impl Metrics {
    /// Creates the counters; the arguments are those of the full build.
    pub fn new(_: &Authority, _: &Counters, _: &State) -> Self {
        Self::default()
    }

    /// Counts a request without a valid credential. Returns the count for this reason.
    pub(crate) fn unidentified(&self, why: Unidentified) -> u64 {
        let counter = &self.0[why as usize];
        counter.inc();
        counter.get()
    }
}

impl Observer for Metrics {
    fn ended(&self, _: &Record) {}
}
