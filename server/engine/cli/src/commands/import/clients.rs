//! `import clients`: finds the configurations of other programs, and writes their servers into the configuration file.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, stdin};
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Value, json};

use super::Source;
use super::servers::{Servers, table};
use crate::clients::{self, Client};
use crate::exit::Exit;
use crate::output;
use crate::program::Program;

pub(super) const SOURCE: Source = Source { name: "clients", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// Only the servers of this program.
    #[arg(long, value_name = "NAME", value_parser = names())]
    from: Option<String>,
    /// Also the servers of a project's folder. Each is asked about, because it may come from someone else.
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Show what would be written, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(clients::all().iter().map(|client| client.name.as_str()))
}

fn command() -> Command {
    Flags::augment_args(Command::new(SOURCE.name)).about(
        "Find the MCP servers that other programs are configured with, and write them into the configuration file",
    )
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { from, project, dry_run, json } = Flags::from_arg_matches(matches)?;
    let wanted = |client: &&Client| from.as_ref().is_none_or(|name| *name == client.name);
    let mut servers = Servers::default();
    let mut files = Vec::new();
    for client in clients::all().iter().filter(wanted) {
        for file in client.user_files().filter(|file| file.is_file()) {
            read(&mut servers, &file);
            files.push((client, file));
        }
        let of_project = project.iter().flat_map(|project| client.project_files(project));
        for file in of_project.filter(|file| file.is_file()) {
            let before = servers.found.len();
            read(&mut servers, &file);
            keep_wanted(&mut servers, before, dry_run);
            files.push((client, file));
        }
    }
    if files.is_empty() {
        return Err(Exit::Failed(no_files(from.as_deref())));
    }
    let added = servers.add(program, dry_run)?;
    if json {
        let files: Vec<Value> =
            files.iter().map(|(client, file)| described(&servers, client, file)).collect();
        return output::print_json(&json!({
            "files": files, "added": added.names, "left_out": servers.left_out, "dry_run": dry_run,
        }));
    }
    if dry_run {
        return output::print(&written(&servers, &added.names));
    }
    if added.names.is_empty() {
        return Err(Exit::Failed("nothing was imported".to_owned()));
    }
    added.announce();
    Ok(())
}

/// Reads a file. One that cannot be read hinders no other one.
fn read(servers: &mut Servers, file: &Path) {
    if let Err(why) = servers.read(file) {
        servers.left_out.push(why);
    }
}

/// Asks about each server of a project, from this position on, and leaves out the others.
fn keep_wanted(servers: &mut Servers, from: usize, is_dry: bool) {
    let is_asked = stdin().is_terminal();
    for server in servers.found.split_off(from) {
        let file = server.file.display();
        if is_dry || (is_asked && output::agrees(&format!("Add `{}` of {file}?", server.name))) {
            servers.found.push(server);
        } else {
            let why = if is_asked {
                "it is not wanted"
            } else {
                "it comes from a project, and there is no terminal to ask on"
            };
            servers.left_out.push(format!("{file}: `{}`: {why}", server.upstream.name));
        }
    }
}

fn no_files(from: Option<&str>) -> String {
    let sought = clients::all().iter().filter(|client| from.is_none_or(|name| name == client.name));
    let titles: Vec<&str> = sought.map(|client| client.title.as_str()).collect();
    format!(
        "no configuration was found of {}; `import claude FILE` reads any other file",
        titles.join(", ")
    )
}

fn described(servers: &Servers, client: &Client, file: &Path) -> Value {
    let own = servers.found.iter().filter(|server| server.file == file);
    let names: BTreeMap<&str, &str> =
        own.map(|server| (server.upstream.name.as_str(), server.name.as_str())).collect();
    json!({ "client": client.name, "file": file, "servers": names })
}

/// The tables of these names.
fn written(servers: &Servers, names: &[String]) -> String {
    let wanted =
        names.iter().filter_map(|name| servers.found.iter().find(|server| server.name == *name));
    let tables =
        wanted.map(|server| format!("[upstreams.{}]\n{}\n", server.name, table(&server.upstream)));
    tables.collect::<Vec<_>>().concat()
}
