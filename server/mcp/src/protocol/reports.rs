//! What handlers tell while they work, progress and log messages, as notifications.
#![expect(deprecated, reason = "clients of the old era still ask for log messages")]

use rmcp::RoleServer;
use rmcp::model::{
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{Peer, RequestContext};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use toolwrit_core::reports::{Level, Report, Reports};

/// A handler's reports on their way to the client, in order and before the result.
pub(super) struct Forwarding {
    ended: CancellationToken,
    sending: JoinHandle<()>,
}

impl Forwarding {
    /// Forwards what the request asks for: progress with a token, messages of a level. Nothing is
    /// started when it asks for nothing.
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

    /// Completes when everything reported has been sent. Blocking work that outlives its call may
    /// still hold the sink.
    pub(super) async fn end(self) {
        self.ended.cancel();
        // A panic in it would be a defect of the SDK, and concerns reports alone.
        let _ = self.sending.await;
    }
}

async fn forward(
    mut reports: mpsc::Receiver<Report>,
    end: CancellationToken,
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
) {
    loop {
        let report = tokio::select! {
            report = reports.recv() => report,
            () = end.cancelled(), if !reports.is_closed() => {
                // What has been reported is still sent, but nothing is waited for.
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

/// Whether the client is still there.
async fn send(peer: &Peer<RoleServer>, token: Option<&ProgressToken>, report: Report) -> bool {
    let sent = match (report, token) {
        (Report::Progress(progress), Some(token)) => {
            let mut notification = ProgressNotificationParam::new(token.clone(), progress.done);
            notification.total = progress.total;
            notification.message = progress.message;
            peer.notify_progress(notification).await
        }
        (Report::Progress(_), None) => return true,
        (Report::Log(level, data), _) => {
            let message = LoggingMessageNotificationParam::new(wire_level(level), data);
            peer.notify_logging_message(message).await
        }
    };
    sent.is_ok()
}

/// The log messages that a request asks for itself.
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

fn wire_level(level: Level) -> LoggingLevel {
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
