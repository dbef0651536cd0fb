//! What an operator watches of a replica.

use std::time::Duration;

/// How a replica is now. `None` is not known yet.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ReplicaFigures {
    /// How many replicas serve, with this one.
    pub replicas: u32,
    /// The time since the last renewal of its lease was sent.
    pub renewal_age: Option<Duration>,
    /// How long the oldest record of the audit has waited to be written; zero if none waits.
    pub oldest_record: Duration,
    /// How far the clock of the store is ahead of this machine's, in seconds.
    pub clock_offset: Option<f64>,
    /// The days after today for which the audit has room.
    pub days_ahead: Option<u32>,
    /// Calls with an idempotency key of the last ten minutes whose replica has ended, so that it is unknown whether they were
    /// done. One replica counts them for all.
    pub unfinished: Option<u64>,
}
