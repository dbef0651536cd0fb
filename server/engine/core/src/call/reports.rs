//! The reports of a running handler: progress and log messages.

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// The channel for a handler's reports, for those that the client asked for.
#[derive(Debug, Clone, Default)]
pub struct Reports {
    /// For progress; `None` if the client did not ask for it.
    pub progress: Option<Sender<HandlerReport>>,
    /// For log messages from this level on; `None` if the client did not ask for them.
    pub log: Option<(Level, Sender<HandlerReport>)>,
}

impl Reports {
    /// Reports that the channel holds. A handler does not wait for a client that reads slowly: further
    /// reports are dropped.
    const WAITING: usize = 1024;

    /// Creates a channel for reports.
    pub fn channel() -> (Sender<HandlerReport>, Receiver<HandlerReport>) {
        channel(Self::WAITING)
    }
}

/// Sends a report. Drops it if the channel is full, or closed because the client has disconnected.
pub(crate) fn send(sink: &Sender<HandlerReport>, report: HandlerReport) {
    if sink.try_send(report).is_ok()
        && let Ok(runtime) = Handle::try_current()
    {
        // The receiver is now ready on this worker, which the handler may block next. Other workers can
        // take any ready task from this one except the last.
        drop(runtime.spawn(async {}));
    }
}

/// A report of a running handler.
#[derive(Debug, Clone, PartialEq)]
pub enum HandlerReport {
    /// The progress of the handler.
    Progress(Progress),
    /// A log message.
    Log(Level, Value),
}

/// The severity of a log message, as in syslog (RFC 5424), the least severe first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Details for debugging.
    Debug,
    /// Normal operation.
    Info,
    /// Normal, but significant.
    Notice,
    /// A possible problem.
    Warning,
    /// A failure.
    Error,
    /// The failure of a part of the server.
    Critical,
    /// A state that requires immediate action.
    Alert,
    /// The server cannot be used.
    Emergency,
}

/// The progress of a handler.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// How much is done.
    pub done: f64,
    /// How much there is to do; `None` if unknown.
    pub total: Option<f64>,
    /// What the handler is doing.
    pub message: Option<String>,
}
