//! The program that all commands are part of.

mod help;
pub(crate) mod home;
#[cfg(feature = "manifest")]
pub(crate) mod manifest;
pub(crate) mod open_files;
pub(crate) mod opening;
pub(crate) mod state;
#[cfg(feature = "upstreams")]
pub(crate) mod upstreams;
pub(crate) mod variables;

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
#[cfg(feature = "manifest")]
use std::sync::OnceLock;
use std::sync::{Arc, LazyLock};

use clap::{Arg, ArgMatches, Command};

use crate::config::{self, Config};
use crate::exit::Exit;
#[cfg(feature = "manifest")]
use crate::program::manifest::ManifestFile;
#[cfg(feature = "chat")]
use crate::program::opening::Conversing;
use crate::program::opening::Opening;
#[cfg(feature = "upstreams")]
use crate::program::upstreams::Upstreams;
use toolwrit_core::authority::{Authority, Tables};
use toolwrit_core::diagnosis::Check;
use toolwrit_core::fault::Fault;
use toolwrit_core::policy::{Policy, Unmatched};
use toolwrit_core::provider::Supervised;
#[cfg(any(feature = "manifest", all(feature = "chat", feature = "upstreams")))]
use toolwrit_core::toolset::Toolset;
use toolwrit_core::toolset::{Candidates, ProviderTables};
#[cfg(feature = "manifest")]
use toolwrit_loader::{Loaded, bound_providers};

/// The name with which the program was started, for help and completions.
pub(super) fn program_name() -> &'static str {
    static NAME: LazyLock<String> = LazyLock::new(|| {
        let path = std::env::args_os().next().map(PathBuf::from);
        let stem = path.as_deref().and_then(Path::file_stem).and_then(|stem| stem.to_str());
        stem.unwrap_or("toolwrit").to_owned()
    });
    &NAME
}

/// How this program is called: its name, with the manifest that it was given in place of the one that was compiled.
pub(super) fn invocation() -> &'static str {
    #[cfg(feature = "manifest")]
    {
        static INVOCATION: LazyLock<String> = LazyLock::new(|| {
            let arguments: Vec<OsString> = std::env::args_os().collect();
            let file = manifest::find_file(&arguments);
            let file = file.map(|file| format!(" --manifest {}", quoted(&file.to_string_lossy())));
            format!("{}{}", program_name(), file.unwrap_or_default())
        });
        &INVOCATION
    }
    #[cfg(not(feature = "manifest"))]
    program_name()
}

/// A word of a shell command, in quotes if it needs them.
pub(super) fn quoted(word: &str) -> String {
    // Only a NUL byte cannot be quoted. No argument of a process has one.
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), Cow::into_owned)
}

/// What the command line needs from an authority and its application.
pub(super) struct Program {
    /// What the program serves. Flags of clap borrow from it.
    pub(super) authority: &'static Authority,
    /// The environment variable without which the program changes nothing; `None` if it needs none.
    pub(super) enable_writes: Option<&'static str>,
    /// The manifest of `--manifest`, which takes the place of the one that was compiled.
    #[cfg(feature = "manifest")]
    pub(super) manifest: Option<ManifestFile>,
    /// The commands, in the order of the help.
    pub(super) verbs: &'static [&'static [Verb]],
    /// The process's arguments, starting with the program's name.
    pub(super) arguments: Vec<OsString>,
    /// The configuration file, which sets defaults of flags.
    pub(super) config: Config,
    /// The servers of others.
    #[cfg(feature = "upstreams")]
    pub(super) upstreams: Upstreams,
    /// The program that serves them alone, and the flag without which it does.
    #[cfg(feature = "upstreams")]
    pub(super) alone: Option<Alone>,
    /// Adds the application's own flags to a command.
    pub(super) options: fn(Command) -> Command,
    /// Whether the flags given say which application to open.
    pub(super) is_named: fn(&ArgMatches) -> bool,
    /// What the application could open on this machine; `None` if there is nothing to choose.
    #[cfg_attr(
        not(any(feature = "clients", feature = "http")),
        expect(dead_code, reason = "for choices")
    )]
    pub(super) candidates: fn() -> Option<Candidates>,
    /// Opens the application with the flags given.
    pub(super) open: Open,
    /// Opens the application together with its conversations; `None` if it has none.
    #[cfg(feature = "chat")]
    pub(super) converse: Option<fn(&Program, &ArgMatches) -> Conversing>,
    /// Makes the providers to whose APIs operations are bound.
    pub(super) bound: fn(&Program, ProviderTables) -> Vec<Arc<dyn Supervised>>,
    /// Opens the application with the flags given, and diagnoses it.
    pub(super) diagnose: fn(&ArgMatches) -> Result<Vec<Check>, Exit>,
}

/// A function that opens the application.
pub(super) type Open = fn(&Program, &ArgMatches) -> Opening;

/// A program that takes the place of another one.
#[cfg(feature = "upstreams")]
#[derive(Clone, Copy)]
pub(super) struct Alone {
    /// The flags of the other one with which it does not.
    pub(super) unless: &'static [&'static str],
    /// Makes the program.
    pub(super) program: fn() -> Program,
}

/// A command: its flags and what it does.
pub(super) struct Verb {
    pub(super) name: &'static str,
    pub(super) command: fn(&Program) -> Command,
    pub(super) run: fn(&Program, &ArgMatches) -> Result<(), Exit>,
}

impl Program {
    /// Opens the application with the flags given, together with the servers of others.
    pub(super) fn open(&self, matches: &ArgMatches) -> Opening {
        let opening = (self.open)(self, matches);
        #[cfg(feature = "upstreams")]
        let opening = self.upstreams.join(opening, self.authority);
        opening
    }

    /// Checks that the flags say what to serve, for commands that people start. A client starts a server that has nothing to serve,
    /// and learns from it what to do.
    ///
    /// # Errors
    /// If they do not, and the application serves nothing by itself.
    #[cfg(feature = "http")]
    pub(super) fn check_named(&self, matches: &ArgMatches) -> Result<(), Exit> {
        let Some(Candidates { flags, found }) = (self.candidates)() else { return Ok(()) };
        if (self.is_named)(matches) {
            return Ok(());
        }
        let flag = flags.first().copied().unwrap_or_default();
        let listed: Vec<String> = found
            .iter()
            .map(|one| format!("\n  --{flag} {}", quoted(&one.path.to_string_lossy())))
            .collect();
        let known = if listed.is_empty() { "" } else { ", such as one of these:" };
        let message =
            format!("nothing says what to serve; add --{flag} DIR{known}{}\n", listed.concat());
        let kind = clap::error::ErrorKind::MissingRequiredArgument;
        Err(Exit::Usage(clap::Error::raw(kind, message)))
    }

    /// An open application, together with the servers of others.
    #[cfg(all(feature = "chat", feature = "upstreams"))]
    pub(super) fn joined(&self, app: Arc<dyn Toolset>) -> Opening {
        self.upstreams.join(Box::pin(async { Ok(app) }), self.authority)
    }

    /// What is served, with the operations of others that are known without asking them.
    pub(super) fn listed(&self) -> Authority {
        #[cfg(feature = "upstreams")]
        return self.upstreams.approved(self.authority.clone()).0;
        #[cfg(not(feature = "upstreams"))]
        self.authority.clone()
    }

    /// The operations that a policy and the configuration name and that nothing offers, although it may later.
    pub(super) fn unmatched(&self, policy: &Policy) -> Vec<Unmatched> {
        let found = |authority: &Authority| {
            let unmatched = policy.over(authority).unmatched();
            [unmatched, self.config.unmatched(authority.tables())].concat()
        };
        // Lock files are read only if they matter.
        let unmatched =
            if found(self.authority).is_empty() { Vec::new() } else { found(&self.listed()) };
        #[cfg(feature = "upstreams")]
        let unmatched = [unmatched, self.upstreams.unmatched()].concat();
        unmatched
    }

    /// The program with a manifest in place of the one that was compiled. It has no application, and so no flags of one.
    #[cfg(feature = "manifest")]
    pub(super) fn with_manifest(self, manifest: ManifestFile) -> Self {
        static SERVED: OnceLock<Authority> = OnceLock::new();
        Self {
            authority: SERVED.get_or_init(|| manifest.served.clone()),
            manifest: Some(manifest),
            options: |command| command,
            is_named: |_| true,
            candidates: || None,
            open: |program, _| {
                let (authority, settings) = (program.authority.clone(), program.config.providers());
                // Providers need the runtime.
                Box::pin(async {
                    Ok(Arc::new(Loaded::new(authority, settings)) as Arc<dyn Toolset>)
                })
            },
            #[cfg(feature = "chat")]
            converse: None,
            bound: |program, settings| bound_providers(program.tables(), settings),
            diagnose: |_| Ok(Vec::new()),
            ..self
        }
    }

    /// The tables of what the program serves.
    pub(super) fn tables(&self) -> &'static Tables {
        self.authority.tables()
    }

    /// The authority with all operations of its manifest, also those that only a compiled server runs.
    pub(super) fn whole(&self) -> &Authority {
        #[cfg(feature = "manifest")]
        if let Some(manifest) = &self.manifest {
            return &manifest.whole;
        }
        self.authority
    }

    /// The same, with the operations of others that are known without asking them.
    #[cfg(feature = "authoring")]
    pub(super) fn whole_listed(&self) -> Authority {
        let whole = self.whole().clone();
        #[cfg(feature = "upstreams")]
        let whole = self.upstreams.approved(whole).0;
        whole
    }

    /// The name of its folders in those of the user. A manifest from anywhere must not lead out of them.
    pub(super) fn folder_name(&self) -> String {
        let name = self.tables().server.name.as_str();
        let plain = |c: char| if c.is_control() || "/\\:".contains(c) { '-' } else { c };
        let plain: String = name.chars().map(plain).collect();
        if plain.starts_with('.') { format!("-{plain}") } else { plain }
    }

    /// A command whose flags have the values of the configuration file as defaults, and whose paths may begin with `~`.
    pub(super) fn preset(&self, command: Command) -> Command {
        self.config.preset(home::from_home(command))
    }

    /// Adds the application's own flags to a command, before others, because they say what is served.
    pub(super) fn with_options(&self, command: Command) -> Command {
        (self.options)(command.next_help_heading("What is served")).next_help_heading(None)
    }

    /// Whether the arguments name this command, however wrong they are otherwise.
    pub(super) fn runs(&self, verb: &str) -> bool {
        let matches = self.command().ignore_errors(true).try_get_matches_from(&self.arguments);
        matches.is_ok_and(|matches| matches.subcommand_name() == Some(verb))
    }

    /// The commands, in the order of the help.
    pub(super) fn verbs(&self) -> impl Iterator<Item = &'static Verb> {
        self.verbs.iter().copied().flatten()
    }

    /// Builds the whole command line.
    pub(super) fn command(&self) -> Command {
        let server = &self.tables().server;
        let about = server.title.as_ref().unwrap_or(&server.name);
        let command = Command::new(program_name())
            .version(server.version.as_str())
            .about(about.as_str())
            .subcommand_required(true)
            .arg_required_else_help(true)
            .args(flags())
            .subcommands(self.verbs().map(|verb| self.preset((verb.command)(self))))
            .help_template(help::template(self));
        variables::with_own_variables(command, self)
    }
}

/// The flags that every command has.
pub(super) fn flags() -> impl Iterator<Item = Arg> {
    let flags = [
        config::flag(),
        #[cfg(feature = "manifest")]
        manifest::flag(),
    ];
    flags.into_iter()
}

/// The fault for an operation that does not exist for this caller.
pub(super) fn unknown_operation(program: &Program, policy: &Policy, name: &str) -> Fault {
    let fault = policy.not_found(name);
    #[cfg(feature = "manifest")]
    if let Some(why) = program.manifest.as_ref().and_then(|manifest| manifest.lacks(name)) {
        return fault.hinting(why);
    }
    #[cfg(not(feature = "manifest"))]
    let _ = program;
    // The name of a tool that is gone has a hint of its own.
    if fault.hint().is_some() {
        return fault;
    }
    fault.hinting(format!("See `{} list`.", invocation()))
}

/// Runs work in the only async runtime of the process, which can run this many handlers at once.
pub(super) fn in_runtime<T>(
    handlers: u32,
    work: impl Future<Output = Result<T, Exit>>,
) -> Result<T, Exit> {
    let runtime = toolwrit_core::runtime::runtime(handlers)
        .map_err(|error| Exit::Failed(format!("cannot start the async runtime: {error}")))?;
    let outcome = runtime.block_on(work);
    // Blocking work that nothing waits for must not keep the process alive.
    runtime.shutdown_background();
    outcome
}
