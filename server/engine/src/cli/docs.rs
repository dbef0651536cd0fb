//! `docs`: the documentation site of the authority.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::exit::Exit;
use super::{Program, Verb, manifest, output};
use crate::policy::{Choice, Policy};
use crate::site::costs;

pub(super) const VERB: Verb = Verb { name: "docs", command, run };

#[derive(Debug, Args)]
struct Build {
    /// Folder for the site. A site that was built there is replaced, anything else refused.
    #[arg(long, value_name = "DIR", default_value = "site")]
    out: PathBuf,
}

fn command(_: &Program) -> Command {
    let build = Build::augment_args(Command::new("build"));
    Command::new("docs")
        .about("Build the documentation site")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(build.about("Write the site: the guide, and a reference"))
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    match matches.subcommand() {
        Some(("build", matches)) => build(program, &Build::from_arg_matches(matches)?),
        _ => Ok(()),
    }
}

fn build(program: &Program, Build { out }: &Build) -> Result<(), Exit> {
    let authority = manifest::load(program.authority, None)?;
    let policy = Policy::new(program.authority, &Choice::default()).map_err(Exit::configuration)?;
    let site = toolwrit_docs::build(&authority, &costs(&policy), out)
        .map_err(|error| Exit::Failed(error.to_string()))?;
    output::print(&format!("{} pages, from {}", site.pages, site.index.display()))
}
