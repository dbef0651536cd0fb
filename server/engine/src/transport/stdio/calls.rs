//! Tool calls that are in flight, beside the SDK's message loop.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, Extensions, JsonRpcMessage, RequestId};
use rmcp::service::RxJsonRpcMessage;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::outbox::Outbox;
use crate::mcp::{Begun, Direct, Room, Setting, ToolCall};

/// For calls in flight, when no more input comes. The SDK gives its own requests as long.
const DRAIN_TIME: Duration = Duration::from_secs(5);

/// A call that is in flight, and is to be begun.
pub(super) struct Accepted {
    call: Box<ToolCall>,
    setting: Setting,
    cancellation: CancellationToken,
}

/// Clones share what is in flight.
#[derive(Clone, Default)]
pub(super) struct Calls(Arc<Inner>);

#[derive(Default)]
struct Inner {
    /// Not there until the client has said hello.
    direct: OnceLock<Direct>,
    open: Mutex<HashMap<RequestId, CancellationToken>>,
    tasks: TaskTracker,
}

impl Calls {
    /// From now on calls are taken.
    pub(super) fn take(&self, direct: Direct) {
        // There is one session on a pair of streams.
        let _ = self.0.direct.set(direct);
    }

    /// Enters a call as being in flight. Gives it back when it is the SDK's: it is too early, there is
    /// something unusual about it, or another call has the same id.
    pub(super) fn accept(&self, call: Box<ToolCall>) -> Result<Accepted, Box<ToolCall>> {
        let direct = self.0.direct.get();
        let Some((direct, setting)) = direct.zip(call.setting()) else { return Err(call) };
        if !direct.takes(setting) {
            return Err(call);
        }
        let cancellation = CancellationToken::new();
        match self.open().entry(call.id.clone()) {
            Entry::Occupied(_) => return Err(call),
            Entry::Vacant(free) => free.insert(cancellation.clone()),
        };
        Ok(Accepted { call, setting, cancellation })
    }

    /// Begins calls. The answers of those that wait for nothing are in `outbox` when this returns, which
    /// does not wait either.
    pub(super) async fn begin(&self, group: Vec<Accepted>, outbox: &Arc<Outbox>) {
        let Some(direct) = self.0.direct.get() else { return };
        let (room, nothing) = (&mut Room::default(), Extensions::new());
        for Accepted { call, setting, cancellation } in group {
            let id = call.id.clone();
            match direct.begin(room, *call, setting, nothing.clone(), cancellation).await {
                Begun::Answered(answer) => {
                    if self.close(&id) {
                        report(outbox.put(&answer));
                    }
                }
                Begun::Waiting(answer) => {
                    let (calls, outbox) = (self.clone(), outbox.clone());
                    self.0.tasks.spawn(async move {
                        let answer = answer.await;
                        if calls.close(&id) {
                            report(outbox.send(&answer).await);
                        }
                    });
                }
            }
        }
    }

    /// Begins calls beside whatever else is done, and sends the answers.
    pub(super) fn begin_aside(&self, group: Vec<Accepted>, outbox: &Arc<Outbox>) {
        let (calls, outbox) = (self.clone(), outbox.clone());
        self.0.tasks.spawn(async move {
            calls.begin(group, &outbox).await;
            report(outbox.write().await);
        });
    }

    /// A call is in flight no more. Whether somebody waits for its answer: whoever cancelled it does not.
    fn close(&self, id: &RequestId) -> bool {
        self.open().remove(id).is_some()
    }

    /// Cancels the call that a message says is not wanted any more.
    pub(super) fn heed(&self, message: &RxJsonRpcMessage<RoleServer>) {
        let JsonRpcMessage::Notification(notification) = message else { return };
        let ClientNotification::CancelledNotification(cancelled) = &notification.notification
        else {
            return;
        };
        let id = cancelled.params.request_id.as_ref();
        if let Some(cancellation) = id.and_then(|id| self.open().remove(id)) {
            cancellation.cancel();
        }
    }

    /// Completes when all calls are answered, or those that take long have been told to stop.
    pub(super) async fn end(&self) {
        self.0.tasks.close();
        if tokio::time::timeout(DRAIN_TIME, self.0.tasks.wait()).await.is_err() {
            self.open().drain().for_each(|(_, cancellation)| cancellation.cancel());
        }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<RequestId, CancellationToken>> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An answer that cannot be written is for the log: nobody else can be told.
pub(super) fn report(outcome: io::Result<()>) {
    if let Err(error) = outcome {
        tracing::error!(%error, "an answer could not be written");
    }
}
