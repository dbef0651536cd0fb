//! Finds the operation of a call, and asks the policy.

use serde_json::map::Entry;
use serde_json::{Map, Value};

use crate::authority::Alias;
use crate::call::{Admitted, Call};
use crate::fault::{Fault, Result};

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

/// Translates the arguments of an older name. A fixed argument replaces one that was sent.
///
/// # Errors
/// `VALIDATION_ERROR` for a parameter that was also sent under its older name: one of its two values would be
/// lost.
fn translate(alias: &Alias<'_>, arguments: Map<String, Value>) -> Result<Map<String, Value>> {
    let mut translated = Map::with_capacity(arguments.len());
    for (name, value) in arguments {
        let renamed = alias.args.iter().find(|(older, _)| *older == name);
        let current = renamed.map_or(name, |(_, current)| (*current).to_owned());
        match translated.entry(current) {
            Entry::Vacant(entry) => drop(entry.insert(value)),
            Entry::Occupied(entry) => {
                let current = entry.key();
                let message = format!("`{current}` occurs twice, once under an older name.");
                return Err(Fault::validation(message)
                    .at(format!("/{current}"))
                    .expecting("each parameter once")
                    .hinting(format!("Send only `{current}`.")));
            }
        }
    }
    for (name, text) in alias.set {
        // The macro has checked this JSON text against the type of the parameter.
        translated.insert((*name).to_owned(), serde_json::from_str(text).unwrap_or_default());
    }
    Ok(translated)
}
