//! A bounded number of handlers at work; the rest wait their turn, or leave when cancelled.

use tokio::sync::{Semaphore, SemaphorePermit};

use super::Service;
use crate::authority::Authority;
use crate::call::{Bound, Caller};
use crate::fault::{Fault, Result};
use crate::outcome::Outcome;

pub(super) struct Limits<N> {
    server: Semaphore,
    operations: Vec<Option<Semaphore>>,
    next: N,
}

impl<N> Limits<N> {
    pub(super) fn new(authority: &'static Authority, next: N) -> Self {
        let semaphore = |permits: u32| Semaphore::new(permits.max(1) as usize);
        Self {
            server: semaphore(authority.concurrency),
            operations: authority.operations.iter().map(|o| o.concurrency.map(semaphore)).collect(),
            next,
        }
    }
}

impl<N: Service<Bound>> Service<Bound> for Limits<N> {
    async fn call(&self, call: Bound) -> Result<Outcome> {
        // The narrower limit first: calls that wait for one operation must not block the others.
        let _operation = match &self.operations[call.index] {
            Some(limit) => Some(turn(limit, &call.caller).await?),
            None => None,
        };
        let _server = turn(&self.server, &call.caller).await?;
        self.next.call(call).await
    }
}

async fn turn<'a>(limit: &'a Semaphore, caller: &Caller) -> Result<SemaphorePermit<'a>> {
    if let Ok(permit) = limit.try_acquire() {
        return Ok(permit);
    }
    let permit = tokio::select! {
        permit = limit.acquire() => permit.ok(),
        () = caller.cancellation.cancelled() => None,
    };
    permit.ok_or_else(|| Fault::cancelled("Cancelled while waiting for a free handler."))
}
