//! The command line of any authority. `commands` has a file for each command; this file runs them.
//!
//! All commands share `program`, which has the authority, the flags and how the application is opened; with
//! `program/manifest`, the manifest of `--manifest` takes the place of the compiled one. `config` is the configuration
//! file: its keys are the flags of `serve`, and its values are their defaults. `clients` is the table of known MCP clients. `flags` are those of several commands;
//! `flags/given` writes the flags of a command for another one, which is printed. `output` prints results, tables and
//! errors. `commands/serve/reload` follows the files of a manifest, and `commands/upstream` has the commands for the
//! servers of others.
#![warn(missing_docs)]

#[cfg(feature = "clients")]
mod clients;
mod commands;
mod config;
mod environment;
mod exit;
mod flags;
mod output;
mod program;

use std::marker::PhantomData;
use std::process::ExitCode;
use std::sync::Arc;

#[cfg(feature = "chat")]
use clap::ArgMatches;
use clap::{Args, FromArgMatches};

use config::Config;
pub use config::named::{NamedPath, NamedTable};
use exit::Exit;
pub use flags::engine_flags::EngineFlags;
#[cfg(feature = "upstreams")]
use program::Alone;
#[cfg(feature = "manifest")]
use program::manifest::ManifestFile;
#[cfg(feature = "chat")]
use program::opening::Conversing;
#[cfg(feature = "upstreams")]
use program::upstreams::Upstreams;
use program::{Program, in_runtime};
#[cfg(feature = "chat")]
use toolwrit_chat::converse::Converses;
use toolwrit_core::toolset::{App, Application, ProviderTables, Tools, Toolset, close};

/// The `main` function of a server: parses the process's arguments, runs the command, reports errors.
///
/// Exit codes: 0 success, 1 failure of the command or operation, 2 invalid usage, 3 invalid configuration
/// or manifest.
pub fn main<T: Tools>() -> ExitCode
where
    <T::App as App>::Options: Args,
{
    Main::<T>::default().run()
}

/// The `main` function of a server that needs more than [`main`].
pub struct Main<T> {
    program: Program,
    tools: PhantomData<T>,
}

impl<T: Tools> Default for Main<T>
where
    <T::App as App>::Options: Args,
{
    fn default() -> Self {
        Self { program: program::<T>(), tools: PhantomData }
    }
}

impl<T: Tools> Main<T>
where
    <T::App as App>::Options: Args,
{
    /// The server changes nothing unless the environment variable `enable_writes` is true, or `read_only` is false in the
    /// configuration file or in the variable of `--read-only`.
    #[must_use]
    pub fn with_writes_by(mut self, enable_writes: &'static str) -> Self {
        self.program.enable_writes = Some(enable_writes);
        self
    }

    /// The notes of the application may be conversations.
    #[cfg(feature = "chat")]
    #[must_use]
    pub fn with_conversations(mut self) -> Self
    where
        T::App: Converses,
    {
        self.program.open = |program, matches| {
            let opening = converse::<T>(program, matches);
            Box::pin(async { Ok(opening.await?.0) })
        };
        self.program.converse = Some(converse::<T>);
        self.program.verbs = &[commands::VERBS, commands::chat::VERBS];
        self
    }

    /// The application is not needed if the configuration has upstreams: unless one of the `flags` is given, set in the
    /// configuration file or in the environment, `G` is served with them instead.
    #[cfg(feature = "upstreams")]
    #[must_use]
    pub fn or_gateway<G: Tools>(mut self, flags: &'static [&'static str]) -> Self
    where
        <G::App as App>::Options: Args,
    {
        self.program.alone = Some(Alone { unless: flags, program: program::<G> });
        self
    }

    /// Runs the command.
    pub fn run(self) -> ExitCode {
        run(self.program)
    }
}

/// Opens an application and its conversations.
#[cfg(feature = "chat")]
fn converse<T: Tools>(program: &Program, matches: &ArgMatches) -> Conversing
where
    <T::App as App>::Options: Args,
    T::App: Converses,
{
    let options = <T::App as App>::Options::from_arg_matches(matches);
    let (providers, settings) = (program.config.providers(), program.config.chat());
    Box::pin(async move {
        let app = Application::<T>::open(options?, providers);
        let app = app.await.map_err(Exit::configuration)?;
        let conversations = app.app().converse(settings);
        Ok((Arc::new(app) as Arc<dyn Toolset>, conversations))
    })
}

// `run` is not generic, so that it is compiled only once.
fn program<T: Tools>() -> Program
where
    <T::App as App>::Options: Args,
{
    Program {
        authority: T::compiled_authority(),
        enable_writes: None,
        #[cfg(feature = "manifest")]
        manifest: None,
        verbs: &[commands::VERBS],
        arguments: std::env::args_os().collect(),
        config: Config::default(),
        #[cfg(feature = "upstreams")]
        upstreams: Upstreams::default(),
        #[cfg(feature = "upstreams")]
        alone: None,
        options: <T::App as App>::Options::augment_args,
        is_named: |matches| {
            let options = <T::App as App>::Options::from_arg_matches(matches);
            options.is_ok_and(|options| T::App::is_named(&options))
        },
        candidates: T::App::candidates,
        open: |program, matches| {
            let options = <T::App as App>::Options::from_arg_matches(matches);
            let providers = program.config.providers();
            Box::pin(async move {
                let app = Application::<T>::open(options?, providers);
                let app = app.await.map_err(Exit::configuration)?;
                Ok(Arc::new(app) as Arc<dyn Toolset>)
            })
        },
        #[cfg(feature = "chat")]
        converse: None,
        bound: |_, settings| T::bound_providers(settings),
        diagnose: |matches| {
            let options = <T::App as App>::Options::from_arg_matches(matches)?;
            in_runtime(1, async {
                let app = Application::<T>::open(options, ProviderTables::new());
                let app = Arc::new(app.await.map_err(Exit::configuration)?);
                let setup = app.setup().unwrap_or_default();
                let found = tokio::task::block_in_place(|| setup.run_checks());
                close(app).await;
                Ok(found)
            })
        },
    }
}

fn run(mut program: Program) -> ExitCode {
    program::open_files::raise_limit();
    environment::name_variables(&program.tables().server.env);
    #[cfg(feature = "manifest")]
    // `check` reports the problems of a manifest itself.
    if let Some(file) =
        program::manifest::find_file(&program.arguments).filter(|_| !program.runs("check"))
    {
        match ManifestFile::load(&file, &program.tables().server) {
            Ok(manifest) => program = program.with_manifest(manifest),
            // `lsp` reports them to the editor.
            #[cfg(feature = "lsp")]
            Err(_) if program.runs(commands::lsp::VERB.name) => {}
            Err(problems) => return output::render::report(program::manifest::invalid(&problems)),
        }
    }
    match commands::serve::configuration(&program) {
        Ok(config) => program.config = config,
        // `doctor` reads the file itself, and reports the error.
        Err(_) if program.runs(commands::doctor::VERB.name) => {}
        Err(exit) => return output::render::report(exit),
    }
    #[cfg(feature = "upstreams")]
    match commands::upstream::served(program) {
        Ok(extended) => program = extended,
        Err(exit) => return output::render::report(exit),
    }
    #[cfg(feature = "clients")]
    if program.arguments.len() <= 1 {
        return match commands::welcome::welcome(&program) {
            Ok(()) => ExitCode::SUCCESS,
            Err(exit) => output::render::report(exit),
        };
    }
    let matches = match program.command().try_get_matches_from(&program.arguments) {
        Ok(matches) => matches,
        // clap returns help and version as errors; `report` prints them and succeeds.
        Err(error) => return output::render::report(Exit::Usage(error)),
    };
    program::variables::print_unused(&program);
    let verb = matches.subcommand().and_then(|(name, matches)| {
        program.verbs().find(|verb| verb.name == name).map(|verb| (verb, matches))
    });
    match verb.map(|(verb, matches)| (verb.run)(&program, matches)) {
        Some(Err(exit)) => output::render::report(exit),
        Some(Ok(())) | None => ExitCode::SUCCESS,
    }
}
