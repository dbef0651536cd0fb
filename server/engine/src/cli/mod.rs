//! The command line of any authority. A file per command; this one parses and hands over.

mod audit;
mod call;
#[cfg(feature = "authoring")]
mod check;
mod completions;
mod config;
mod context;
mod describe;
#[cfg(feature = "authoring")]
mod docs;
mod doctor;
mod engine_flags;
mod exit;
mod flags;
mod list;
mod listing;
mod log;
#[cfg(feature = "authoring")]
mod manifest;
mod oauth;
mod output;
mod render;
#[cfg(feature = "authoring")]
mod scaffold;
#[cfg(feature = "authoring")]
mod schema;
mod search;
mod serve;
mod state;
mod table;
mod token;
#[cfg(feature = "authoring")]
mod tokens;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::authority::Authority;
use crate::diagnosis::Check;
use crate::fault::Fault;
use crate::policy::Policy;
use crate::toolset::{App, Application, Tools, Toolset};
use config::Config;
pub use engine_flags::EngineFlags;
use exit::Exit;

/// The whole `main` of a server: parses the process's arguments, runs the command, reports errors.
///
/// Exit codes: 0 ok, 1 the operation failed, 2 usage, 3 configuration or manifest invalid.
pub fn main<T: Tools>() -> ExitCode {
    // Everything behind this line is the same code for every authority, compiled once.
    run(Program {
        authority: T::AUTHORITY,
        arguments: std::env::args_os().collect(),
        config: Config::default(),
        options: <T::App as App>::Options::augment_args,
        open: |matches| {
            let options = <T::App as App>::Options::from_arg_matches(matches)?;
            let app = T::App::open(options).map_err(Exit::configuration)?;
            Ok(Arc::new(Application(T::new(app))))
        },
        diagnose: |matches| {
            let options = <T::App as App>::Options::from_arg_matches(matches)?;
            Ok(T::App::open(options).map_err(Exit::configuration)?.diagnose())
        },
    })
}

/// What the command line needs to know of an authority and its application.
struct Program {
    authority: &'static Authority,
    /// The process's arguments, its own name first.
    arguments: Vec<OsString>,
    /// Defaults of flags, from the configuration file.
    config: Config,
    /// Adds the application's own flags to a command.
    options: fn(Command) -> Command,
    /// Opens the application with the flags given.
    open: fn(&ArgMatches) -> Result<Arc<dyn Toolset>, Exit>,
    /// Opens the application with the flags given, and looks at it.
    diagnose: fn(&ArgMatches) -> Result<Vec<Check>, Exit>,
}

/// A command: its flags and what it does.
struct Verb {
    name: &'static str,
    command: fn(&Program) -> Command,
    run: fn(&Program, &ArgMatches) -> Result<(), Exit>,
}

const VERBS: &[Verb] = &[
    serve::VERB,
    call::VERB,
    list::VERB,
    search::VERB,
    context::VERB,
    describe::VERB,
    audit::VERB,
    token::VERB,
    #[cfg(feature = "authoring")]
    check::VERB,
    #[cfg(feature = "authoring")]
    schema::VERB,
    #[cfg(feature = "authoring")]
    scaffold::VERB,
    #[cfg(feature = "authoring")]
    tokens::VERB,
    #[cfg(feature = "authoring")]
    docs::VERB,
    doctor::VERB,
    completions::VERB,
];

fn run(mut program: Program) -> ExitCode {
    match Config::load(&program, command(&program)) {
        Ok(config) => program.config = config,
        // It looks at the file itself.
        Err(_) if doctor::is_asked(&program, command(&program)) => {}
        Err(exit) => return exit.report(),
    }
    let matches = match command(&program).try_get_matches_from(&program.arguments) {
        Ok(matches) => matches,
        // Help and version are asked for, so they go to standard output and succeed.
        Err(error) => return Exit::Usage(error).report(),
    };
    let verb = matches.subcommand().and_then(|(name, matches)| {
        VERBS.iter().find(|verb| verb.name == name).map(|verb| (verb, matches))
    });
    match verb.map(|(verb, matches)| (verb.run)(&program, matches)) {
        Some(Err(exit)) => exit.report(),
        Some(Ok(())) | None => ExitCode::SUCCESS,
    }
}

fn command(program: &Program) -> Command {
    let server = &program.authority.server;
    let about = server.title.unwrap_or(server.name);
    Command::new(flags::program_name())
        .version(server.version)
        .about(about)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(config::flag())
        .subcommands(VERBS.iter().map(|verb| program.config.preset((verb.command)(program))))
}

/// There is no such operation for this caller; says where they are.
fn unknown(policy: &Policy, name: &str) -> Fault {
    policy.not_found(name).hinting(format!("See `{} list`.", flags::program_name()))
}

/// One async runtime per process.
fn runtime() -> Result<tokio::runtime::Runtime, Exit> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Exit::Failed(format!("the async runtime does not start: {error}")))
}
