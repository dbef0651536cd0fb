//! A bounded number of handlers at work, in all, for each operation and for each principal. The
//! rest wait their turn in a queue that is bounded too, or leave when cancelled.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{AcquireError, Semaphore};

use super::{Service, Settings};
use crate::authority::Authority;
use crate::call::{Bound, Caller};
use crate::fault::{Code, Fault, Result};
use crate::identity::Principal;
use crate::metrics::{Metrics, Running};
use crate::outcome::Outcome;

/// Seconds after which a call that found the queue full may try again.
const RETRY_AFTER: f64 = 1.0;
/// Principals whose places are kept before those that nobody uses are dropped.
const KEPT: usize = 1024;

pub(super) struct Limits<N> {
    server: Semaphore,
    operations: Vec<Option<Semaphore>>,
    principals: Option<Principals>,
    queue: Queue,
    metrics: Arc<Metrics>,
    next: N,
}

impl<N> Limits<N> {
    pub(super) fn new(
        authority: &'static Authority,
        settings: &Settings,
        metrics: Arc<Metrics>,
        next: N,
    ) -> Self {
        let server = settings.concurrency.unwrap_or(authority.concurrency);
        Self {
            server: semaphore(server),
            operations: authority.operations.iter().map(|o| o.concurrency.map(semaphore)).collect(),
            principals: settings.per_principal.map(Principals::new),
            queue: Queue {
                waiting: AtomicUsize::new(0),
                most: settings.queue,
                metrics: metrics.clone(),
            },
            metrics,
            next,
        }
    }
}

impl<N: Service<Bound>> Service<Bound> for Limits<N> {
    async fn call(&self, call: Bound) -> Result<Outcome> {
        let named = |fault: Fault| fault.of(call.operation.id);
        // The narrower limits first: calls that wait for one must not block the others.
        let own = self.principals.as_ref().map(|all| all.places(&call.caller.principal));
        let _own = match &own {
            Some(places) => Some(self.queue.turn(places, &call.caller).await.map_err(named)?),
            None => None,
        };
        let _operation = match &self.operations[call.index] {
            Some(places) => Some(self.queue.turn(places, &call.caller).await.map_err(named)?),
            None => None,
        };
        let _server = self.queue.turn(&self.server, &call.caller).await.map_err(named)?;
        let _running = Running::begin(&self.metrics.handlers);
        self.next.call(call).await
    }
}

fn semaphore(permits: u32) -> Semaphore {
    Semaphore::new(permits.max(1) as usize)
}

/// The places of each principal.
struct Principals {
    places: u32,
    known: Mutex<HashMap<Principal, Arc<Semaphore>>>,
}

impl Principals {
    fn new(places: u32) -> Self {
        Self { places, known: Mutex::default() }
    }

    fn places(&self, principal: &Principal) -> Arc<Semaphore> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(places) = known.get(principal) {
            return places.clone();
        }
        if known.len() >= KEPT {
            known.retain(|_, places| Arc::strong_count(places) > 1);
        }
        let places = Arc::new(semaphore(self.places));
        known.insert(principal.clone(), places.clone());
        places
    }
}

/// The calls that wait, for whatever place.
struct Queue {
    waiting: AtomicUsize,
    most: usize,
    metrics: Arc<Metrics>,
}

impl Queue {
    async fn turn<'a>(
        &self,
        places: &'a Semaphore,
        caller: &Caller,
    ) -> Result<tokio::sync::SemaphorePermit<'a>> {
        if let Ok(place) = places.try_acquire() {
            return Ok(place);
        }
        let _waiting = self.enter()?;
        let _shown = Running::begin(&self.metrics.waiting);
        tokio::select! {
            place = places.acquire() => place.map_err(|error: AcquireError| {
                Fault::internal(format!("a limit was taken away: {error}"))
            }),
            () = caller.cancellation.cancelled() => {
                Err(Fault::cancelled("Cancelled while waiting for a free handler."))
            }
        }
    }

    fn enter(&self) -> Result<Waiting<'_>> {
        let waiting = Waiting(&self.waiting);
        if self.waiting.fetch_add(1, Ordering::Relaxed) < self.most {
            return Ok(waiting);
        }
        self.metrics.refused_by_queue.inc();
        Err(Fault::new(Code::LimitExceeded, "The server is busy, and its queue is full.")
            .retry_after(RETRY_AFTER)
            .hinting("Nothing was done. Wait, then send the same call; send fewer at once."))
    }
}

/// Counts a waiting call until it stops waiting, however it does.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
