//! Tool calls that are in flight, beside the SDK's message loop.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, Extensions, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::outbox::Outbox;
use crate::mcp::{Direct, ToolCall};

/// For calls in flight, when no more input comes. The SDK gives its own requests as long.
const DRAIN_TIME: Duration = Duration::from_secs(5);

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

    /// Begins a call, which answers through `outbox`. Gives it back when it is the SDK's: it is too early,
    /// there is something unusual about it, or another call has the same id.
    pub(super) fn begin(&self, call: Box<ToolCall>, outbox: &Arc<Outbox>) -> Option<Box<ToolCall>> {
        let direct = self.0.direct.get();
        let Some((direct, setting)) = direct.zip(call.setting()) else { return Some(call) };
        if !direct.takes(setting) {
            return Some(call);
        }
        let cancellation = CancellationToken::new();
        match self.open().entry(call.id.clone()) {
            Entry::Occupied(_) => return Some(call),
            Entry::Vacant(free) => free.insert(cancellation.clone()),
        };
        let (calls, outbox, direct) = (self.clone(), outbox.clone(), direct.clone());
        self.0.tasks.spawn(async move {
            let id = call.id.clone();
            let answer = direct.answer(*call, setting, Extensions::new(), cancellation).await;
            calls.end_with(&id, &answer, &outbox).await;
        });
        None
    }

    async fn end_with(
        &self,
        id: &RequestId,
        answer: &TxJsonRpcMessage<RoleServer>,
        outbox: &Outbox,
    ) {
        // Whoever cancelled it waits for no answer.
        if self.open().remove(id).is_none() {
            return;
        }
        if let Err(error) = outbox.send(answer).await {
            tracing::error!(%error, "an answer could not be written");
        }
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
