//! Stops a handler when its time is up or its caller has gone; a call with an idempotency key goes on for
//! the next who asks. Dropping the future ends async work at its next await; the context's token ends
//! blocking work.

use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::Service;
use crate::call::Bound;
use crate::dialogue::{Dialogue, Waiting};
use crate::fault::{Code, Fault, Result};
use crate::outcome::Outcome;

pub(super) struct Deadline<N>(N);

impl<N> Deadline<N> {
    pub(super) fn new(next: N) -> Self {
        Self(next)
    }
}

/// A call with the moment at which it ends.
#[derive(Clone)]
pub(super) struct Timed {
    pub(super) call: Bound,
    pub(super) deadline: Instant,
}

impl<N: Service<Timed>> Service<Bound> for Deadline<N> {
    async fn call(&self, mut call: Bound) -> Result<Outcome> {
        let operation = call.operation;
        if call.caller.cancellation.is_cancelled() {
            return Err(never_begun().of(operation.id));
        }
        let outer = match &call.keyed {
            Some(start) => {
                start.begin();
                CancellationToken::new()
            }
            None => call.caller.cancellation.clone(),
        };
        call.caller.cancellation = outer.child_token();
        let _stop_blocking_work = call.caller.cancellation.clone().drop_guard();
        let deadline = Instant::now() + operation.timeout;
        let waiting = match &call.caller.dialogue {
            Dialogue::Live(live) => Some(live.waiting()),
            _ => None,
        };
        tokio::select! {
            biased;
            result = self.0.call(Timed { call, deadline }) => result,
            () = outer.cancelled() => Err(Fault::cancelled("Cancelled by the caller.")),
            () = pass(deadline, waiting) => {
                Err(timed_out(operation.timeout, operation.idempotent))
            }
        }
        .map_err(|fault| fault.of(operation.id))
    }
}

/// A call that its caller cancelled before a handler saw it.
pub(super) fn never_begun() -> Fault {
    Fault::cancelled("Cancelled before it began, so nothing was done.")
}

/// Completes when the handler has had its time. While it waits for its client's answer, none passes.
async fn pass(deadline: Instant, waiting: Option<watch::Receiver<Waiting>>) {
    tokio::time::sleep_until(deadline.into()).await;
    let Some(mut waiting) = waiting else { return };
    loop {
        let Waiting { open, total } = *waiting.borrow_and_update();
        if open > 0 {
            // The sender is gone only when the call is.
            let _ = waiting.changed().await;
        } else if Instant::now() < deadline + total {
            tokio::time::sleep_until((deadline + total).into()).await;
        } else {
            return;
        }
    }
}

fn timed_out(after: Duration, idempotent: bool) -> Fault {
    let fault = Fault::new(Code::Timeout, format!("Stopped after {} s.", after.as_secs_f64()))
        .retryable(idempotent);
    if idempotent {
        fault.hinting("Ask for less at once, or try again.")
    } else {
        fault.hinting("It may have been done in part: look before you try again.")
    }
}
