//! The queue of outgoing lines. Lines that are ready at the same time are written together, because each
//! write costs a system call and wakes the client.

use std::io;
use std::sync::{MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::service::TxJsonRpcMessage;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{Mutex, Notify};

/// Queued bytes at which the server stops reading.
const MOST_BYTES: usize = 1024 * 1024;

type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// The queue. The task that adds the first line writes all that are in the queue by then.
pub(super) struct Outbox {
    waiting: std::sync::Mutex<Vec<u8>>,
    writer: Mutex<Writer>,
    /// Notified when a write takes the queued lines.
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

    /// Queues a message. If it is the first, the caller must call [`Self::write`].
    pub(super) fn put(&self, message: &TxJsonRpcMessage<RoleServer>) -> io::Result<Queued> {
        let mut waiting = self.waiting();
        let end = waiting.len();
        // Never write a partial line.
        serde_json::to_writer(&mut *waiting, message).inspect_err(|_| waiting.truncate(end))?;
        waiting.push(b'\n');
        Ok(if end == 0 { Queued::First } else { Queued::Behind })
    }

    /// Writes the queued lines. Not cancel-safe: a dropped write may leave a partial line.
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

    /// Completes when fewer than [`MOST_BYTES`] are queued.
    pub(super) async fn has_capacity(&self) {
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

/// The position of a message in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "the first message of the queue is written by the task that adds it"]
pub(super) enum Queued {
    /// The queue was empty.
    First,
    /// The task that added the first message also writes this one.
    Behind,
}

/// Logs an answer that could not be written: it has no other receiver.
pub(super) fn report(outcome: io::Result<()>) {
    if let Err(error) = outcome {
        tracing::error!(%error, "cannot write an answer");
    }
}
