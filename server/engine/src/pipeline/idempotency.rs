//! A call that changes something and carries a key is done once, however often it is sent: a repeat
//! gets the first answer. The key is on disk before the handler runs, so not even a crash in
//! between makes it run twice unseen. A call that never reached its handler leaves the key free.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::TryFutureExt as _;
use futures::future::Either;

use super::{Service, onward};
use crate::authority::{Effect, Operation};
use crate::call::{Bound, Start};
use crate::claim::{Answer, Claim, Claimed, Key};
use crate::fault::{Code, Fault, Result};
use crate::outcome::Outcome;
use crate::principal::Principal;
use crate::recorded_arguments::canonical;
use crate::storage::{Lost, State};

pub(super) struct Idempotency<N>(Arc<Shared<N>>);

struct Shared<N> {
    state: State,
    running: Running,
    next: N,
}

impl<N> Idempotency<N> {
    pub(super) fn new(state: State, next: N) -> Self {
        Self(Arc::new(Shared { state, running: Running::default(), next }))
    }
}

impl<N: Service<Bound> + 'static> Service<Bound> for Idempotency<N> {
    fn call(&self, mut call: Bound) -> impl Future<Output = Result<Outcome>> + Send {
        let operation = call.operation;
        match call.caller.idempotency_key.take() {
            Some(key) if operation.effect != Effect::Read => Either::Left(
                onward(Key::parse(&key), |key| Box::pin(self.0.clone().apart(key, call)))
                    .map_err(|fault| fault.of(operation.id)),
            ),
            _ => Either::Right(self.0.next.call(call)),
        }
    }
}

impl<N: Service<Bound> + 'static> Shared<N> {
    /// Runs the call in a task of its own, so that it reaches its end, and the key its answer, also when
    /// its caller has gone.
    async fn apart(self: Arc<Self>, key: Key, mut call: Bound) -> Result<Outcome> {
        call.caller.cancellation = call.caller.cancellation.child_token();
        let _not_begun = call.caller.cancellation.clone().drop_guard();
        let run = tokio::spawn(async move { self.once(key, call).await });
        run.await.unwrap_or_else(|_| Err(Fault::internal("a call with a key broke off")))
    }

    async fn once(&self, key: Key, mut call: Bound) -> Result<Outcome> {
        let operation = call.operation;
        let claim = Arc::new(Claim::new(
            call.caller.principal.clone(),
            key,
            operation.id,
            operation.idempotent,
            &canonical(operation.inputs, &call.arguments),
        ));
        let _running = self.running.begin(&claim)?;
        match self.state.claim(claim.clone()).await {
            Ok(Claimed::New) => {}
            Ok(Claimed::Answered(Answer::Ok(value))) => {
                return Ok(Outcome { operation, alias: None, value });
            }
            Ok(Claimed::Answered(Answer::Error(fault))) => return Err(fault),
            Ok(Claimed::Taken) => return Err(taken()),
            Ok(Claimed::Unfinished(started)) => return Err(unfinished(operation, &started)),
            Err(Lost) => return Err(no_state()),
        }
        let start = Start::default();
        call.keyed = Some(start.clone());
        let result = self.next.call(call).await;
        let answer = match &result {
            Ok(outcome) => Some(Answer::Ok(outcome.value.clone())),
            Err(fault) => {
                (start.has_begun() && fault.is_final()).then(|| Answer::Error(fault.clone()))
            }
        };
        // The call is done, whether or not its answer is kept; the log has why it is not.
        let _ = self.state.settle(claim, answer).await;
        result
    }
}

/// The calls with a key that this process is at.
#[derive(Default)]
struct Running(Mutex<HashMap<(Principal, Key), Arc<Claim>>>);

impl Running {
    /// # Errors
    /// When the key is in use.
    fn begin<'a>(&'a self, claim: &Arc<Claim>) -> Result<Turn<'a>> {
        let name = (claim.principal.clone(), claim.key.clone());
        match self.lock().entry(name) {
            Entry::Occupied(other) if other.get().repeats(claim) => Err(running()),
            Entry::Occupied(_) => Err(taken()),
            Entry::Vacant(free) => {
                free.insert(claim.clone());
                Ok(Turn { running: self, claim: claim.clone() })
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(Principal, Key), Arc<Claim>>> {
        // No code that can panic runs under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that runs, until it is dropped.
struct Turn<'a> {
    running: &'a Running,
    claim: Arc<Claim>,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let name = (self.claim.principal.clone(), self.claim.key.clone());
        self.running.lock().remove(&name);
    }
}

fn running() -> Fault {
    Fault::conflict("The same call, with the same idempotency key, is still running.")
        .hinting("Send it again in a moment to get its answer.")
        .retry_after(1.0)
}

fn taken() -> Fault {
    Fault::validation(
        "This idempotency key stands for another call: other arguments, or another operation.",
    )
    .at(Key::POINTER)
    .hinting("Use a new key for a new call, and the old key only to repeat the old call unchanged.")
}

fn unfinished(operation: &Operation, started: &str) -> Fault {
    Fault::conflict(format!(
        "This call was started at {started} and never answered, so it is unknown whether it was done."
    ))
    .hinting(format!(
        "Look at what `{}` would have changed. If it was not done, call again with a new key.",
        operation.id
    ))
}

fn no_state() -> Fault {
    Fault::new(
        Code::ProviderUnavailable,
        "The server cannot keep idempotency keys, so it did not run a call with one.",
    )
    .hinting("Call without a key, or have the operator see why in the server's log.")
}
