//! `upstream approve`: shows what an upstream has, and writes its lock file.

use std::io::{IsTerminal as _, stdin};

use super::{Chosen, cannot_write, shown};
use crate::exit::Exit;
use crate::output;
use crate::program::Program;
use toolwrit_gateway::Approval;

/// Approves the tools of an upstream as they are now.
pub(super) fn approve(program: &Program, chosen: &Chosen<'_>, yes: bool) -> Result<(), Exit> {
    let (name, approvals) = (&chosen.settings.name, &chosen.approvals);
    let before = match approvals.approval(name) {
        Approval::Approved(lock) => Some(lock),
        Approval::Missing => None,
        Approval::Broken(why) => {
            output::print_warning(&why);
            None
        }
    };
    let found = chosen.examine()?;
    let shown = match &before {
        Some(lock) => {
            let verdict = found.verdict(lock);
            let same = lock.server().capabilities == found.server.capabilities;
            if verdict.is_clean() && same {
                output::print_message("The tools are as approved before.");
                return Ok(());
            }
            if verdict.is_clean() {
                "The tools are as approved before. The server offers something else besides them.\n"
                    .to_owned()
            } else {
                shown::changes(lock, &found, &verdict)
            }
        }
        None => shown::text(&found),
    };
    output::print(&shown)?;
    if !yes {
        ask(name)?;
    }
    approvals.approve(name, &found.lock()).map_err(|error| cannot_write(&error))?;
    let (tools, file) = (found.tools.tools().len(), approvals.lock_file(name));
    output::print_message(&format!("Approved {tools} tools of {name} in {}.", file.display()));
    consequences(program, name);
    Ok(())
}

/// Says which approved tools are not offered, and which must be confirmed because nothing says what they do.
fn consequences(program: &Program, name: &str) {
    let (authority, refused) = program.upstreams.approved(program.authority.clone());
    for refused in refused.iter().filter(|refused| refused.upstream == name) {
        output::print_message(&format!("Not offered: {}.", refused.why));
    }
    let is_own = |id: &str| id.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    let operations = authority.tables().operations.iter();
    let assumed = operations.filter(|own| own.is_assumed && is_own(own.id)).count();
    if assumed > 0 {
        output::print_message(&format!(
            "Nothing says what {assumed} of them do, so each of their calls must be confirmed. `effects` or \
             `trust_annotations` in [upstreams.{name}] says it."
        ));
    }
}

fn ask(name: &str) -> Result<(), Exit> {
    if !stdin().is_terminal() {
        return Err(Exit::Failed(format!(
            "nothing was approved, because there is no terminal to ask on; pass --yes to approve {name} as shown"
        )));
    }
    output::ask("Approve these tools? [y/N]");
    let mut answer = String::new();
    let was_read = stdin().read_line(&mut answer).is_ok();
    if was_read && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    Err(Exit::Failed("nothing was approved".to_owned()))
}
