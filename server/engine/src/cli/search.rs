//! `search`: operations by what they are about, as `search_tools` finds them.

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::exit::Exit;
use super::flags::PolicyFlags;
use super::{Program, Verb, listing, render};

pub(super) const VERB: Verb = Verb { name: "search", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// What to do, in words; quotes are not needed.
    #[arg(required = true)]
    query: Vec<String>,
    /// Only the operations of this category.
    #[arg(long, value_name = "NAME")]
    category: Option<String>,
    /// At most so many.
    #[arg(long, value_name = "N", default_value = "8")]
    limit: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    policy: PolicyFlags,
}

fn command(_: &Program) -> Command {
    Flags::augment_args(Command::new("search")).about("Find operations by what they do")
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { query, category, limit, json, policy } = Flags::from_arg_matches(matches)?;
    let endpoint = listing::endpoint(program, policy.policy(program)?);
    let found = endpoint
        .find(Some(&query.join(" ")), category.as_deref(), limit)
        .map_err(|fault| render::failure(fault, json))?;
    listing::show(&found.operations, json)
}
