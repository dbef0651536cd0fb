//! A write with an idempotency key runs once, however often it is sent. A repeated call gets the first
//! answer. The key is on disk before the handler runs, so that no call silently runs twice after a crash.
//! A call that never reaches its handler frees the key.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::Ended;
use super::behind::behind;
use crate::arguments::recorded::canonical;
use crate::audit::claim::{Claim, Claimed, ClaimedAnswer, IdempotencyKey};
use crate::audit::storage::{State, StorageFailed};
use crate::authority::{Effect, Operation};
use crate::call::{Start, Validated};
use crate::caller::principal::Principal;
use crate::fault::{Code, Fault, Result};
use crate::provider::Supervisors;

pub(super) struct Idempotency {
    state: State,
    /// What the handlers change: programs of one user share the state.
    location: String,
    /// What else operations change.
    supervisors: Arc<Supervisors>,
    running: RunningCalls,
}

/// The state of a call with a key.
pub(super) enum Begun<'a> {
    /// It has already succeeded with this value.
    Before(Value),
    /// It runs now.
    Now(KeyedCall<'a>),
}

/// Returns the key of a call that must run once; `None` for reads and calls without a key.
///
/// # Errors
/// `VALIDATION_ERROR` for a key that is not valid.
pub(super) fn key(call: &mut Validated) -> Result<Option<IdempotencyKey>> {
    let operation = call.operation.row();
    match call.caller.idempotency_key.take() {
        Some(key) if operation.effect != Effect::Read => {
            IdempotencyKey::parse(&key).map(Some).map_err(|fault| fault.of_operation(&operation.id))
        }
        _ => Ok(None),
    }
}

impl Idempotency {
    pub(super) fn new(state: State, location: String, supervisors: Arc<Supervisors>) -> Self {
        Self { state, location, supervisors, running: RunningCalls::default() }
    }

    /// Claims the key for this call.
    ///
    /// # Errors
    /// The first answer, if it was a failure; `CONFLICT` while the first call runs, or if its outcome is
    /// unknown; `VALIDATION_ERROR` if the key belongs to another call; `PROVIDER_UNAVAILABLE` if keys
    /// cannot be stored.
    pub(super) async fn begin(
        &self,
        key: IdempotencyKey,
        call: &mut Validated,
    ) -> Result<Begun<'_>> {
        let operation = call.operation.clone();
        let behind = behind(&operation, &call.arguments);
        let operation = operation.row();
        let principal = call.caller.principal().clone();
        let providers = self.supervisors.location(principal.account());
        let claim = Arc::new(Claim::new(
            principal,
            key,
            &operation.id,
            operation.idempotent,
            [&(self.location.clone() + &providers), &canonical(&operation.inputs, &behind)],
        ));
        let keyed_call = self.begin_running(&claim)?;
        match self.state.claim(claim).await {
            Ok(Claimed::New) => {}
            Ok(Claimed::Answered(ClaimedAnswer::Ok(value))) => return Ok(Begun::Before(value)),
            Ok(Claimed::Answered(ClaimedAnswer::Error(fault))) => return Err(fault),
            Ok(Claimed::Taken) => return Err(taken()),
            Ok(Claimed::Running) => return Err(running()),
            Ok(Claimed::Unfinished(started)) => return Err(unfinished(operation, &started)),
            Err(StorageFailed) => return Err(no_state(&self.state)),
        }
        call.keyed = Some(keyed_call.start.clone());
        Ok(Begun::Now(keyed_call))
    }

    /// Marks the call as running.
    ///
    /// # Errors
    /// If a call with this key is running.
    fn begin_running(&self, claim: &Arc<Claim>) -> Result<KeyedCall<'_>> {
        let name = (claim.principal.clone(), claim.key.clone());
        match self.running.lock().entry(name) {
            Entry::Occupied(other) if other.get().repeats(claim) => Err(running()),
            Entry::Occupied(_) => Err(taken()),
            Entry::Vacant(free) => {
                free.insert(claim.clone());
                let (state, held) = (self.state.clone(), claim.clone());
                let start = Start::while_held(move || state.holds(&held));
                Ok(KeyedCall { idempotency: self, claim: claim.clone(), start })
            }
        }
    }
}

/// A running call with a key. It ends when this is dropped.
pub(super) struct KeyedCall<'a> {
    idempotency: &'a Idempotency,
    claim: Arc<Claim>,
    start: Start,
}

impl KeyedCall<'_> {
    /// Stores the answer, if the call reached its handler and another attempt would end in the same way.
    pub(super) async fn end(self, result: &Ended) {
        let answer = match result {
            Ok(outcome) => Some(ClaimedAnswer::Ok(outcome.value.clone())),
            Err(interrupt) => {
                let fault = interrupt.fault();
                let is_kept = self.start.has_begun() && fault.is_final();
                is_kept.then(|| ClaimedAnswer::Error(fault.clone()))
            }
        };
        // The call has ended, even if its answer cannot be stored; the storage has logged why.
        let _ = self.idempotency.state.complete(self.claim.clone(), answer).await;
    }
}

impl Drop for KeyedCall<'_> {
    fn drop(&mut self) {
        let name = (self.claim.principal.clone(), self.claim.key.clone());
        self.idempotency.running.lock().remove(&name);
    }
}

/// The calls with a key that this process is running.
#[derive(Default)]
struct RunningCalls(Mutex<HashMap<(Principal, IdempotencyKey), Arc<Claim>>>);

impl RunningCalls {
    fn lock(&self) -> MutexGuard<'_, HashMap<(Principal, IdempotencyKey), Arc<Claim>>> {
        // No code that can panic runs under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn running() -> Fault {
    Fault::conflict("The same call, with the same idempotency key, is still running.")
        .hinting("Send it again in a moment to get its answer.")
        .retry_after(1.0)
}

fn taken() -> Fault {
    Fault::validation(
        "This idempotency key belongs to another call: other arguments, another operation, or another place that \
         the server works on.",
    )
    .with_path(IdempotencyKey::POINTER)
    .hinting("Use a new key for a new call, and the old key only to repeat the old call unchanged.")
}

fn unfinished(operation: &Operation, started: &str) -> Fault {
    Fault::conflict(format!(
        "This call was started at {started} and has no answer, so it is unknown whether it was done."
    ))
    .lost()
    .hinting(format!(
        "Check what `{}` would have changed. If it was not done, call again with a new key.",
        operation.id
    ))
}

/// A database of several replicas comes back, or this replica gets a lease again. A file that cannot be written stays so.
fn no_state(state: &State) -> Fault {
    let fault = Fault::new(
        Code::ProviderUnavailable,
        "The server cannot store idempotency keys, so it did not run this call.",
    );
    if state.shared().replica().is_some() {
        fault
            .hinting("Send the same call again in a moment. The server's log has the reason.")
            .retry_after(1.0)
    } else {
        fault.hinting("Call without a key, or ask the operator: the server's log has the reason.")
    }
}
