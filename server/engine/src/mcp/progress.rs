//! Reports of progress, as notifications.

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::context::{Progress, ProgressSink};

/// A handler's progress on its way to the client, in order and before the result.
pub(super) struct Reports {
    pub(super) sink: ProgressSink,
    ended: CancellationToken,
    sending: JoinHandle<()>,
}

impl Reports {
    pub(super) fn to(peer: Peer<RoleServer>, token: ProgressToken) -> Self {
        let (sink, mut reports) = mpsc::unbounded_channel::<Progress>();
        let ended = CancellationToken::new();
        let end = ended.clone();
        let sending = tokio::spawn(async move {
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
                let mut notification = ProgressNotificationParam::new(token.clone(), report.done);
                notification.total = report.total;
                notification.message = report.message;
                if peer.notify_progress(notification).await.is_err() {
                    break;
                }
            }
        });
        Self { sink, ended, sending }
    }

    /// Completes when everything reported has been sent. Blocking work that outlives its call may
    /// still hold the sink.
    pub(super) async fn end(self) {
        self.ended.cancel();
        // A panic in it would be a defect of the SDK, and concerns reports alone.
        let _ = self.sending.await;
    }
}
