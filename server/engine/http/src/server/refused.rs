//! Counts requests that cannot be identified, and logs some of them. The log is rate-limited, because an
//! attacker must not fill it. The audit records calls; these requests are refused before they become one.

use std::sync::Arc;
use std::time::Duration;

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};

use crate::identity::Unidentified;
use crate::metrics::Metrics;

/// Time between two log lines, after a first burst.
const PAUSE: Duration = Duration::from_secs(10);

pub(super) struct Refused {
    metrics: Arc<Metrics>,
    /// `None`, and thus no log lines, only if `PAUSE` were zero.
    lines: Option<DefaultDirectRateLimiter>,
}

impl Refused {
    pub(super) fn new(metrics: Arc<Metrics>) -> Self {
        Self { metrics, lines: Quota::with_period(PAUSE).map(RateLimiter::direct) }
    }

    pub(super) fn note(&self, why: Unidentified) {
        let count = self.metrics.unidentified(why);
        if self.lines.as_ref().is_some_and(|lines| lines.check().is_ok()) {
            tracing::warn!(
                reason = why.as_str(),
                count,
                "refused a request without a valid credential"
            );
        }
    }
}
