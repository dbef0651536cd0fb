//! The command line of any authority. There is a file for each command; this one runs them.

#[cfg(feature = "sqlite")]
mod audit;
#[cfg(feature = "browser")]
mod browse;
mod call;
#[cfg(feature = "chat")]
mod chat;
#[cfg(feature = "authoring")]
mod check;
mod completions;
mod config;
mod context;
mod describe;
#[cfg(feature = "docs")]
mod docs;
mod doctor;
mod engine_flags;
mod exit;
#[cfg(feature = "chat")]
mod export;
mod flags;
#[cfg(any(feature = "browser", feature = "chat"))]
mod given;
mod global_file;
mod home;
#[cfg(any(feature = "authoring", feature = "upstreams"))]
mod import;
mod list;
mod listing;
mod log;
#[cfg(feature = "lsp")]
mod lsp;
#[cfg(feature = "manifest")]
mod manifest;
#[cfg(feature = "sqlite")]
mod metrics;
#[cfg(feature = "oauth")]
mod oauth;
mod opening;
mod output;
mod program;
mod render;
#[cfg(feature = "authoring")]
mod scaffold;
#[cfg(feature = "authoring")]
mod schema;
mod search;
mod serve;
mod state;
mod table;
#[cfg(feature = "http")]
mod token;
#[cfg(feature = "authoring")]
mod tokens;
#[cfg(feature = "upstreams")]
mod upstream;
#[cfg(feature = "upstreams")]
mod upstreams;

use std::marker::PhantomData;
use std::process::ExitCode;
use std::sync::Arc;

#[cfg(feature = "chat")]
use clap::ArgMatches;
use clap::{Args, FromArgMatches};

use config::Config;
pub use engine_flags::EngineFlags;
use exit::Exit;
#[cfg(feature = "manifest")]
use manifest::ManifestFile;
#[cfg(feature = "chat")]
use opening::Conversing;
#[cfg(feature = "upstreams")]
use program::Alone;
use program::{Program, Verb, in_runtime};
#[cfg(feature = "chat")]
use toolwrit_converse::Converses;
use toolwrit_core::authority::{Authority, Tables};
use toolwrit_core::toolset::{App, Application, ProviderTables, Tools, Toolset, close};
#[cfg(feature = "upstreams")]
use upstreams::Upstreams;

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
    /// configuration file or in `TOOLWRIT_READ_ONLY`.
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
        self.program.verbs = &[VERBS, chat::VERBS];
        self
    }

    /// The application is not needed if the configuration has upstreams: unless the flag `flag` is given, set in the
    /// configuration file or in the environment, `G` is served with them instead.
    #[cfg(feature = "upstreams")]
    #[must_use]
    pub fn or_gateway<G: Tools>(mut self, flag: &'static str) -> Self
    where
        <G::App as App>::Options: Args,
    {
        self.program.alone = Some(Alone { unless: flag, program: program::<G> });
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
        authority: compiled(T::TABLES),
        enable_writes: None,
        #[cfg(feature = "manifest")]
        manifest: None,
        verbs: &[VERBS],
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
                let found = tokio::task::block_in_place(|| app.diagnose());
                close(app).await;
                Ok(found)
            })
        },
    }
}

const VERBS: &[Verb] = &[
    serve::VERB,
    call::VERB,
    list::VERB,
    search::VERB,
    context::VERB,
    describe::VERB,
    #[cfg(feature = "browser")]
    browse::VERB,
    #[cfg(feature = "lsp")]
    lsp::VERB,
    #[cfg(feature = "sqlite")]
    audit::VERB,
    #[cfg(feature = "sqlite")]
    metrics::VERB,
    #[cfg(feature = "http")]
    token::VERB,
    #[cfg(feature = "authoring")]
    check::VERB,
    #[cfg(feature = "authoring")]
    schema::VERB,
    #[cfg(feature = "authoring")]
    scaffold::VERB,
    #[cfg(any(feature = "authoring", feature = "upstreams"))]
    import::VERB,
    #[cfg(feature = "authoring")]
    tokens::VERB,
    #[cfg(feature = "docs")]
    docs::VERB,
    #[cfg(feature = "chat")]
    export::VERB,
    #[cfg(feature = "upstreams")]
    upstream::VERB,
    doctor::VERB,
    completions::VERB,
];

/// The authority that was compiled, as a value that lives as long as the process.
fn compiled(tables: &'static Tables<'static>) -> &'static Authority {
    Box::leak(Box::new(Authority::of(tables)))
}

fn run(mut program: Program) -> ExitCode {
    #[cfg(feature = "manifest")]
    // `check` reports the problems of a manifest itself.
    if let Some(file) = manifest::named(&program.arguments).filter(|_| !program.runs("check")) {
        match ManifestFile::load(&file, program.tables().server.version) {
            Ok(manifest) => program = program.with_manifest(manifest),
            // `lsp` reports them to the editor.
            #[cfg(feature = "lsp")]
            Err(_) if program.runs(lsp::VERB.name) => {}
            Err(problems) => return render::report(manifest::invalid(&problems)),
        }
    }
    match serve::configuration(&program) {
        Ok(config) => program.config = config,
        // `doctor` reads the file itself, and reports the error.
        Err(_) if program.runs(doctor::VERB.name) => {}
        Err(exit) => return render::report(exit),
    }
    #[cfg(feature = "upstreams")]
    match upstream::served(program) {
        Ok(extended) => program = extended,
        Err(exit) => return render::report(exit),
    }
    let matches = match program.command().try_get_matches_from(&program.arguments) {
        Ok(matches) => matches,
        // clap returns help and version as errors; `report` prints them and succeeds.
        Err(error) => return render::report(Exit::Usage(error)),
    };
    let verb = matches.subcommand().and_then(|(name, matches)| {
        program.verbs().find(|verb| verb.name == name).map(|verb| (verb, matches))
    });
    match verb.map(|(verb, matches)| (verb.run)(&program, matches)) {
        Some(Err(exit)) => render::report(exit),
        Some(Ok(())) | None => ExitCode::SUCCESS,
    }
}
