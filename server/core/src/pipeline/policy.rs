//! Finds the operation and asks the gate.

use serde_json::map::Entry;
use serde_json::{Map, Value};

use crate::authority::Alias;
use crate::call::{Admitted, Call};
use crate::fault::{Fault, Result};

/// # Errors
/// When the operation does not exist for this caller, or the policy refuses it.
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

/// Turns an older name's arguments into today's. A fixed argument wins over one that was sent.
///
/// # Errors
/// `VALIDATION_ERROR` for a parameter that came under its older name, too: one of both values would be
/// lost.
fn translate(alias: &Alias<'_>, arguments: Map<String, Value>) -> Result<Map<String, Value>> {
    let mut today = Map::with_capacity(arguments.len());
    for (name, value) in arguments {
        let renamed = alias.args.iter().find(|(older, _)| *older == name);
        let current = renamed.map_or(name, |(_, current)| (*current).to_owned());
        match today.entry(current) {
            Entry::Vacant(place) => drop(place.insert(value)),
            Entry::Occupied(taken) => {
                let current = taken.key();
                let message = format!("`{current}` is there twice, once under an older name.");
                return Err(Fault::validation(message)
                    .at(format!("/{current}"))
                    .expecting("each parameter once")
                    .hinting(format!("Send `{current}` alone.")));
            }
        }
    }
    for (name, text) in alias.set {
        // The macro has checked that the text is JSON that fits.
        today.insert((*name).to_owned(), serde_json::from_str(text).unwrap_or_default());
    }
    Ok(today)
}
