//! `import claude`: writes the servers of others that another program is configured with into the configuration file.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Source;
use super::servers::Servers;
use crate::exit::Exit;
use crate::program::Program;

pub(super) const SOURCE: Source = Source { name: "claude", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// Configuration of a program such as Claude Desktop, Cursor, VS Code, Codex or Goose, as JSON, TOML or YAML.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

fn command() -> Command {
    Flags::augment_args(Command::new(SOURCE.name)).about(
        "Write the MCP servers that another program is configured with into the configuration file",
    )
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { file } = Flags::from_arg_matches(matches)?;
    let mut servers = Servers::default();
    servers.read(&file).map_err(Exit::Failed)?;
    let added = servers.add(program, false)?;
    if added.names.is_empty() {
        return Err(Exit::Failed("nothing was imported".to_owned()));
    }
    added.announce();
    Ok(())
}
