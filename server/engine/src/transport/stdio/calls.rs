//! Tool calls that are in flight, beside the SDK's message loop.

use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, Extensions, JsonRpcMessage, RequestId};
use rmcp::service::RxJsonRpcMessage;
use tokio::runtime::Handle;
use tokio::sync::SetOnce;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::aside::Aside;
use super::outbox::{Outbox, report};
use crate::lent;
use crate::mcp::{Begun, Direct, Room, Setting, ToolCall, Work};

/// For calls in flight, when no more input comes. The SDK gives its own requests as long.
const DRAIN_TIME: Duration = Duration::from_secs(5);

/// A call that is ours, and is to be begun.
pub(super) struct Accepted<'a> {
    direct: &'a Direct,
    call: ToolCall,
    setting: Setting,
}

/// Clones share what is in flight.
#[derive(Clone)]
pub(super) struct Calls(Arc<Inner>);

struct Inner {
    /// Not there until the client has said hello.
    direct: SetOnce<Direct>,
    open: Mutex<Open>,
    aside: Aside,
    tasks: TaskTracker,
}

/// Calls that were not answered at once.
#[derive(Default)]
struct Open {
    begun: u64,
    calls: HashMap<Key, (RequestId, CancellationToken)>,
}

/// Tells open calls apart, for a client may give two of them the same id.
pub(super) type Key = u64;

impl Open {
    fn enter(&mut self, id: RequestId, cancellation: CancellationToken) -> Key {
        self.begun += 1;
        self.calls.insert(self.begun, (id, cancellation));
        self.begun
    }
}

impl Calls {
    /// For a server that has so many handlers at work at once.
    pub(super) fn new(at_once: u32) -> Self {
        Self(Arc::new(Inner {
            direct: SetOnce::new(),
            open: Mutex::default(),
            aside: Aside::new(usize::try_from(at_once).unwrap_or(usize::MAX)),
            tasks: TaskTracker::new(),
        }))
    }

    /// From now on calls are taken.
    pub(super) fn take(&self, direct: Direct) {
        // There is one session on a pair of streams.
        let _ = self.0.direct.set(direct);
    }

    /// Completes when calls are taken.
    pub(super) async fn taken(&self) {
        self.0.direct.wait().await;
    }

    /// Accepts a call. Gives it back when it is the SDK's: it is too early, or there is something unusual
    /// about it.
    pub(super) fn accept(&self, call: Box<ToolCall>) -> Result<Accepted<'_>, Box<ToolCall>> {
        let direct = self.0.direct.get();
        match direct.zip(call.setting()) {
            Some((direct, setting)) if direct.takes(setting) => {
                Ok(Accepted { direct, call: *call, setting })
            }
            _ => Err(call),
        }
    }

    /// Begins a call, and may lend it this thread. If it waits for nothing, its answer is in `outbox` when
    /// this returns, which does not wait either; else it goes on beside.
    pub(super) async fn begin(
        &self,
        accepted: Accepted<'_>,
        lends: bool,
        room: &mut Room,
        outbox: &Arc<Outbox>,
    ) {
        let Accepted { direct, call, setting } = accepted;
        let (id, cancellation) = (call.id.clone(), CancellationToken::new());
        let work = direct.work(room, call, setting, Extensions::new(), cancellation.clone());
        let begun = if lends { lend(room.begin(work)).await } else { room.begin(work).await };
        match begun {
            Begun::Answered(answer) => report(outbox.put(&answer)),
            Begun::Waiting(work) => {
                let key = self.open().enter(id, cancellation);
                self.go_on(key, work, outbox.clone());
            }
        }
    }

    /// Lets another thread begin a call.
    pub(super) fn begin_aside(&self, accepted: Accepted<'_>, outbox: &Arc<Outbox>) {
        let Accepted { direct, call, setting } = accepted;
        let (id, cancellation) = (call.id.clone(), CancellationToken::new());
        let (room, nothing) = (&mut Room::default(), Extensions::new());
        let work = direct.work(room, call, setting, nothing, cancellation.clone());
        let key = self.open().enter(id, cancellation);
        if self.0.aside.add(key, work) {
            let (calls, outbox) = (self.clone(), outbox.clone());
            self.0.tasks.spawn_blocking(move || calls.begin_those_aside(&outbox));
        }
    }

    /// Begins those that wait for a thread. It must not wait for a client that does not read: to write may take
    /// a thread of the same kind.
    fn begin_those_aside(&self, outbox: &Arc<Outbox>) {
        let (runtime, mut room) = (Handle::current(), Room::default());
        while let Some((key, work)) = self.0.aside.take() {
            match runtime.block_on(lend(room.begin(work))) {
                Begun::Answered(answer) => {
                    if self.close(key) {
                        report(outbox.put(&answer));
                    }
                    if let Some(rest) = outbox.write_at_once() {
                        self.0.tasks.spawn(async { report(rest.await) });
                    }
                }
                Begun::Waiting(work) => self.go_on(key, work, outbox.clone()),
            }
        }
    }

    /// Follows an open call to its end.
    fn go_on(&self, key: Key, work: Work, outbox: Arc<Outbox>) {
        let calls = self.clone();
        self.0.tasks.spawn(async move {
            let answer = work.await;
            if calls.close(key) {
                report(outbox.send(&answer).await);
            }
        });
    }

    /// Closes a call that has ended, and says whether an answer is waited for. Whoever cancelled it waits for
    /// none.
    fn close(&self, key: Key) -> bool {
        self.open().calls.remove(&key).is_some()
    }

    /// Cancels the call that a message says is not wanted any more.
    pub(super) fn heed(&self, message: &RxJsonRpcMessage<RoleServer>) {
        let JsonRpcMessage::Notification(notification) = message else { return };
        let ClientNotification::CancelledNotification(cancelled) = &notification.notification
        else {
            return;
        };
        let Some(unwanted) = &cancelled.params.request_id else { return };
        let mut open = self.open();
        for (_, (_, cancellation)) in open.calls.extract_if(|_, (id, _)| id == unwanted) {
            cancellation.cancel();
        }
    }

    /// Completes when all calls are answered, or those that take long have been told to stop.
    pub(super) async fn end(&self) {
        self.0.tasks.close();
        if tokio::time::timeout(DRAIN_TIME, self.0.tasks.wait()).await.is_err() {
            self.open().calls.drain().for_each(|(_, (_, cancellation))| cancellation.cancel());
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lends a call the thread that begins it.
async fn lend(begin: impl Future<Output = Begun>) -> Begun {
    let mut begin = pin!(begin);
    poll_fn(|cx| lent::lend(|| begin.as_mut().poll(cx))).await
}
