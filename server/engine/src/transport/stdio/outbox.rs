//! Lines on their way out. Those that are ready together leave together: each write costs a call of the
//! system here, and wakes whoever reads.

use std::future::Future;
use std::io;
use std::sync::{Arc, MutexGuard, PoisonError};

use futures::FutureExt as _;
use rmcp::RoleServer;
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::StdioWriter;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::Mutex;

pub(super) struct Outbox {
    waiting: std::sync::Mutex<Vec<u8>>,
    writer: Mutex<StdioWriter>,
}

impl Outbox {
    pub(super) fn new(writer: StdioWriter) -> Self {
        Self { waiting: std::sync::Mutex::default(), writer: Mutex::new(writer) }
    }

    /// Completes when the message has been written, by this call or by one beside it.
    pub(super) async fn send(&self, message: &TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
        self.put(message)?;
        // What else is ready to be sent gets its turn.
        tokio::task::yield_now().await;
        self.write().await
    }

    /// Adds a message to those that wait to be written.
    pub(super) fn put(&self, message: &TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
        let mut waiting = self.waiting();
        let end = waiting.len();
        // Half a line must not leave.
        serde_json::to_writer(&mut *waiting, message).inspect_err(|_| waiting.truncate(end))?;
        waiting.push(b'\n');
        Ok(())
    }

    /// How many bytes wait.
    pub(super) fn len(&self) -> usize {
        self.waiting().len()
    }

    /// Writes what the client takes at once. What is left to do goes on where the future is polled.
    pub(super) fn write_at_once(
        self: &Arc<Self>,
    ) -> Option<impl Future<Output = io::Result<()>> + Send + use<>> {
        if self.len() == 0 {
            return None;
        }
        let outbox = self.clone();
        let mut write = Box::pin(async move { outbox.write().await });
        match (&mut write).now_or_never() {
            Some(outcome) => {
                report(outcome);
                None
            }
            None => Some(write),
        }
    }

    /// Writes what waits.
    pub(super) async fn write(&self) -> io::Result<()> {
        let mut writer = self.writer.lock().await;
        let lines = std::mem::take(&mut *self.waiting());
        if lines.is_empty() {
            return Ok(());
        }
        writer.write_all(&lines).await?;
        writer.flush().await
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<u8>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An answer that cannot be written is for the log: nobody else can be told.
pub(super) fn report(outcome: io::Result<()>) {
    if let Err(error) = outcome {
        tracing::error!(%error, "an answer could not be written");
    }
}
