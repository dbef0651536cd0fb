//! What tool listings cost their callers, in tokens.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::principal::Principal;

/// The costs counted for each principal.
#[derive(Debug, Clone)]
pub struct AccountCosts {
    /// When counting began.
    pub since: Timestamp,
    /// The totals by name of the principal.
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
    pub fn of(&self, principal: &Principal) -> Total {
        self.totals.get(principal.as_str()).copied().unwrap_or(Total::NOTHING)
    }
}
