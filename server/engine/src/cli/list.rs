//! `list`: the operations that the policy shows.

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::exit::Exit;
use super::flags::PolicyFlags;
use super::{Program, Verb, listing, render};

pub(super) const VERB: Verb = Verb { name: "list", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// Only the operations of this category.
    category: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    policy: PolicyFlags,
}

fn command(_: &Program) -> Command {
    Flags::augment_args(Command::new("list")).about("List the operations")
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { category, json, policy } = Flags::from_arg_matches(matches)?;
    let endpoint = listing::endpoint(program, policy.policy(program)?);
    let found = endpoint
        .find(None, category.as_deref(), usize::MAX)
        .map_err(|fault| render::failure(fault, json))?;
    listing::show(&found.operations, json)
}
