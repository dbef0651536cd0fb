//! What a handler tells its caller while it works: progress and log messages.

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Where a handler's reports go, in their order, as far as the caller wants them.
#[derive(Debug, Clone, Default)]
pub struct Reports {
    /// For progress, if the caller wants it.
    pub progress: Option<Sender<Report>>,
    /// The least severe messages that the caller wants.
    pub log: Option<(Level, Sender<Report>)>,
}

impl Reports {
    /// Reports in the queue to the sender. A handler does not wait for a caller who reads slowly: further
    /// reports are lost.
    const WAITING: usize = 1024;

    /// A way for reports.
    pub fn channel() -> (Sender<Report>, Receiver<Report>) {
        channel(Self::WAITING)
    }
}

/// Sends a report, unless nobody receives it any more: then the call ends on its own.
pub(crate) fn send(sink: &Sender<Report>, report: Report) {
    if sink.try_send(report).is_ok()
        && let Ok(runtime) = Handle::try_current()
    {
        // The receiver has become ready on this worker, which the handler may block next. tokio lets other
        // workers take each ready task but the last.
        drop(runtime.spawn(async {}));
    }
}

/// What a handler tells while it works.
#[derive(Debug, Clone, PartialEq)]
pub enum Report {
    /// How far it has come.
    Progress(Progress),
    /// A log message.
    Log(Level, Value),
}

/// How severe a log message is, as in syslog (RFC 5424), the least severe first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// For people who debug the server.
    Debug,
    /// What happens.
    Info,
    /// What is normal, and worth a look.
    Notice,
    /// What may become a problem.
    Warning,
    /// Something failed.
    Error,
    /// A part of the server is down.
    Critical,
    /// Someone must act at once.
    Alert,
    /// The server cannot be used.
    Emergency,
}

/// How far a handler has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// How much is done.
    pub done: f64,
    /// How much there is to do, if that is known.
    pub total: Option<f64>,
    /// What it is doing.
    pub message: Option<String>,
}
