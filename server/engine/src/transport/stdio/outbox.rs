//! Lines on their way out. Those that are ready together leave together: each write costs a call of the
//! system here, and wakes whoever reads.

use std::io;
use std::sync::{MutexGuard, PoisonError};

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
