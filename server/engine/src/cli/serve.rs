//! `serve`: an MCP server on standard input and output.

use std::sync::Arc;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::exit::Exit;
use super::flags::{LimitFlags, PolicyFlags, SurfaceFlags};
use super::state::StateFlags;
use super::{Program, Verb, config, log};
use crate::endpoint::{Endpoint, Engine};
use crate::mcp::Server;
use crate::transport::stdio;

pub(super) const VERB: Verb = Verb { name: "serve", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// Speak MCP over standard input and output. This is the default.
    #[arg(long)]
    stdio: bool,
    #[command(flatten)]
    surface: SurfaceFlags,
    #[command(flatten)]
    policy: PolicyFlags,
    #[command(flatten)]
    limits: LimitFlags,
    #[command(flatten)]
    state: StateFlags,
}

fn command(program: &Program) -> Command {
    let command = (program.options)(Flags::augment_args(Command::new("serve")));
    command.arg(config::print_flag()).about("Serve MCP over standard input and output")
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let flags = Flags::from_arg_matches(matches)?;
    let policy = flags.policy.policy(program)?;
    if config::is_wanted(matches) {
        return config::print(program, matches, &policy);
    }
    log::start();
    // Dropped last, when everything that ran has left its record.
    let keeper = flags.state.open(program);
    let engine = Engine::new((program.open)(matches)?, &flags.limits.settings(), keeper.state());
    let SurfaceFlags { surface, split, profile } = flags.surface;
    let server = Server::new(Arc::new(Endpoint::new(engine, policy, surface, split, profile)));
    let runtime = super::runtime()?;
    runtime
        .block_on(stdio::serve(server))
        .map_err(|error| Exit::Failed(format!("the connection broke: {error}")))?;
    // Blocking work whose caller has gone must not keep the process.
    runtime.shutdown_background();
    Ok(())
}
