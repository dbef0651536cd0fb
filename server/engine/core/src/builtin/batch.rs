//! `batch_get`: several reads side by side, each through every phase of the pipeline.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tokio::task::JoinSet;

use crate::authority::{Builtin, Effect, OperationHandle, Served};
use crate::call::audit_arguments::AuditArguments;
use crate::call::batch;
use crate::call::calls::CallRunner;
use crate::call::reports::Reports;
use crate::call::{Call, Caller};
use crate::dialogue::{Dialogue, Interrupt};
use crate::fault::{Fault, Result};
use crate::json::size::object_size;
use crate::policy::Policy;

/// Runs the calls of a batch, and returns a result or an error for each, in their order. Reads that have not ended
/// when the batch is dropped are aborted.
///
/// # Errors
/// `VALIDATION_ERROR` if one of them is no call; then none is run.
pub(super) async fn run(
    runner: &Arc<dyn CallRunner>,
    caller: &Caller,
    arguments: &Map<String, Value>,
) -> Result<Value> {
    let calls = batch::calls(arguments)?;
    let mut results: Vec<Value> = Vec::with_capacity(calls.len());
    let mut running = JoinSet::new();
    for (at, (name, arguments)) in calls.into_iter().enumerate() {
        results.push(json!({ "tool": name }));
        if let Err(fault) = readable(caller.policy(), &name, &arguments) {
            results[at]["error"] = error(&fault);
            continue;
        }
        let bytes = object_size(&arguments);
        let call = Call { name, arguments, bytes, caller: Box::new(nested_caller(caller)) };
        let running_call = runner.clone().run_call(call);
        running.spawn(async move { (at, running_call.await) });
    }
    while let Some(ended) = running.join_next().await {
        // A read that panics has a result, and nothing here aborts one.
        let Ok((at, ended)) = ended else { continue };
        match ended.map_err(Interrupt::into_fault) {
            Ok(outcome) => results[at]["result"] = outcome.value,
            Err(fault) => results[at]["error"] = error(&fault),
        }
    }
    Ok(json!({ "results": results }))
}

/// Checks that a call is a read. Leaves calls of operations that do not exist for the caller to the policy phase.
fn readable(policy: &Policy, name: &str, arguments: &Map<String, Value>) -> Result<()> {
    let Some(index) = policy.tables().called(name, arguments) else { return Ok(()) };
    if !policy.knows(index) {
        return Ok(());
    }
    let operation: OperationHandle = policy.authority.operation(index);
    let row = operation.row();
    if row.served != Served::Tool {
        return Err(policy.not_found(name));
    }
    let refused =
        |why: &str| Err(Fault::validation(format!("`{}` {why}.", row.id)).of_operation(&row.id));
    match (row.effect, row.builtin) {
        (Effect::Read, Some(Builtin::BatchGet)) => refused("cannot be part of a batch"),
        (Effect::Read, _) => Ok(()),
        _ => refused("changes data, and a batch only reads; call it alone"),
    }
}

/// Returns the caller of a single read, which has its own record. It cannot ask questions: what a person has agreed to with the
/// batch is settled, and everything else that must be confirmed is refused.
fn nested_caller(caller: &Caller) -> Caller {
    Caller {
        idempotency_key: None,
        audit_arguments: AuditArguments::default(),
        dialogue: match caller.dialogue {
            Dialogue::Settled => Dialogue::Settled,
            _ => Dialogue::Silent,
        },
        reports: Reports::default(),
        cancellation: caller.cancellation.child_token(),
        ..caller.clone()
    }
}

fn error(fault: &Fault) -> Value {
    fault.to_json()["error"].take()
}
