//! Finds the operation of a call, and asks the policy.

use super::aliases::translate;
use crate::call::{Admitted, Call};
use crate::fault::Result;

/// Admits a call.
///
/// # Errors
/// If the operation does not exist for this caller, or the policy withholds it.
pub(super) fn admit(call: Call) -> Result<Admitted> {
    let policy = &call.caller.policy;
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
            .map_err(|fault| fault.of(row.id).teaching(row.signature, None))?,
        None => call.arguments,
    };
    Ok(Admitted { operation, alias, arguments, caller: call.caller })
}
