//! `context`: detects the contexts of a message, and lists the operations that it needs.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::Value;

use crate::commands::listing;
use crate::exit::Exit;
use crate::flags::PolicyFlags;
use crate::output;
use crate::output::render;
use crate::output::table::{Align, table};
use crate::program::{Program, Verb};
use toolwrit_retrieval::contexts::{DetectedContext, Previous};

pub(crate) const VERB: Verb = Verb { name: "context", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// The message; quotes are not needed.
    #[arg(required_unless_present = "dump")]
    message: Vec<String>,
    /// Print everything that an agent without MCP needs: every operation, and how to call it.
    #[arg(long, conflicts_with_all = ["message", "previous"])]
    dump: bool,
    /// Contexts of earlier messages, with their confidence: tickets:0.67,notes:0.5.
    #[arg(long, value_name = "NAME:CONFIDENCE", default_value = "", hide_default_value = true)]
    previous: Previous,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    policy: PolicyFlags,
}

fn command(program: &Program) -> Command {
    listing::with_options(program, Flags::augment_args(Command::new("context")))
        .about("Detect the contexts of a message, and list the operations it needs")
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { message, dump, previous, json, policy } = Flags::from_arg_matches(matches)?;
    let endpoint = listing::endpoint(program, matches, &policy.policy(program)?)?;
    if dump {
        let dump = endpoint.dump();
        return if json {
            output::print_json(&dump.to_json())
        } else {
            output::print(&dump.to_string())
        };
    }
    let found = endpoint.detect(&message.join(" "), &previous);
    let found = found.map_err(|fault| render::failure(fault, json))?;
    if json {
        let rows: Value =
            found.operations.iter().map(|operation| listing::row(operation)).collect();
        return output::print_json(&found.answer("operations", rows));
    }
    if found.contexts.is_empty() {
        output::print_message("No context detected.");
        return Ok(());
    }
    show(&found.contexts)?;
    output::print("\n")?;
    output::print(&listing::rows(found.operations))
}

fn show(contexts: &[DetectedContext]) -> Result<(), Exit> {
    let columns =
        [("context", Align::Left), ("confidence", Align::Right), ("matched", Align::Left)];
    let rows: Vec<Vec<String>> = contexts
        .iter()
        .map(|found| {
            let DetectedContext { name, confidence, matched } = found;
            vec![name.clone(), format!("{confidence:.2}"), matched.join(", ")]
        })
        .collect();
    output::print(&table(&columns, &rows))
}
