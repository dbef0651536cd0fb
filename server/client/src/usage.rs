//! What was fetched, and what it cost.

use jiff::Timestamp;

/// What a client's tools cost a model, against the whole list each time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// When counting began.
    pub since: Timestamp,
    /// How often tools were fetched.
    pub requests: u64,
    /// How often the server need not be asked.
    pub hits: u64,
    /// o200k tokens of whole lists, for each request again.
    pub full_tokens: u64,
    /// o200k tokens of what was fetched.
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

    /// How much less was fetched than whole lists are, in percent. Below 0 where operations with their
    /// signatures are longer than the short list that leads to them; 0 before anything was fetched.
    #[expect(clippy::cast_precision_loss, reason = "sums of tokens are far below 2^52")]
    pub fn reduction_percent(&self) -> f64 {
        if self.full_tokens == 0 {
            return 0.0;
        }
        100.0 * (1.0 - self.sent_tokens as f64 / self.full_tokens as f64)
    }
}
