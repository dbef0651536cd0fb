//! Tool calls in flight on the fast path, outside rmcp's message loop. Each call is a task.
//!
//! The server stops reading while too many calls have not been polled: these make progress without the
//! client. It does not stop reading for calls that wait, because a cancellation or an answer for them must be
//! read. If too many calls wait, further ones are refused.

use std::collections::HashMap;
use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, Extensions, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SetOnce};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::outbox::{Outbox, Queued, report};
use super::yielding::yield_to_any_worker;
use crate::protocol::{FastPath, ToolCall};

/// The time that calls in flight have after the end of input. rmcp gives its own requests the same.
const DRAIN_TIME: Duration = Duration::from_secs(5);
/// Calls that have been read but not polled, beyond those that may be running or queued.
const UNPOLLED: usize = 64;
/// Calls in flight, beyond those running and queued. Most of them wait for an answer of the client.
const WAITING_FOR_CLIENT: usize = 1024;
/// Bytes of the lines of all calls in flight.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// The calls of one client.
pub(super) struct Calls {
    /// Unset until the client has completed initialization.
    fast_path: SetOnce<FastPath>,
    /// Permits for calls that have not been polled.
    beginning: Arc<Semaphore>,
    /// How many calls no worker has begun to poll.
    unbegun: AtomicUsize,
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

/// Identifies an open call, because a client may use the same id for two of them.
type CallNumber = u64;

struct OpenCall {
    id: RequestId,
    /// The length of its line in bytes.
    bytes: usize,
    cancellation: CancellationToken,
}

impl Calls {
    /// Creates the set of calls. `most` is how many calls of the server may be running or queued at once.
    pub(super) fn new(most: usize, outbox: Arc<Outbox>) -> Self {
        let beginning = most.saturating_add(UNPOLLED).min(Semaphore::MAX_PERMITS);
        Self {
            fast_path: SetOnce::new(),
            beginning: Arc::new(Semaphore::new(beginning)),
            unbegun: AtomicUsize::new(0),
            most: most.saturating_add(WAITING_FOR_CLIENT),
            open: Mutex::default(),
            tasks: TaskTracker::new(),
            outbox,
        }
    }

    /// Installs the fast path, which handles calls from now on.
    pub(super) fn install(&self, fast_path: FastPath) {
        // A pair of streams has one session, so this is called once.
        let _ = self.fast_path.set(fast_path);
    }

    /// Completes when the fast path is installed.
    pub(super) async fn installed(&self) {
        self.fast_path.wait().await;
    }

    /// Completes when one more call may be read.
    pub(super) async fn permit(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed.
        self.beginning.clone().acquire_owned().await.ok()
    }

    /// Begins a call, whose line has `bytes` bytes. Returns the call if rmcp must handle it: before
    /// initialization, or if the call needs rmcp's checks.
    pub(super) fn begin(
        self: &Arc<Self>,
        call: Box<ToolCall>,
        bytes: usize,
        permit: Option<OwnedSemaphorePermit>,
    ) -> Result<(), Box<ToolCall>> {
        let fast_path = self.fast_path.get();
        let Some((fast_path, setting)) = fast_path.zip(call.setting()) else { return Err(call) };
        if !fast_path.accepts(setting) {
            return Err(call);
        }
        let cancellation = CancellationToken::new();
        let Some(key) = self.add(&call.id, bytes, &cancellation) else {
            self.send(&FastPath::refuse(call.id, setting));
            return Ok(());
        };
        let answer = fast_path.answer(*call, setting, Extensions::new(), cancellation.clone());
        let calls = self.clone();
        self.unbegun.fetch_add(1, Ordering::Relaxed);
        self.tasks.spawn(async move {
            calls.unbegun.fetch_sub(1, Ordering::Relaxed);
            let mut answer = pin!(answer);
            let first = futures::poll!(answer.as_mut());
            drop(permit);
            let answer = match first {
                Poll::Ready(answer) => answer,
                Poll::Pending => answer.await,
            };
            calls.remove(key);
            // A client that has cancelled expects no answer.
            if !cancellation.is_cancelled() {
                report(calls.answer(&answer).await);
            }
        });
        Ok(())
    }

    /// Sends the answer to a call, together with those of the calls that are about to begin.
    async fn answer(&self, answer: &TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
        if self.outbox.put(answer)? == Queued::Behind {
            return Ok(());
        }
        if self.unbegun.load(Ordering::Relaxed) > 0 {
            yield_to_any_worker().await;
        }
        self.outbox.write().await
    }

    /// Sends a message that does not come from a call.
    pub(super) fn send(self: &Arc<Self>, message: &TxJsonRpcMessage<RoleServer>) {
        match self.outbox.put(message) {
            Ok(Queued::First) => {
                let calls = self.clone();
                self.tasks.spawn(async move { report(calls.outbox.write().await) });
            }
            Ok(Queued::Behind) => {}
            Err(error) => report(Err(error)),
        }
    }

    /// Cancels the call that a `notifications/cancelled` names. Ignores any other message.
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

    /// Completes when all calls are answered, or cancels the remaining ones after [`DRAIN_TIME`].
    pub(super) async fn end(&self) {
        self.tasks.close();
        if tokio::time::timeout(DRAIN_TIME, self.tasks.wait()).await.is_err() {
            self.open().calls.values().for_each(|call| call.cancellation.cancel());
        }
    }

    /// Adds a call; `None` if there are too many.
    fn add(
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

    fn remove(&self, key: CallNumber) {
        let mut open = self.open();
        let left = open.calls.remove(&key);
        open.bytes -= left.map_or(0, |call| call.bytes);
    }

    fn open(&self) -> MutexGuard<'_, OpenCalls> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
