//! How long to wait for an upstream.

use std::time::Duration;

use super::Endpoint;

/// How long to wait for what an upstream does, and before it is started again.
#[derive(Debug, Clone, PartialEq)]
pub struct Timing {
    /// For the start: the connection, its begin, and the list of tools.
    pub start: Duration,
    /// How long an upstream that starts with its first call stays without calls.
    pub unused: Duration,
    /// The silence after which a ping is sent.
    pub silence: Duration,
    /// For the answer to a ping.
    pub ping: Duration,
    /// Pings in a row without answer after which the upstream is lost.
    pub missed_pings: u32,
    /// The pauses before the starts after failures in a row. The last one repeats.
    pub pauses: Vec<Duration>,
    /// The part by which a pause is longer or shorter at random.
    pub jitter: f64,
    /// How long an upstream must have been ready so that its earlier failures are forgotten.
    pub steady: Duration,
    /// Failures in a row after which the upstream is disabled.
    pub failures: u32,
    /// The pause between probes of a disabled upstream.
    pub probe: Duration,
    /// How long ago the last start must have begun so that a call starts another one, before its pause has ended.
    pub half_open: Duration,
    /// How long such a call waits for the start.
    pub half_open_wait: Duration,
    /// The pauses while an upstream refuses the credentials. The last one repeats.
    pub refused: [Duration; 3],
    /// How long a program may take to end by itself, and after SIGTERM.
    pub stop: Duration,
}

impl Timing {
    /// The usual timing. Programs that may download the server have more time to start.
    pub fn for_endpoint(endpoint: &Endpoint) -> Self {
        let mut timing = Self::default();
        match endpoint {
            Endpoint::Command(command) if command.installs() => {
                timing.start = Duration::from_mins(2);
            }
            Endpoint::Command(_) => {}
            // A start costs little, and servers elsewhere return without anyone's help.
            Endpoint::Remote(_) => {
                timing.pauses = seconds([0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0]);
                timing.failures = u32::MAX;
                timing.half_open = Duration::from_secs(5);
            }
        }
        timing
    }
}

fn seconds<const N: usize>(pauses: [f64; N]) -> Vec<Duration> {
    pauses.map(Duration::from_secs_f64).to_vec()
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(30),
            unused: Duration::from_mins(10),
            silence: Duration::from_secs(30),
            ping: Duration::from_secs(5),
            missed_pings: 3,
            pauses: seconds([0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 60.0]),
            jitter: 0.2,
            steady: Duration::from_secs(10),
            failures: 9,
            probe: Duration::from_mins(5),
            half_open: Duration::from_secs(30),
            half_open_wait: Duration::from_secs(10),
            refused: [Duration::from_mins(5), Duration::from_mins(15), Duration::from_hours(1)],
            stop: Duration::from_secs(3),
        }
    }
}
