//! `list`: lists the operations that the policy shows.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Value, json};

use crate::commands::listing;
use crate::exit::Exit;
use crate::flags::PolicyFlags;
use crate::output;
use crate::output::render;
use crate::program::{Program, Verb};
use toolwrit_mcp::endpoint::SearchQuery;

pub(crate) const VERB: Verb = Verb { name: "list", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// List only the operations of this category.
    category: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    policy: PolicyFlags,
}

fn command(program: &Program) -> Command {
    listing::with_options(program, Flags::augment_args(Command::new("list")))
        .about("List the operations")
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { category, json, policy } = Flags::from_arg_matches(matches)?;
    let endpoint = listing::endpoint(program, matches, &policy.policy(program)?)?;
    let wanted = SearchQuery { query: None, category: category.as_deref() };
    let found = endpoint.find(wanted).map_err(|fault| render::failure(fault, json))?;
    let operations = found.found.into_iter().map(|found| found.operation);
    if json {
        let rows: Vec<Value> = operations.map(listing::row).collect();
        return output::print_json(&json!({ "operations": rows }));
    }
    let mut operations = operations.peekable();
    if operations.peek().is_none() {
        output::print_message(listing::NOTHING);
        return Ok(());
    }
    output::print(&listing::rows(operations))
}
