//! Asks the user on the terminal to confirm a call.

use std::io::{IsTerminal, stdin};
use std::pin::Pin;
use std::sync::Arc;

use super::progress;
use crate::output;
use toolwrit_core::authority::Operation;
use toolwrit_core::dialogue::{Confirmer, Dialogue};
use toolwrit_core::fault::{Code, Fault, Result};

/// How the engine gets the confirmation of a call: with `yes` it has it.
pub(super) fn dialogue(operation: &Operation, yes: bool) -> Dialogue {
    if yes {
        Dialogue::Settled
    } else {
        Dialogue::Confirming(Arc::new(Terminal { has_dry_run: operation.dry_run }))
    }
}

/// The user at the terminal.
#[derive(Debug)]
struct Terminal {
    /// Whether the operation has a dry run.
    has_dry_run: bool,
}

impl Confirmer for Terminal {
    fn confirm(&self, question: String) -> Pin<Box<dyn Future<Output = Result<()>> + Send>> {
        let has_dry_run = self.has_dry_run;
        Box::pin(async move {
            if !stdin().is_terminal() {
                return Err(no_terminal(has_dry_run));
            }
            // The thread that reads must not keep Ctrl-C from ending the call.
            match tokio::task::spawn_blocking(move || is_confirmed(&question)).await {
                Ok(true) => Ok(()),
                _ => Err(Fault::cancelled("Not confirmed; nothing was done.")),
            }
        })
    }
}

fn is_confirmed(question: &str) -> bool {
    progress::clear();
    output::print_message(question);
    output::ask("Continue? [y/N]");
    let mut answer = String::new();
    let was_read = stdin().read_line(&mut answer).is_ok();
    was_read && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

fn no_terminal(has_dry_run: bool) -> Fault {
    let message = "The call was not confirmed: there is no terminal to ask on. Nothing was done.";
    Fault::new(Code::ConfirmationRequired, message).hinting(if has_dry_run {
        "Pass --yes to run it, or --dry-run to see what it would do."
    } else {
        "Pass --yes to run it."
    })
}
