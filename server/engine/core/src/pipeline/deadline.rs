//! Stops a handler when its time is up, or when its client cancels or disconnects. A call with an idempotency
//! key runs on, because a repeated call gets its answer. Dropping the future ends async work at its next
//! await, and the cancellation token of the context ends blocking work.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::call::Validated;
use crate::dialogue::{Dialogue, WaitingTime};
use crate::fault::{Code, Fault, Result};

/// When and how a running call is stopped.
pub(super) struct Deadline {
    timeout: Duration,
    idempotent: bool,
    instant: Instant,
    caller: CancellationToken,
    /// The time that the call has waited for its client.
    waiting: Option<watch::Receiver<WaitingTime>>,
    _stop_blocking_work: DropGuard,
}

impl Deadline {
    /// Starts the call's time. The call gets a cancellation token of its own, which is also cancelled when
    /// the time is up.
    ///
    /// # Errors
    /// `CANCELLED` if the client has already cancelled or disconnected; `PROVIDER_UNAVAILABLE` if another replica may have
    /// taken over the call.
    pub(super) fn begin(call: &mut Validated, timeout: Duration) -> Result<Self> {
        if call.caller.cancellation.is_cancelled() {
            return Err(never_begun());
        }
        let caller = match &call.keyed {
            Some(start) if start.begin() => CancellationToken::new(),
            Some(_) => return Err(taken_over()),
            None => call.caller.cancellation.clone(),
        };
        call.caller.cancellation = caller.child_token();
        let waiting = match &call.caller.dialogue {
            Dialogue::Live(live) => Some(live.waiting()),
            _ => None,
        };
        let operation = call.operation.row();
        Ok(Self {
            idempotent: operation.idempotent,
            timeout,
            instant: Instant::now() + timeout,
            caller,
            waiting,
            _stop_blocking_work: call.caller.cancellation.clone().drop_guard(),
        })
    }

    /// Returns when the call's time is up.
    pub(super) fn instant(&self) -> Instant {
        self.instant
    }

    /// Returns the result of the work, if it ends in time.
    ///
    /// # Errors
    /// The fault of the work, or `CANCELLED` or `TIMEOUT` if it is stopped.
    pub(super) async fn limit<T>(
        &self,
        work: Pin<&mut (impl Future<Output = Result<T>> + Send)>,
    ) -> Result<T> {
        tokio::select! {
            biased;
            result = work => result,
            () = self.caller.cancelled() => Err(Fault::cancelled("Cancelled by the caller.")),
            () = pass(self.instant, self.waiting.clone()) => {
                Err(timed_out(self.timeout, self.idempotent))
            }
        }
    }
}

/// Returns the fault of a call that was cancelled before its handler ran.
pub(super) fn never_begun() -> Fault {
    Fault::cancelled("Cancelled before it began, so nothing was done.")
}

fn taken_over() -> Fault {
    Fault::new(
        Code::ProviderUnavailable,
        "The call waited for its turn so long that another replica may have taken it over, so it was not run here.",
    )
    .hinting("Send the same call again, with the same idempotency key.")
    .retry_after(1.0)
}

/// Completes when the handler's time is up. The time does not pass while the handler waits for answers.
async fn pass(deadline: Instant, waiting: Option<watch::Receiver<WaitingTime>>) {
    tokio::time::sleep_until(deadline.into()).await;
    let Some(mut waiting) = waiting else { return };
    loop {
        let WaitingTime { open, total } = *waiting.borrow_and_update();
        if open > 0 {
            // The call drops the sender only when it ends.
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
        fault.hinting("It may have been done in part. Check the result before you try again.")
    }
}
