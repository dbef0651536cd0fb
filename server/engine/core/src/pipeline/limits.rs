//! Limits how many handlers run at once: in all, for each operation and for each principal. Further calls
//! wait in a queue of limited length, until they get a permit or are cancelled. The limit of an operation holds for all
//! replicas: each has its part of it, or takes slots if there are more replicas than permits.

use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt as _;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

use super::CallSettings;
use crate::audit::counters::Counters;
use crate::authority::{Operation, Tables};
use crate::call::Caller;
use crate::caller::principal::Principal;
use crate::fault::{Code, Fault, Result};
use crate::shared::{Shared, SharedSlot, SharedSlots, StorageFailed};

/// Seconds after which a call that found the queue full may try again.
const RETRY_AFTER: f64 = 1.0;
/// Operations, and principals, whose semaphores are kept before unused ones are dropped.
const KEPT: usize = 1024;

/// All limits of running handlers.
pub(super) struct HandlerLimits {
    server: Arc<Semaphore>,
    operations: Operations,
    principals: Principals,
    queue: CallQueue,
    slots: SharedSlots,
    shared: Arc<dyn Shared>,
}

impl HandlerLimits {
    pub(super) fn new(
        tables: &Tables,
        settings: &CallSettings,
        shared: Arc<dyn Shared>,
        counters: Counters,
    ) -> Self {
        Self {
            slots: SharedSlots::new(shared.clone()),
            shared,
            server: semaphore(settings.handlers(tables)),
            operations: Operations::default(),
            principals: Principals::new(settings.per_principal, settings.handlers(tables)),
            queue: CallQueue { waiting: AtomicUsize::new(0), most: settings.queue, counters },
        }
    }
}

/// The permits of a running handler, one for each limit.
pub struct Permits {
    _slot: Option<SharedSlot>,
    _principal: Option<OwnedSemaphorePermit>,
    _operation: Option<OwnedSemaphorePermit>,
    _server: Option<OwnedSemaphorePermit>,
}

impl HandlerLimits {
    /// Waits for the permits of a call. Without an operation, the limits per operation do not apply.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED` if the queue is full; `CANCELLED` if the call is cancelled in the queue; `PROVIDER_UNAVAILABLE` if other
    /// replicas have a part in the limit, and cannot be asked.
    pub(super) async fn acquire(
        &self,
        caller: &Caller,
        operation: Option<&Operation>,
    ) -> Result<Permits> {
        // The narrower limits come first: calls that wait for them must not block others.
        let principal = self.principals.permits(caller.principal());
        let principal = self.permit(principal, caller).await?;
        let permits = self.operations.permits(operation, self.shared.replicas());
        let permits = self.permit(permits, caller).await?;
        let slot = match operation.and_then(|operation| self.slots_of(operation)) {
            Some((id, most)) => {
                let next = self.slots.acquire(id, most);
                let slot = self.queue.acquire(None, next.map(Ok), caller).await?;
                Some(slot.map_err(|StorageFailed| uncounted())?)
            }
            None => None,
        };
        let server = self.permit(Some(self.server.clone()), caller).await?;
        Ok(Permits { _slot: slot, _principal: principal, _operation: permits, _server: server })
    }

    /// Waits for a permit, if there is a limit.
    async fn permit(
        &self,
        limit: Option<Arc<Semaphore>>,
        caller: &Caller,
    ) -> Result<Option<OwnedSemaphorePermit>> {
        let Some(permits) = limit else { return Ok(None) };
        let free = permits.clone().try_acquire_owned().ok();
        self.queue.acquire(free, permits.acquire_owned(), caller).await.map(Some)
    }

    /// The operation and its limit, if there are more replicas than it has permits.
    fn slots_of<'a>(&self, operation: &'a Operation) -> Option<(&'a str, u32)> {
        let most = operation.concurrency.filter(|most| *most < self.shared.replicas())?;
        Some((&operation.id, most))
    }
}

/// The refusal of a call of which nobody knows how many others run.
fn uncounted() -> Fault {
    Fault::new(
        Code::ProviderUnavailable,
        "The server cannot ask its other replicas how many such calls run, so it did not run this one.",
    )
    .retry_after(RETRY_AFTER)
    .hinting("Send the same call again later. The server's log has the reason.")
}

fn semaphore(permits: u32) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(permits.max(1) as usize))
}

/// The semaphore of each operation with a limit, by id, so that it stays when the authority changes.
#[derive(Default)]
struct Operations(Mutex<HashMap<String, (u32, Arc<Semaphore>)>>);

impl Operations {
    fn permits(&self, operation: Option<&Operation>, replicas: u32) -> Option<Arc<Semaphore>> {
        let operation = operation?;
        let most = (operation.concurrency? / replicas).max(1);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, permits)) = known.get(&operation.id)
            && *known == most
        {
            return Some(permits.clone());
        }
        if known.len() >= KEPT {
            known.retain(|_, (_, permits)| Arc::strong_count(permits) > 1);
        }
        let permits = semaphore(most);
        known.insert(operation.id.clone(), (most, permits.clone()));
        Some(permits)
    }
}

/// The semaphore of each principal.
struct Principals {
    /// Permits of the principal without an account; `None` for no limit.
    without_account: Option<u32>,
    /// Permits of each account, so that no account can take all of them.
    of_account: u32,
    known: Mutex<HashMap<Principal, Arc<Semaphore>>>,
}

impl Principals {
    fn new(permits: Option<u32>, at_once: u32) -> Self {
        let of_account = permits.unwrap_or(at_once / 2);
        Self { without_account: permits, of_account, known: Mutex::default() }
    }

    fn permits(&self, principal: &Principal) -> Option<Arc<Semaphore>> {
        let permits = if *principal == Principal::default() {
            self.without_account?
        } else {
            self.of_account
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(permits) = known.get(principal) {
            return Some(permits.clone());
        }
        if known.len() >= KEPT {
            known.retain(|_, permits| Arc::strong_count(permits) > 1);
        }
        let permits = semaphore(permits);
        known.insert(principal.clone(), permits.clone());
        Some(permits)
    }
}

/// The calls that wait for a permit.
struct CallQueue {
    waiting: AtomicUsize,
    most: usize,
    counters: Counters,
}

impl CallQueue {
    /// Returns the free permit, or waits for the next one if the queue is not full.
    async fn acquire<P>(
        &self,
        free: Option<P>,
        next: impl Future<Output = std::result::Result<P, AcquireError>>,
        caller: &Caller,
    ) -> Result<P> {
        if let Some(permit) = free {
            return Ok(permit);
        }
        let _waiting = self.enter()?;
        let _shown = self.counters.waiting.hold();
        tokio::select! {
            permit = next => permit.map_err(|error| {
                Fault::internal(format!("a semaphore was closed: {error}"))
            }),
            () = caller.cancellation.cancelled() => {
                Err(Fault::cancelled("Cancelled while waiting for a free handler."))
            }
        }
    }

    fn enter(&self) -> Result<QueuedCall<'_>> {
        let waiting = QueuedCall(&self.waiting);
        if self.waiting.fetch_add(1, Ordering::Relaxed) < self.most {
            return Ok(waiting);
        }
        self.counters.refused_by_queue.inc();
        Err(Fault::new(Code::LimitExceeded, "The server is busy, and its queue is full.")
            .retry_after(RETRY_AFTER)
            .hinting("Nothing was done. Wait, then send the same call; send fewer at once."))
    }
}

/// Counts a waiting call until it is dropped.
struct QueuedCall<'a>(&'a AtomicUsize);

impl Drop for QueuedCall<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
