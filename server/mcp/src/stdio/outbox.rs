//! Lines on their way out. Those that are ready together leave together: each write costs a call of the
//! system here, and wakes the reader.

use std::io;
use std::sync::{MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::service::TxJsonRpcMessage;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{Mutex, Notify};

/// Bytes that may wait for the client while more is read.
const MOST_BYTES: usize = 1024 * 1024;

type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// Each task that puts a line in writes it, or leaves that to the task that writes already.
pub(super) struct Outbox {
    waiting: std::sync::Mutex<Vec<u8>>,
    writer: Mutex<Writer>,
    /// Notified when the waiting lines have been taken to be written.
    taken: Notify,
}

impl Outbox {
    pub(super) fn new(writer: Writer) -> Self {
        Self {
            waiting: std::sync::Mutex::default(),
            writer: Mutex::new(writer),
            taken: Notify::new(),
        }
    }

    /// Completes when the message has been written, by this task or by another.
    pub(super) async fn send(&self, message: &TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
        self.put(message)?;
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

    /// Writes what waits. Must not be dropped before it is done: half a line would be left.
    pub(super) async fn write(&self) -> io::Result<()> {
        let mut writer = self.writer.lock().await;
        let lines = std::mem::take(&mut *self.waiting());
        self.taken.notify_waiters();
        if lines.is_empty() {
            return Ok(());
        }
        writer.write_all(&lines).await?;
        writer.flush().await
    }

    /// Completes when the client has not left too much unread.
    pub(super) async fn has_room(&self) {
        loop {
            let taken = self.taken.notified();
            if self.waiting().len() < MOST_BYTES {
                break;
            }
            taken.await;
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<u8>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An answer that cannot be written goes to the log: there is no other receiver.
pub(super) fn report(outcome: io::Result<()>) {
    if let Err(error) = outcome {
        tracing::error!(%error, "an answer could not be written");
    }
}
