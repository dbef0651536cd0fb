//! `import`: writes the first manifest of an API or of another MCP server from a description of it, or the servers of
//! others that other programs are configured with.

#[cfg(feature = "upstreams")]
mod claude;
#[cfg(feature = "upstreams")]
mod clients;
#[cfg(all(feature = "authoring", feature = "upstreams"))]
mod mcp;
#[cfg(feature = "authoring")]
mod openapi;
#[cfg(feature = "upstreams")]
mod servers;

use clap::{ArgMatches, Command};

use crate::exit::Exit;
use crate::program::{Program, Verb};

pub(crate) const VERB: Verb = Verb { name: "import", command, run };

/// A description that can be imported.
struct Source {
    name: &'static str,
    command: fn() -> Command,
    run: fn(&Program, &ArgMatches) -> Result<(), Exit>,
}

const SOURCES: &[Source] = &[
    #[cfg(all(feature = "authoring", feature = "upstreams"))]
    mcp::SOURCE,
    #[cfg(feature = "authoring")]
    openapi::SOURCE,
    #[cfg(feature = "upstreams")]
    claude::SOURCE,
    #[cfg(feature = "upstreams")]
    clients::SOURCE,
];

fn command(_: &Program) -> Command {
    Command::new("import")
        .about("Write a manifest, or a configuration, from a description of others")
        .subcommands(SOURCES.iter().map(|source| (source.command)()))
        .subcommand_required(true)
        .arg_required_else_help(true)
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let chosen = matches.subcommand().and_then(|(name, matches)| {
        SOURCES.iter().find(|source| source.name == name).map(|source| (source, matches))
    });
    chosen.map_or(Ok(()), |(source, matches)| (source.run)(program, matches))
}
