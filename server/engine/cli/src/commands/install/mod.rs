//! `install` and `uninstall`: add this server to clients, and take it out of them again.

mod client_command;
mod plan;
mod removal;
mod removing;
mod served;

use std::io::{IsTerminal as _, stdin};
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::clients::ledger::Ledger;
use crate::clients::{self, Client, Scope};
use crate::exit::Exit;
use crate::output;
use crate::program::{Program, Verb, invocation};
use plan::Plan;

pub(crate) use plan::is_own;
pub(crate) use removing::VERB as UNINSTALL;
pub(crate) use served::{missing, mistake};

pub(crate) const VERB: Verb = Verb { name: "install", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// Clients to add the server to.
    #[arg(required = true, value_name = "CLIENT", value_parser = names(), hide_possible_values = true)]
    clients: Vec<String>,
    /// Name of the server in the clients; by default from what it serves.
    #[arg(long, value_name = "NAME", value_parser = server_name)]
    name: Option<String>,
    /// For all projects of the user, or for the project in the current folder.
    #[arg(long, value_enum, value_name = "SCOPE", default_value = "user")]
    scope: Scope,
    /// File of the client, if it is not where it usually is.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Show what would be changed, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Change it without asking.
    #[arg(long)]
    yes: bool,
    /// Flags of `serve` for these clients.
    #[arg(last = true, value_name = "FLAGS")]
    serve: Vec<String>,
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(clients::all().iter().map(|client| client.name.as_str()))
}

/// Parses the name of a server. Some clients build the names of tools with it.
fn server_name(text: &str) -> Result<String, String> {
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if is_plain && (1..=40).contains(&text.len()) && !text.starts_with('-') {
        return Ok(text.to_owned());
    }
    Err("expected 1 to 40 letters, digits and `-`, which all clients take".to_owned())
}

fn command(program: &Program) -> Command {
    let command = Flags::augment_args(Command::new(VERB.name));
    let listed: Vec<String> = clients::all()
        .iter()
        .map(|client| format!("  {:16} {}", client.name, client.title))
        .collect();
    served::with_options(program, command)
        .about("Add this server to MCP clients, after showing each change")
        .after_help(format!("Clients:\n{}", listed.join("\n")))
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let flags = Flags::from_arg_matches(matches)?;
    let clients = named(&flags.clients);
    if flags.file.is_some() && clients.len() > 1 {
        return Err(usage("--file names the file of one client; name one CLIENT"));
    }
    let ledger = ledger()?;
    let served = served::Served::choose(program, matches, &flags.serve)?;
    let name = match flags.name {
        Some(name) => name,
        None => served.name(program),
    };
    let mut plans = Vec::with_capacity(clients.len());
    for client in clients {
        let words = served.words(program, client);
        served::check(program, &words)?;
        plans.push(Plan::make(client, flags.scope, flags.file.as_deref(), &name, words, &ledger)?);
    }
    for plan in &plans {
        output::print(&plan.preview())?;
    }
    let is_changing = plans.iter().any(Plan::is_changing);
    if flags.dry_run || !is_changing {
        return Ok(());
    }
    if !agreed(flags.yes, "Write it?")? {
        return Err(Exit::Failed("nothing was changed".to_owned()));
    }
    for plan in &plans {
        plan.carry_out(&ledger)?;
    }
    output::print_message(&format!(
        "`{0} doctor --start` tries the entry, and `{0} uninstall {1}` takes it out again.",
        invocation(),
        flags.clients.join(" ")
    ));
    Ok(())
}

/// The clients of these names, each once.
fn named(names: &[String]) -> Vec<&'static Client> {
    clients::all().iter().filter(|client| names.contains(&client.name)).collect()
}

fn ledger() -> Result<Ledger, Exit> {
    let why = "there is no home folder, in which to remember how to undo changes; set HOME";
    Ledger::of_user().ok_or_else(|| Exit::Configuration(why.to_owned()))
}

/// Whether the user wants it: asked on the terminal, or said by a flag.
///
/// # Errors
/// If there is no terminal, and no flag.
pub(crate) fn agreed(yes: bool, question: &str) -> Result<bool, Exit> {
    if yes {
        return Ok(true);
    }
    if !stdin().is_terminal() {
        return Err(usage(
            "nothing was changed, because there is no terminal to ask on; add --yes",
        ));
    }
    Ok(output::agrees(question))
}

fn usage(what: impl std::fmt::Display) -> Exit {
    Exit::Usage(clap::Error::raw(
        clap::error::ErrorKind::MissingRequiredArgument,
        format!("{what}\n"),
    ))
}
