//! What the operator learns of requests that nobody can be found behind: a count of each, and a line in the
//! log for some. Whoever sends them must not fill the log. The audit has calls, and these are none yet.

use std::sync::Arc;
use std::time::Duration;

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};

use crate::identity::Unidentified;
use crate::metrics::Metrics;

/// Between two lines, once several have been written.
const PAUSE: Duration = Duration::from_secs(10);

pub(super) struct Refused {
    metrics: Arc<Metrics>,
    /// None if there is no such pause, and so no line.
    lines: Option<DefaultDirectRateLimiter>,
}

impl Refused {
    pub(super) fn new(metrics: Arc<Metrics>) -> Self {
        Self { metrics, lines: Quota::with_period(PAUSE).map(RateLimiter::direct) }
    }

    pub(super) fn note(&self, why: Unidentified) {
        let count = self.metrics.unidentified(why);
        if self.lines.as_ref().is_some_and(|lines| lines.check().is_ok()) {
            tracing::warn!(reason = why.as_str(), count, "a request without a good credential");
        }
    }
}
