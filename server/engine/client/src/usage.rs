//! The number and cost of fetched tools.

use jiff::Timestamp;

/// The cost of the tools that a client fetched, compared with the complete list for each request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// When counting began.
    pub since: Timestamp,
    /// How often tools were fetched.
    pub requests: u64,
    /// How many of these requests were answered from the cache.
    pub hits: u64,
    /// o200k tokens of the complete list, summed over all requests.
    pub full_tokens: u64,
    /// o200k tokens of the fetched tools.
    pub sent_tokens: u64,
}

impl Usage {
    pub(super) fn since_now() -> Self {
        Self { since: Timestamp::now(), requests: 0, hits: 0, full_tokens: 0, sent_tokens: 0 }
    }

    pub(super) fn add(&mut self, full: u64, sent: u64, hit: bool) {
        self.requests += 1;
        self.hits += u64::from(hit);
        self.full_tokens = self.full_tokens.saturating_add(full);
        self.sent_tokens = self.sent_tokens.saturating_add(sent);
    }

    /// Returns by how many percent the fetched tools are smaller than complete lists; 0 before the first
    /// request. Negative if the signatures of operations are longer than the short list of a `meta` surface.
    #[expect(clippy::cast_precision_loss, reason = "sums of tokens are far below 2^52")]
    pub fn reduction_percent(&self) -> f64 {
        if self.full_tokens == 0 {
            return 0.0;
        }
        100.0 * (1.0 - self.sent_tokens as f64 / self.full_tokens as f64)
    }
}
