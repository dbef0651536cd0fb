//! A connection to an upstream: from its begin, and the first list of tools, to its end.

mod answer;
mod delivery;
mod handler;
mod in_flight;
mod lines;
mod lists;
mod opening;
mod remote;
mod renewals;
mod session;
mod subscribing;
mod subscriptions;
mod unanswered;
mod watched;

use std::sync::Arc;
use std::time::Duration;

use rmcp::service::RunningServiceCancellationToken;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::task::AbortOnDropHandle;

use crate::process::Process;
pub(crate) use handler::Listening;
pub(crate) use lists::Listed;
pub(crate) use opening::{OpenError, Shared, open};
pub(crate) use remote::Refusal;
pub use remote::http_client;
pub(crate) use renewals::Repeatable;
pub(crate) use session::Session;
pub(crate) use subscriptions::Subscriptions;

/// How long the protocol may take to end before its transport is dropped.
const CLOSING: Duration = Duration::from_secs(1);
/// How long what a program wrote last may take to be read after it has ended.
const DRAINING: Duration = Duration::from_millis(200);

/// A connection, and the program behind it if we have started one. Dropping it ends both.
pub(crate) struct Connection {
    pub(crate) session: Arc<Session>,
    /// The current lists.
    pub(crate) lists: watch::Receiver<Listed>,
    process: Option<Process>,
    service: JoinHandle<()>,
    cancel: Option<RunningServiceCancellationToken>,
    _following: AbortOnDropHandle<()>,
}

impl Connection {
    /// Waits until the upstream has ended or has closed the connection.
    pub(crate) async fn ended(&mut self) {
        let Some(process) = &mut self.process else { return self.session.ended().await };
        tokio::select! {
            () = self.session.ended() => {}
            _ = process.exited() => {
                // Another process may hold the output open.
                let _ = tokio::time::timeout(DRAINING, self.session.ended()).await;
                self.session.end();
            }
        }
    }

    /// Returns why the program has ended, and the end of its standard error.
    pub(crate) async fn last_words(&mut self) -> (Option<String>, Option<String>) {
        last_words(self.process.as_mut()).await
    }

    /// Ends the connection, and the program if there is one: its standard input is closed first.
    pub(crate) async fn stop(mut self, patience: Duration) {
        self.session.end();
        if let Some(cancel) = self.cancel.take() {
            cancel.cancel();
        }
        if tokio::time::timeout(CLOSING, &mut self.service).await.is_err() {
            self.service.abort();
        }
        if let Some(process) = self.process.take() {
            process.stop(patience).await;
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.session.end();
        if let Some(cancel) = self.cancel.take() {
            cancel.cancel();
        }
    }
}

async fn last_words(process: Option<&mut Process>) -> (Option<String>, Option<String>) {
    let Some(process) = process else { return (None, None) };
    let (status, output) = process.last_words().await;
    let status = status.map(|status| format!("The program ended with {status}."));
    (status, Some(output).filter(|output| !output.is_empty()))
}
