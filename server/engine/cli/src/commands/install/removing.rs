//! `uninstall`: takes this server out of clients.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::plan::is_own;
use super::removal::Removal;
use super::{agreed, ledger, named, names, usage};
use crate::clients::document::Target;
use crate::clients::ledger::Ledger;
use crate::clients::{self, Client, Scope};
use crate::exit::Exit;
use crate::output;
use crate::program::{Program, Verb};

pub(crate) const VERB: Verb = Verb { name: "uninstall", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// Clients to take the server out of.
    #[arg(required_unless_present = "all", conflicts_with = "all", value_name = "CLIENT", value_parser = names(), hide_possible_values = true)]
    clients: Vec<String>,
    /// All clients.
    #[arg(long)]
    all: bool,
    /// Only the server of this name.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// File of the client, if it is not where it usually is.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Show what would be changed, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Change it without asking.
    #[arg(long)]
    yes: bool,
}

fn command(_: &Program) -> Command {
    Flags::augment_args(Command::new(VERB.name))
        .about("Take this server out of MCP clients, and give their files back byte for byte")
        .after_help(
            "A file that has not changed since `install` gets its old bytes back. From any other file only the server is \
             removed.",
        )
}

fn run(_: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let flags = Flags::from_arg_matches(matches)?;
    let clients: Vec<&'static Client> =
        if flags.all { clients::all().iter().collect() } else { named(&flags.clients) };
    if flags.file.is_some() && clients.len() > 1 {
        return Err(usage("--file names the file of one client; name one CLIENT"));
    }
    let ledger = ledger()?;
    let is_wanted = |at: &Installed| flags.name.as_ref().is_none_or(|name| *name == at.name);
    let mut places = Vec::new();
    for client in clients {
        let found = installed(client, flags.file.as_ref(), &ledger)?;
        places.extend(found.into_iter().filter(is_wanted));
    }
    if places.is_empty() {
        return Err(Exit::Failed("none of these clients starts this program".to_owned()));
    }
    for place in &places {
        output::print(&place.removal(&ledger)?.preview())?;
    }
    if flags.dry_run {
        return Ok(());
    }
    if !agreed(flags.yes, "Change it?")? {
        return Err(Exit::Failed("nothing was changed".to_owned()));
    }
    remove_all(places, &ledger)
}

/// Removes servers one after the other. Those that can be undone exactly go first, because each such step makes the one before it
/// exact, too.
fn remove_all(mut places: Vec<Installed>, ledger: &Ledger) -> Result<(), Exit> {
    while !places.is_empty() {
        let removals = places.iter().map(|place| place.removal(ledger));
        let mut removals = removals.collect::<Result<Vec<_>, Exit>>()?;
        let next = removals.iter().position(Removal::is_exact).unwrap_or_default();
        removals.swap_remove(next).carry_out(ledger)?;
        places.remove(next);
    }
    Ok(())
}

/// A place where a client starts this program.
struct Installed {
    client: &'static Client,
    file: PathBuf,
    name: String,
    scope: Scope,
}

impl Installed {
    fn removal(&self, ledger: &Ledger) -> Result<Removal, Exit> {
        Removal::make(self.client, self.scope, &self.file, &self.name, ledger)
    }
}

/// The servers that were installed into a client, and those in its files that start this program.
fn installed(
    client: &'static Client,
    file: Option<&PathBuf>,
    ledger: &Ledger,
) -> Result<Vec<Installed>, Exit> {
    let here = std::env::current_dir().unwrap_or_default();
    let file = file.map(|file| here.join(file));
    let is_meant = |path: &PathBuf| file.as_ref().is_none_or(|file| file == path);
    let records = ledger.records().into_iter().filter(|record| record.client == client.name);
    let mut found: Vec<Installed> = records
        .map(|record| Installed {
            client,
            file: record.file,
            name: record.server,
            scope: record.scope,
        })
        .filter(|at| is_meant(&at.file))
        .collect();
    let of_user = client.user_files().map(|file| (file, Scope::User));
    let of_project = client.project_files(&here).map(|file| (file, Scope::Project));
    let named = file.iter().map(|file| (file.clone(), Scope::User));
    let files = of_user.chain(of_project).filter(|(path, _)| is_meant(path)).chain(named);
    for (file, scope) in files.filter(|(file, _)| file.is_file()) {
        let document = client.read(&file);
        let document =
            document.map_err(|why| Exit::Failed(format!("{}: {why}", file.display())))?;
        for entry in client.entries(&document) {
            let is_own = matches!(&entry.target, Target::Command(words) if is_own(words));
            let is_known = found.iter().any(|at| at.file == file && at.name == entry.name);
            if is_own && !is_known && entry.project.is_none() {
                found.push(Installed { client, file: file.clone(), name: entry.name, scope });
            }
        }
    }
    Ok(found)
}
