//! Finds the operation of a call, and asks the policy.

use super::aliases::translate;
use super::deadline::never_begun;
use crate::authority::Operation;
use crate::call::{Admitted, Call};
use crate::fault::Result;
use crate::policy::Policy;

/// Waits until the provider of a call has been examined once: a call at the start must not fail only because that has not
/// happened yet. Other providers may be slow, and are not waited for.
///
/// # Errors
/// `CANCELLED` if the client cancels or disconnects meanwhile.
pub(super) async fn examined(call: &Call) -> Result<()> {
    let examination = wait_until_examined(call.caller.policy(), &call.name);
    let examination = call.caller.cancellation.run_until_cancelled(examination);
    examination.await.ok_or_else(never_begun)
}

async fn wait_until_examined(policy: &Policy, name: &str) {
    let Some(providers) = policy.providers() else { return };
    let tables = policy.tables();
    let found = tables.lookup(name);
    match found.map(|found| &*tables.operations[usize::from(found.operation)]) {
        Some(Operation { requires: Some(at), .. }) => {
            providers.wait_until_examined(usize::from(*at)).await;
        }
        Some(Operation { builtin: None, .. }) => {}
        // The engine's own operations tell about all providers, and any provider may add an operation of an unknown name.
        Some(_) | None => providers.wait_until_all_examined().await,
    }
}

/// Admits a call.
///
/// # Errors
/// If the operation does not exist for this caller, or the policy withholds it.
pub(super) fn admit(call: Call) -> Result<Admitted> {
    let policy = call.caller.policy();
    let Some(name) = policy.tables().lookup(&call.name) else {
        return Err(policy.not_found(&call.name));
    };
    let index = usize::from(name.operation);
    if !policy.knows(index) {
        // The same answer as for a name that was never declared.
        return Err(policy.not_found(&call.name));
    }
    policy.admit(index)?;
    let (operation, alias) = (policy.authority.operation(index), name.alias);
    let row = operation.row();
    let arguments = match alias {
        Some(alias) => translate(&row.aliases[usize::from(alias)], call.arguments)
            .map_err(|fault| fault.of_operation(&row.id).teaching(&row.signature, None))?,
        None => call.arguments,
    };
    Ok(Admitted { operation, alias, arguments, caller: call.caller })
}
