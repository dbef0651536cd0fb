//! The program that all commands belong to.

use std::ffi::OsString;
use std::pin::Pin;
use std::sync::Arc;

use clap::{ArgMatches, Command};

use super::config::{self, Config};
use super::exit::Exit;
use toolwrit_core::authority::{Authority, Tables};
use toolwrit_core::diagnosis::Check;
use toolwrit_core::fault::Fault;
use toolwrit_core::policy::Policy;
use toolwrit_core::toolset::Toolset;

/// The name under which the program was started, for help and completions.
pub(super) fn program_name() -> String {
    let name = std::env::args_os().next().map(std::path::PathBuf::from);
    let stem = name.as_deref().and_then(std::path::Path::file_stem).and_then(|stem| stem.to_str());
    stem.unwrap_or("toolwrit").to_owned()
}

/// What the command line needs to know of an authority and its application.
pub(super) struct Program {
    pub(super) authority: &'static Tables<'static>,
    /// The authority with the dynamic operations that are known before the application is open.
    pub(super) offered: fn() -> Authority,
    /// The commands, in the order of the help.
    pub(super) verbs: &'static [Verb],
    /// The process's arguments, its own name first.
    pub(super) arguments: Vec<OsString>,
    /// Defaults of flags, from the configuration file.
    pub(super) config: Config,
    /// Adds the application's own flags to a command.
    pub(super) options: fn(Command) -> Command,
    /// Opens the application with the flags given.
    pub(super) open: fn(&ArgMatches) -> Opening,
    /// Opens the application with the flags given, and diagnoses it.
    pub(super) diagnose: fn(&ArgMatches) -> Result<Vec<Check>, Exit>,
}

/// An application that is being opened, inside the runtime.
pub(super) type Opening = Pin<Box<dyn Future<Output = Result<Arc<dyn Toolset>, Exit>>>>;

/// A command: its flags and what it does.
pub(super) struct Verb {
    pub(super) name: &'static str,
    pub(super) command: fn(&Program) -> Command,
    pub(super) run: fn(&Program, &ArgMatches) -> Result<(), Exit>,
}

impl Program {
    /// The whole command line.
    pub(super) fn command(&self) -> Command {
        let server = &self.authority.server;
        let about = server.title.unwrap_or(server.name);
        Command::new(program_name())
            .version(server.version)
            .about(about)
            .subcommand_required(true)
            .arg_required_else_help(true)
            .arg(config::flag())
            .subcommands(self.verbs.iter().map(|verb| self.config.preset((verb.command)(self))))
    }
}

/// There is no such operation for this caller; says where they are.
pub(super) fn unknown_operation(policy: &Policy, name: &str) -> Fault {
    policy.not_found(name).hinting(format!("See `{} list`.", program_name()))
}

/// Does the work in the one async runtime of the process, in which so many handlers may be at work.
pub(super) fn in_runtime<T>(
    handlers: u32,
    work: impl Future<Output = Result<T, Exit>>,
) -> Result<T, Exit> {
    let runtime = toolwrit_core::runtime::runtime(handlers)
        .map_err(|error| Exit::Failed(format!("the async runtime does not start: {error}")))?;
    let outcome = runtime.block_on(work);
    // Blocking work whose caller has gone must not keep the process.
    runtime.shutdown_background();
    outcome
}
