//! What a provider measures of itself.

use std::time::Duration;

/// What a provider that is another server measures of it, since this server has started. Metrics show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamFigures {
    /// The state of the connection, in lower case.
    pub state: &'static str,
    /// Whether it is starting, and has not said yet what it offers.
    pub is_starting: bool,
    /// Whether it can be called at once.
    pub is_ready: bool,
    /// How often it was started again.
    pub restarts: u64,
    /// Calls that it has received, or may have.
    pub calls: u64,
    /// How many of them failed.
    pub failures: u64,
    /// How long they took together.
    pub busy: Duration,
}
