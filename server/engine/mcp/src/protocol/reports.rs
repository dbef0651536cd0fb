//! Sends the reports of running handlers, progress and log messages, as notifications.
#![expect(deprecated, reason = "clients without `server/discover` still request log messages")]

use rmcp::RoleServer;
use rmcp::model::{
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{Peer, RequestContext};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use toolwrit_core::call::reports::{HandlerReport, Level, Reports};

/// Forwards a handler's reports to the client, in order and before the result.
pub(super) struct Forwarding {
    ended: CancellationToken,
    sending: JoinHandle<()>,
}

impl Forwarding {
    /// Starts to forward what the request asks for: progress if it has a token, log messages from `level`
    /// on. `None` if it asks for neither.
    pub(super) fn start(
        cx: &RequestContext<RoleServer>,
        level: Option<Level>,
    ) -> (Option<Self>, Reports) {
        let token = cx.meta.get_progress_token();
        if token.is_none() && level.is_none() {
            return (None, Reports::default());
        }
        let (sink, reports) = Reports::channel();
        let wanted = Reports {
            progress: token.is_some().then(|| sink.clone()),
            log: level.map(|level| (level, sink)),
        };
        let ended = CancellationToken::new();
        let sending = tokio::spawn(forward(reports, ended.clone(), cx.peer.clone(), token));
        (Some(Self { ended, sending }), wanted)
    }

    /// Completes when every report has been sent. Does not wait until all senders are dropped: blocking work
    /// that outlives its call may still hold one.
    pub(super) async fn end(self) {
        self.ended.cancel();
        // If the task panicked, only reports are lost; the result can still be sent.
        let _ = self.sending.await;
    }
}

async fn forward(
    mut reports: mpsc::Receiver<HandlerReport>,
    end: CancellationToken,
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
) {
    loop {
        let report = tokio::select! {
            report = reports.recv() => report,
            () = end.cancelled(), if !reports.is_closed() => {
                // Queued reports are still sent; later ones are dropped.
                reports.close();
                continue;
            }
        };
        let Some(report) = report else { break };
        if !send(&peer, token.as_ref(), report).await {
            break;
        }
    }
}

/// Sends one report. Returns `false` if the client has disconnected.
async fn send(
    peer: &Peer<RoleServer>,
    token: Option<&ProgressToken>,
    report: HandlerReport,
) -> bool {
    let sent = match (report, token) {
        (HandlerReport::Progress(progress), Some(token)) => {
            let mut notification = ProgressNotificationParam::new(token.clone(), progress.done);
            notification.total = progress.total;
            notification.message = progress.message;
            peer.notify_progress(notification).await
        }
        (HandlerReport::Progress(_), None) => return true,
        (HandlerReport::Log(level, data), _) => {
            let message = LoggingMessageNotificationParam::new(wire_level(level), data);
            peer.notify_logging_message(message).await
        }
    };
    sent.is_ok()
}

/// Returns the log level that the request itself asks for.
pub(super) fn wanted(cx: &RequestContext<RoleServer>) -> Option<Level> {
    cx.meta.log_level().map(level)
}

pub(super) fn level(level: LoggingLevel) -> Level {
    match level {
        LoggingLevel::Debug => Level::Debug,
        LoggingLevel::Info => Level::Info,
        LoggingLevel::Notice => Level::Notice,
        LoggingLevel::Warning => Level::Warning,
        LoggingLevel::Error => Level::Error,
        LoggingLevel::Critical => Level::Critical,
        LoggingLevel::Alert => Level::Alert,
        LoggingLevel::Emergency => Level::Emergency,
    }
}

pub(super) fn wire_level(level: Level) -> LoggingLevel {
    match level {
        Level::Debug => LoggingLevel::Debug,
        Level::Info => LoggingLevel::Info,
        Level::Notice => LoggingLevel::Notice,
        Level::Warning => LoggingLevel::Warning,
        Level::Error => LoggingLevel::Error,
        Level::Critical => LoggingLevel::Critical,
        Level::Alert => LoggingLevel::Alert,
        Level::Emergency => LoggingLevel::Emergency,
    }
}
