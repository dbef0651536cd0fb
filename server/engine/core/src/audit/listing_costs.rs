//! What tool listings cost their callers, in tokens.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::caller::principal::Principal;

/// The costs counted for each principal.
#[derive(Debug, Clone)]
pub struct AccountCosts {
    /// When counting began.
    pub since: Timestamp,
    /// The totals by name: of the principal, or of the user for whom a caller without an account asked.
    pub totals: BTreeMap<String, Total>,
}

/// The costs of the listings of one principal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Total {
    /// Listings that were sent.
    pub requests: u64,
    /// Tokens that full listings would have had; `None` if the program cannot count tokens.
    pub full: Option<u64>,
    /// Tokens of the listings that were sent; `None` if the program cannot count tokens.
    pub sent: Option<u64>,
}

impl Total {
    /// The total of no listings.
    pub const NOTHING: Total = Total { requests: 0, full: Some(0), sent: Some(0) };

    /// Adds other listings.
    pub fn add(&mut self, other: Total) {
        let sum = |a: Option<u64>, b: Option<u64>| Some(a?.saturating_add(b?));
        self.requests += other.requests;
        self.full = sum(self.full, other.full);
        self.sent = sum(self.sent, other.sent);
    }

    /// The percentage of tokens saved, in tenths; 0 if no full listing was counted. `None` if the program
    /// cannot count tokens.
    pub fn reduction_percent(self) -> Option<f64> {
        let (full, sent) = (self.full?, self.sent?);
        let left = if full == 0 { 1000 } else { rounded(1000 * sent, full) };
        Some(tenths(1000 - left))
    }
}

impl AccountCosts {
    /// Returns empty totals that begin now.
    pub fn since_now() -> Self {
        Self { since: Timestamp::now(), totals: BTreeMap::new() }
    }

    /// Adds to the totals of these principals.
    pub fn add(&mut self, totals: impl IntoIterator<Item = (String, Total)>) {
        for (principal, total) in totals {
            self.totals.entry(principal).or_insert(Total::NOTHING).add(total);
        }
    }

    /// Returns the sum of these and the saved costs.
    #[must_use]
    pub fn with(mut self, saved: AccountCosts) -> Self {
        self.since = self.since.min(saved.since);
        self.add(saved.totals);
        self
    }

    /// Returns the total of all principals.
    pub fn total(&self) -> Total {
        self.totals.values().fold(Total::NOTHING, |mut sum, total| {
            sum.add(*total);
            sum
        })
    }

    /// Returns the total of one principal.
    pub fn total_of(&self, principal: &Principal) -> Total {
        self.totals.get(principal.as_str()).copied().unwrap_or(Total::NOTHING)
    }

    /// Reports the sums over all principals and those of each, as JSON.
    pub fn report(&self) -> Value {
        let mut report = self.sums(self.total());
        let all = self.totals.iter().map(|(name, total)| self.sums_with_name(name, *total));
        report["principals"] = all.collect();
        report
    }

    /// Reports the sums of one principal, as JSON.
    pub fn report_of(&self, principal: &Principal) -> Value {
        self.sums(self.total_of(principal))
    }

    /// Reports the sums of one principal with its name, as JSON.
    pub fn named_report_of(&self, principal: &Principal) -> Value {
        self.sums_with_name(principal.as_str(), self.total_of(principal))
    }

    fn sums_with_name(&self, name: &str, total: Total) -> Value {
        let mut sums = self.sums(total);
        sums["name"] = name.into();
        sums
    }

    /// The sums as JSON, without unknown values.
    fn sums(&self, total: Total) -> Value {
        let since = format!("{:.3}", self.since);
        let side = |tokens: Option<u64>| match tokens {
            Some(tokens) => json!({
                "requests": total.requests,
                "totalTokens": tokens,
                "avgTokensPerRequest": tenths(rounded(10 * tokens, total.requests)),
                "since": since,
            }),
            None => json!({ "requests": total.requests, "since": since }),
        };
        let mut sums = json!({ "baseline": side(total.full), "filtered": side(total.sent) });
        match total.reduction_percent() {
            Some(percent) => {
                sums["reductionPercent"] = percent.into();
                sums["reduction"] = format!("{percent}%").into();
            }
            None => sums["reason"] = "tokens_not_counted".into(),
        }
        sums
    }
}

/// The nearest whole number; 0 if `whole` is 0.
fn rounded(part: u64, whole: u64) -> i64 {
    let nearest = (part + whole / 2).checked_div(whole).unwrap_or_default();
    i64::try_from(nearest).unwrap_or(i64::MAX)
}

/// Tenths as a decimal number.
#[expect(clippy::cast_precision_loss, reason = "sums of tokens are far below 2^53")]
fn tenths(number: i64) -> f64 {
    number as f64 / 10.0
}
