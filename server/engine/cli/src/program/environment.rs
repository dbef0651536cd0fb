//! The environment variables that set flags. Those of a server begin with a word of its own, so that what is set for one server does
//! not change another: `LIBRARY_ROLE` where the flags declare `TOOLWRIT_ROLE`.

use std::borrow::Cow;
use std::env;
use std::sync::OnceLock;

use clap::{Arg, Command};

use crate::output;
use crate::program::Program;
use toolwrit_core::policy::{Choice, Policy};

/// What the declared variables begin with, which are those of Toolwrit's own server.
const TOOLWRIT: &str = "TOOLWRIT_";
/// Variables of Toolwrit that also count for a server without its own, because they restrict, or say where things are.
const COMMON: [&str; 9] = [
    "CONCURRENCY",
    "DATA_DIR",
    "LOG",
    "PER_CALLER",
    "QUEUE",
    "RATE",
    "READ_ONLY",
    "SESSION_CALLS",
    "TIMEOUT",
];
/// The same, if the server has what they name.
const NAMING: [&str; 4] = ["EXCLUDE", "FOCUS", "ROLE", "TOOLS"];

/// The first word of this server's variables.
static WORD: OnceLock<&'static str> = OnceLock::new();

/// Sets the first word of the variables of the server that this process runs. The first call counts.
pub(crate) fn name_variables(word: &'static str) {
    WORD.get_or_init(|| word);
}

/// The variable to read in place of a declared one.
pub(crate) fn variable(declared: &str) -> Cow<'_, str> {
    match (WORD.get(), declared.strip_prefix(TOOLWRIT)) {
        (Some(word), Some(name)) => {
            let own = format!("{word}_{name}");
            let is_common = COMMON.contains(&name) && !is_set(&own) && is_set(declared);
            if is_common { declared.into() } else { own.into() }
        }
        _ => declared.into(),
    }
}

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

fn is_set(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|value| !value.is_empty())
}

fn value(variable: &str) -> String {
    env::var_os(variable).unwrap_or_default().to_string_lossy().into_owned()
}
