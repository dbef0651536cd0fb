//! Tool calls in flight, beside the SDK's message loop. Each is a task.
//!
//! Reading stops while many calls have not begun: these begin without the client. It does not stop for
//! calls that wait, because a cancellation or an answer that they wait for must be read. When too many wait,
//! further ones are refused.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, Extensions, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SetOnce};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::outbox::{Outbox, report};
use crate::protocol::{FastPath, ToolCall};

/// For calls in flight, when no more input comes. The SDK gives its own requests as long.
const DRAIN_TIME: Duration = Duration::from_secs(5);
/// Calls that have not begun, beyond those that keep a thread.
const AHEAD: usize = 64;
/// Calls in flight, beyond those at work and those in the queue: most of them wait for their client's answer.
const ASKING: usize = 1024;
/// Most bytes of lines whose calls are in flight.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// The calls of one client.
pub(super) struct Calls {
    /// Not there until the client has said hello.
    fast_path: SetOnce<FastPath>,
    /// Permits for calls that have not begun.
    beginning: Arc<Semaphore>,
    most: usize,
    open: Mutex<OpenCalls>,
    tasks: TaskTracker,
    outbox: Arc<Outbox>,
}

/// Calls without an answer.
#[derive(Default)]
struct OpenCalls {
    begun: u64,
    bytes: usize,
    calls: HashMap<CallNumber, OpenCall>,
}

/// Tells open calls apart, for a client may give two of them the same id.
type CallNumber = u64;

struct OpenCall {
    id: RequestId,
    /// The length of its line.
    bytes: usize,
    cancellation: CancellationToken,
}

impl Calls {
    /// For a server with at most so many calls that are at work or wait for their turn.
    pub(super) fn new(most: usize, outbox: Arc<Outbox>) -> Self {
        let beginning = most.saturating_add(AHEAD).min(Semaphore::MAX_PERMITS);
        Self {
            fast_path: SetOnce::new(),
            beginning: Arc::new(Semaphore::new(beginning)),
            most: most.saturating_add(ASKING),
            open: Mutex::default(),
            tasks: TaskTracker::new(),
            outbox,
        }
    }

    /// From now on calls are taken.
    pub(super) fn take(&self, fast_path: FastPath) {
        // There is one session on a pair of streams.
        let _ = self.fast_path.set(fast_path);
    }

    /// Completes when calls are taken.
    pub(super) async fn taken(&self) {
        self.fast_path.wait().await;
    }

    /// Completes when one more call may be read.
    pub(super) async fn permit(&self) -> Option<OwnedSemaphorePermit> {
        // It is never closed.
        self.beginning.clone().acquire_owned().await.ok()
    }

    /// Begins a call, whose line has so many bytes. Gives it back when it is the SDK's: it is too early, or
    /// there is something unusual about it.
    pub(super) fn begin(
        self: &Arc<Self>,
        call: Box<ToolCall>,
        bytes: usize,
        permit: Option<OwnedSemaphorePermit>,
    ) -> Result<(), Box<ToolCall>> {
        let fast_path = self.fast_path.get();
        let Some((fast_path, setting)) = fast_path.zip(call.setting()) else { return Err(call) };
        if !fast_path.takes(setting) {
            return Err(call);
        }
        let cancellation = CancellationToken::new();
        let Some(key) = self.enter(&call.id, bytes, &cancellation) else {
            self.tell(&FastPath::refuse(call.id, setting));
            return Ok(());
        };
        let answer = fast_path.answer(*call, setting, Extensions::new(), cancellation.clone());
        let calls = self.clone();
        self.tasks.spawn(async move {
            let mut answer = pin!(answer);
            let first = futures::poll!(answer.as_mut());
            drop(permit);
            let answer = match first {
                Poll::Ready(answer) => answer,
                Poll::Pending => answer.await,
            };
            // A client that has cancelled waits for no answer.
            if !cancellation.is_cancelled() {
                report(calls.outbox.send(&answer).await);
            }
            calls.leave(key);
        });
        Ok(())
    }

    /// Sends a message that no call has made.
    pub(super) fn tell(self: &Arc<Self>, message: &TxJsonRpcMessage<RoleServer>) {
        report(self.outbox.put(message));
        let calls = self.clone();
        self.tasks.spawn(async move { report(calls.outbox.write().await) });
    }

    /// Cancels the call that a message names, if it is about cancellation.
    pub(super) fn on_cancelled(&self, message: &RxJsonRpcMessage<RoleServer>) {
        let JsonRpcMessage::Notification(notification) = message else { return };
        let ClientNotification::CancelledNotification(cancelled) = &notification.notification
        else {
            return;
        };
        let Some(unwanted) = &cancelled.params.request_id else { return };
        for call in self.open().calls.values().filter(|call| call.id == *unwanted) {
            call.cancellation.cancel();
        }
    }

    /// Completes when all calls are answered, or those that take long have been told to stop.
    pub(super) async fn end(&self) {
        self.tasks.close();
        if tokio::time::timeout(DRAIN_TIME, self.tasks.wait()).await.is_err() {
            self.open().calls.values().for_each(|call| call.cancellation.cancel());
        }
    }

    /// Enters a call, unless there are too many.
    fn enter(
        &self,
        id: &RequestId,
        bytes: usize,
        cancellation: &CancellationToken,
    ) -> Option<CallNumber> {
        let mut open = self.open();
        if open.calls.len() >= self.most || open.bytes >= MOST_BYTES {
            return None;
        }
        open.begun += 1;
        open.bytes += bytes;
        let key = open.begun;
        let (id, cancellation) = (id.clone(), cancellation.clone());
        open.calls.insert(key, OpenCall { id, bytes, cancellation });
        Some(key)
    }

    fn leave(&self, key: CallNumber) {
        let mut open = self.open();
        let left = open.calls.remove(&key);
        open.bytes -= left.map_or(0, |call| call.bytes);
    }

    fn open(&self) -> MutexGuard<'_, OpenCalls> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
