//! `completions`: generates shell completions for commands, operations and their flags.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use clap_complete::Shell;

use crate::commands::call;
use crate::exit::Exit;
use crate::output;
use crate::program::{Program, Verb, program_name};
use toolwrit_core::policy::{Choice, Policy};

pub(crate) const VERB: Verb = Verb { name: "completions", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// The shell to generate completions for.
    shell: Shell,
}

fn command(_: &Program) -> Command {
    Flags::augment_args(Command::new("completions")).about("Generate shell completions")
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { shell } = Flags::from_arg_matches(matches)?;
    let policy =
        Policy::new(program.authority.clone(), &Choice::default()).map_err(Exit::configuration)?;
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut tree(program, &policy), program_name(), &mut script);
    output::print(&String::from_utf8_lossy(&script))
}

/// Builds all commands, with the operations as subcommands of `call`. Only completions need them all.
fn tree(program: &Program, policy: &Policy) -> Command {
    let operations = policy.visible().map(|(at, _)| {
        let operation = &program.tables().operations[at];
        call::operation_command(program, operation, None)
    });
    let operations = Command::new("call").about("Run one operation").subcommands(operations);
    program.command().mut_subcommand("call", |_| operations)
}
