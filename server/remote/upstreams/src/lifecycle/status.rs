//! The state of an upstream, and why it is in it.

use std::fmt;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::tools::ServerInfo;

/// The state of an upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It starts with its first call.
    Idle,
    /// It is being started.
    Starting,
    /// It can be called.
    Ready,
    /// It failed, and is started again after a pause.
    Backoff,
    /// It failed several times. A probe now and then finds out whether it works again.
    Disabled,
    /// It refuses the credentials. It is tried again after long pauses.
    Refused,
    /// The operator has switched it off.
    Off,
    /// It is being stopped.
    Stopping,
    /// It is no longer supervised.
    Stopped,
}

impl State {
    /// Returns the name in lower case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::Backoff => "backoff",
            Self::Disabled => "disabled",
            Self::Refused => "auth",
            Self::Off => "off",
            Self::Stopping => "stopping",
            Self::Stopped => "stopped",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The state of an upstream, and why it is in it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Status {
    pub state: State,
    /// Since when.
    pub since: Instant,
    /// The last failure, in sentences.
    pub reason: Option<String>,
    /// The end of the program's standard error at the last failure.
    pub output: Option<String>,
    /// When it is started again.
    pub retry_at: Option<Instant>,
    /// How often it has become ready.
    pub starts: u64,
    /// What it says about itself, since it was ready for the first time.
    pub server: Option<ServerInfo>,
    /// The number of its tools that can be used.
    pub tools: usize,
}

impl Status {
    pub(super) fn new(state: State) -> Self {
        Self {
            state,
            since: Instant::now(),
            reason: None,
            output: None,
            retry_at: None,
            starts: 0,
            server: None,
            tools: 0,
        }
    }

    /// The time until the next start.
    pub fn retry_in(&self) -> Option<Duration> {
        self.retry_at.map(|at| at.saturating_duration_since(Instant::now()))
    }

    /// The failure of a call that cannot wait for the upstream.
    pub(super) fn unavailable(&self, upstream: &str) -> Failure {
        let why = self.reason.as_deref().map(|reason| format!(" {reason}")).unwrap_or_default();
        let (what, hint) = match self.state {
            State::Off => ("is switched off", "Enable the upstream."),
            State::Refused => ("refuses the credentials", "Check its credentials, and restart it."),
            State::Disabled => {
                ("failed several times", "Mend the cause, and restart the upstream.")
            }
            State::Stopping | State::Stopped => ("is stopped", "Start the server again."),
            _ => ("is not ready", "Try again, or restart the upstream."),
        };
        let failure = Failure::unavailable(format!("The upstream `{upstream}` {what}.{why}"));
        let failure = failure.hinting(hint);
        match self.retry_in() {
            Some(wait) => failure.after(wait),
            None => failure,
        }
    }
}
