//! Asks the user to confirm a destructive operation.

use std::io::{IsTerminal, stdin};

use serde_json::{Map, Value};

use crate::output;
use toolwrit_core::authority::{Alias, Operation};
use toolwrit_core::fault::{Code, Fault};

/// Succeeds if the call needs no confirmation, or the user confirms it.
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
        let message = format!("`{}` is destructive and was not confirmed.", operation.id);
        let hint = if operation.dry_run {
            "Pass --yes to run it, or --dry-run to see what it would do."
        } else {
            "Pass --yes to run it."
        };
        let fault = Fault::new(Code::ConfirmationRequired, message);
        return Err(fault.of(operation.id).hinting(hint));
    }
    output::print_message(&format!("{}: {}", operation.id, operation.summary));
    for (name, value) in arguments {
        output::print_message(&format!("  {name}: {value}"));
    }
    output::ask("Continue? [y/N]");
    let mut answer = String::new();
    let was_read = stdin().read_line(&mut answer).is_ok();
    if was_read && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    Err(Fault::cancelled("Not confirmed; nothing was done.").of(operation.id))
}

fn is_dry(
    operation: &Operation<'_>,
    alias: Option<&Alias<'_>>,
    arguments: &Map<String, Value>,
) -> bool {
    const DRY_RUN: &str = "dry_run";
    let fixed =
        alias.iter().flat_map(|alias| alias.mapping.set).find(|(path, _)| *path == [DRY_RUN]);
    let older =
        alias.iter().flat_map(|alias| alias.mapping.args).filter(|(_, now)| *now == [DRY_RUN]);
    let mut names = older.map(|(older, _)| *older).chain([DRY_RUN]);
    let dry = match fixed {
        Some((_, value)) => *value == "true",
        None => names.any(|name| arguments.get(name) == Some(&Value::Bool(true))),
    };
    operation.dry_run && dry
}
