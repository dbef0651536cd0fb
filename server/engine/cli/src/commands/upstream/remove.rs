//! `upstream remove`: takes an upstream out of the configuration, with all that was decided about it.

use std::io::{IsTerminal as _, stdin};

use clap::Args;

use super::{Chosen, added, cannot_write, login};
use crate::exit::Exit;
use crate::output;
use crate::program::Program;

#[derive(Debug, Args)]
pub(super) struct Flags {
    /// Name of the upstream.
    pub(super) name: String,
    /// Remove it without asking.
    #[arg(long)]
    yes: bool,
}

/// Removes an upstream.
pub(super) fn remove(program: &Program, flags: &Flags) -> Result<(), Exit> {
    let chosen = Chosen::find(program, &flags.name)?;
    let name = &chosen.settings.name;
    if !flags.yes {
        ask(name)?;
    }
    // A login whose settings cannot be read was never used.
    if let Ok(Some(target)) = chosen.settings.login_target() {
        login::end(&target, name)?;
    }
    let file = added::remove(program, name)?;
    chosen.approvals.remove(name).map_err(|error| cannot_write(&error))?;
    output::print_message(&format!("Removed {name} from {}.", file.display()));
    let named: Vec<String> = program.config.naming(name);
    if !named.is_empty() {
        output::print_warning(&format!(
            "{} still names {name} in {}; remove it there, too",
            file.display(),
            named.join(", ")
        ));
    }
    Ok(())
}

fn ask(name: &str) -> Result<(), Exit> {
    if !stdin().is_terminal() {
        let what = format!(
            "nothing was removed, because there is no terminal to ask on; pass --yes to remove {name}"
        );
        return Err(Exit::Failed(what));
    }
    if output::agrees(&format!("Remove {name}, its approval, its login and its log?")) {
        return Ok(());
    }
    Err(Exit::Failed("nothing was removed".to_owned()))
}
