//! The variables of Toolwrit's own server that count for another one if it has what they name, and the flags that variables set.

use clap::{Arg, Command};

use crate::environment::{TOOLWRIT, is_set, value, variable};
use crate::output;
use crate::program::Program;
use toolwrit_core::policy::{Choice, Policy};

/// Variables that name what a server has.
const NAMING: [&str; 4] = ["EXCLUDE", "FOCUS", "ROLE", "TOOLS"];

/// A command whose flags are set by this server's variables.
pub(super) fn with_own_variables(command: Command, program: &Program) -> Command {
    let own = |arg: Arg| {
        let Some(declared) = arg.get_env().and_then(|name| name.to_str()).map(str::to_owned) else {
            return arg;
        };
        match stands_in(&declared, program) {
            Some(true) => arg,
            _ => arg.env(variable(&declared).into_owned()),
        }
    };
    command.mut_args(own).mut_subcommands(|command| with_own_variables(command, program))
}

/// Says which variables of Toolwrit name what this server does not have.
pub(crate) fn print_unused(program: &Program) {
    for name in NAMING {
        let declared = format!("{TOOLWRIT}{name}");
        if stands_in(&declared, program) == Some(false) {
            let (value, server) = (value(&declared), &program.tables().server.name);
            output::print_message(&format!("note: {declared}={value} is not for {server}"));
        }
    }
}

/// Whether the server has what this variable of Toolwrit names. `None` if the variable does not matter: another server's does not, nor
/// one beside the server's own.
fn stands_in(declared: &str, program: &Program) -> Option<bool> {
    let name = declared.strip_prefix(TOOLWRIT).filter(|name| NAMING.contains(name))?;
    let is_own = |own: &str| own == declared || is_set(own);
    if is_own(&variable(declared)) || !is_set(declared) {
        return None;
    }
    let value = value(declared);
    let list = || value.split(',').map(str::to_owned).collect();
    let choice = match name {
        "FOCUS" => Choice { focus: Some(value), ..Choice::default() },
        "ROLE" => Choice { role: Some(value), ..Choice::default() },
        "TOOLS" => Choice { only: list(), ..Choice::default() },
        _ => Choice { exclude: list(), ..Choice::default() },
    };
    Some(Policy::new(program.authority.clone(), &choice).is_ok())
}
