//! Asking before an operation that destroys.

use std::io::{IsTerminal, stdin};

use serde_json::{Map, Value};

use crate::output;
use toolwrit_core::authority::{Alias, Operation};
use toolwrit_core::fault::{Code, Fault};

/// Lets the call go on: it needs no confirmation, or has it.
///
/// # Errors
/// `CONFIRMATION_REQUIRED` if there is no terminal to ask on, `CANCELLED` if the user declines.
pub(super) fn confirm(
    operation: &Operation<'_>,
    alias: Option<&Alias<'_>>,
    arguments: &Map<String, Value>,
    yes: bool,
) -> Result<(), Fault> {
    if !operation.confirm || yes || is_dry(operation, alias, arguments) {
        return Ok(());
    }
    if !stdin().is_terminal() {
        let message = format!("`{}` removes things, and nobody confirmed it.", operation.id);
        let hint = if operation.dry_run {
            "Pass --yes to run it, or --dry-run to see what it would do."
        } else {
            "Pass --yes to run it."
        };
        let fault = Fault::new(Code::ConfirmationRequired, message);
        return Err(fault.of(operation.id).hinting(hint));
    }
    output::tell(&format!("{}: {}", operation.id, operation.summary));
    for (name, value) in arguments {
        output::tell(&format!("  {name}: {value}"));
    }
    output::ask("Go on? [y/N]");
    let mut answer = String::new();
    let heard = stdin().read_line(&mut answer).is_ok();
    if heard && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    Err(Fault::cancelled("Not confirmed, so nothing was done.").of(operation.id))
}

fn is_dry(
    operation: &Operation<'_>,
    alias: Option<&Alias<'_>>,
    arguments: &Map<String, Value>,
) -> bool {
    let fixed = alias.iter().flat_map(|alias| alias.set).find(|(name, _)| *name == "dry_run");
    let dry = match fixed {
        Some((_, value)) => *value == "true",
        None => arguments.get("dry_run") == Some(&Value::Bool(true)),
    };
    operation.dry_run && dry
}
