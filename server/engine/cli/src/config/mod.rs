//! The configuration file: TOML whose keys are the flags of `serve`. Each value becomes the default of its
//! flag, so that flags override the environment, and the environment overrides the file.

mod beside;
#[cfg(feature = "chat")]
mod chat;
mod clients;
#[cfg(any(feature = "chat", feature = "postgres"))]
mod deserialized;
mod file;
pub(crate) mod global_file;
mod lacking;
mod mistake;
#[cfg(feature = "upstreams")]
mod modes;
pub(crate) mod named;
mod names;
mod operations;
mod print;
mod providers;
#[cfg(feature = "authoring")]
mod schema;
#[cfg(feature = "postgres")]
mod state;
mod tables;
#[cfg(feature = "upstreams")]
mod upstreams;

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Arg, ArgMatches, Command, value_parser};
use toml::Spanned;

use crate::exit::Exit;
use clients::ClientConfig;
use file::{FileSetting, FileSettings};
use named::has_tables;
use operations::Limited;
#[cfg(feature = "chat")]
use toolwrit_chat::converse::settings::ChatSettings;
use toolwrit_core::authority::Authority;
use toolwrit_core::authority::Tables;
#[cfg(feature = "upstreams")]
use toolwrit_core::authority::{AddedModes, InvalidMode};
use toolwrit_core::folders;
use toolwrit_core::policy::Unmatched;
use toolwrit_core::toolset::ProviderTables;
#[cfg(feature = "upstreams")]
use toolwrit_gateway::upstreams::UpstreamSettings;

pub(super) use print::print;
#[cfg(feature = "authoring")]
pub(super) use schema::schema;

/// Flags of `serve` that a file cannot set. The address of the state is a secret.
const NOT_KEYS: [&str; 6] = ["help", "version", "config", "print_config", "state", "stdio"];

/// The table of clients with their own surface settings. Not a flag.
const CLIENTS: &str = "clients";
/// The table of operations with their own limits. Not a flag.
const OPERATIONS: &str = "operations";
/// The table of providers with settings. Not a flag.
const PROVIDERS: &str = "providers";

/// The table of the servers of others. Not a flag.
#[cfg(feature = "upstreams")]
const UPSTREAMS: &str = "upstreams";

/// The variable that names the file.
const VARIABLE: &str = "TOOLWRIT_CONFIG";

/// The flag that names the file. Every command has it.
pub(super) fn flag() -> Arg {
    Arg::new("config")
        .long("config")
        .env(VARIABLE)
        .hide_env_values(true)
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .global(true)
        .help(
            "Configuration file; by default config.toml in the configuration folder, if it exists",
        )
}

/// The names that the file may have.
pub(super) struct Declared<'a> {
    /// What the program serves without upstreams.
    pub(super) authority: &'a Authority,
    /// The ids of operations.
    pub(super) operations: Vec<&'a str>,
    /// The settings of providers, by their names.
    pub(super) providers: BTreeMap<&'a str, Vec<String>>,
    /// Whether the application has conversations, and so models.
    #[cfg(feature = "chat")]
    pub(super) conversations: bool,
}

/// The content of the file; empty without a file.
#[derive(Debug, Default)]
pub(super) struct Config(Option<FileSettings>);

impl Config {
    /// Reads the file that the command line or the environment names, or the one in the configuration folder. With `may_create`,
    /// a named file need not exist.
    ///
    /// # Errors
    /// If the named file cannot be read, is not TOML, or has keys or values that the command `serve` does not accept.
    pub(super) fn load(
        server: &str,
        arguments: &[OsString],
        serve: &Command,
        declared: &Declared<'_>,
        may_create: bool,
    ) -> Result<Self, Exit> {
        let path = match global_file::find(arguments, "--config", VARIABLE) {
            Some(path) => path,
            None => match usual_file(server) {
                Some(file) if file.is_file() => file,
                _ => return Ok(Self::default()),
            },
        };
        if may_create && !path.exists() {
            return FileSettings::empty(&path, serve, declared)
                .map(|settings| Self(Some(settings)));
        }
        FileSettings::read(&path, serve, declared).map(|settings| Self(Some(settings)))
    }

    /// Checks the names of the policy against what the program serves with the upstreams of the file.
    ///
    /// # Errors
    /// Every name that is unknown, with its place.
    #[cfg(feature = "upstreams")]
    pub(super) fn check_names(&self, authority: &Authority) -> Result<(), Exit> {
        self.0.as_ref().map_or(Ok(()), |settings| settings.check_names(authority))
    }

    /// Reports a focus mode or a role of the file that cannot be added.
    #[cfg(feature = "upstreams")]
    pub(super) fn invalid_mode(&self, invalid: &InvalidMode) -> Exit {
        match &self.0 {
            Some(settings) => settings.invalid_mode(invalid),
            None => Exit::configuration(invalid),
        }
    }

    /// The focus modes and roles that the file adds.
    #[cfg(feature = "upstreams")]
    pub(super) fn modes(&self) -> AddedModes {
        self.0.as_ref().map(|settings| settings.modes.added.clone()).unwrap_or_default()
    }

    /// Whether the file has a table of focus modes.
    #[cfg(feature = "upstreams")]
    fn adds_focus(&self) -> bool {
        self.0.as_ref().is_some_and(|settings| !settings.modes.added.focus.is_empty())
    }

    #[cfg(not(feature = "upstreams"))]
    #[expect(clippy::unused_self, reason = "as with the feature")]
    fn adds_focus(&self) -> bool {
        false
    }

    #[cfg(feature = "upstreams")]
    fn modes_to_toml(&self) -> Result<String, toml::ser::Error> {
        self.0.as_ref().map_or_else(|| Ok(String::new()), |settings| settings.modes.to_toml())
    }

    /// The operations with their own limits that name no approved tool.
    pub(super) fn unmatched(&self, tables: &Tables) -> Vec<Unmatched> {
        let ids = self.operations().iter().map(|operation| operation.id.as_str());
        ids.filter_map(|id| Unmatched::find(tables, OPERATIONS, id)).collect()
    }

    /// The path of the file. `None` without a file.
    pub(super) fn path(&self) -> Option<&Path> {
        self.0.as_ref().map(|settings| settings.path.as_path())
    }

    /// Makes the file's values the defaults of a command's flags.
    pub(super) fn preset(&self, command: Command) -> Command {
        let settings = self.0.iter().flat_map(|settings| &settings.list);
        settings.fold(command, |command, FileSetting { id, values, .. }| {
            if command.get_arguments().any(|arg| arg.get_id() == id.as_str()) {
                command.mut_arg(id, |arg| arg.default_values(texts(values)))
            } else {
                command
            }
        })
    }

    /// How a replica uses its database.
    #[cfg(feature = "postgres")]
    pub(super) fn state(&self) -> state::StateTable {
        self.0.as_ref().map(|settings| settings.state.clone()).unwrap_or_default()
    }

    /// The clients with their own surface settings.
    pub(super) fn clients(&self) -> &[ClientConfig] {
        self.0.as_ref().map_or(&[], |settings| &settings.clients)
    }

    /// The timeouts of operations that have their own, by id.
    pub(super) fn timeouts(&self) -> HashMap<String, Duration> {
        self.operations()
            .iter()
            .map(|operation| (operation.id.clone(), operation.timeout))
            .collect()
    }

    /// What the file says about providers.
    pub(super) fn providers(&self) -> ProviderTables {
        self.0.as_ref().map(|settings| settings.providers.clone()).unwrap_or_default()
    }

    /// The servers of others, also those that are not enabled.
    #[cfg(feature = "upstreams")]
    pub(super) fn upstreams(&self) -> &[UpstreamSettings] {
        self.0.as_ref().map_or(&[], |settings| &settings.upstreams)
    }

    /// Whether the file sets this flag.
    #[cfg(feature = "clients")]
    pub(super) fn sets(&self, id: &str) -> bool {
        self.origin(id).is_some()
    }

    /// The keys of the file whose values name a category or its operations.
    #[cfg(feature = "upstreams")]
    pub(super) fn naming(&self, category: &str) -> Vec<String> {
        let Some(settings) = &self.0 else { return Vec::new() };
        let is_own = |text: &str| text.split('.').next() == Some(category);
        let flags = settings.list.iter().filter(|setting| {
            setting.values.iter().any(|value| is_own(&value.get_ref().to_string_lossy()))
        });
        let flags = flags.map(|setting| setting.id.clone());
        let operations = settings.operations.iter().filter(|operation| is_own(&operation.id));
        let operations = operations.map(|operation| format!("{OPERATIONS}.{}", operation.id));
        let modes = settings.modes.naming(is_own);
        flags.chain(operations).chain(modes).collect()
    }

    /// The value of this flag in the file.
    #[cfg(feature = "upstreams")]
    pub(super) fn value(&self, id: &str) -> Option<String> {
        let settings = self.0.as_ref()?.list.iter().find(|setting| setting.id == id)?;
        Some(settings.values.first()?.get_ref().to_string_lossy().into_owned())
    }

    /// What the file says about conversations.
    #[cfg(feature = "chat")]
    pub(super) fn chat(&self) -> ChatSettings {
        self.0.as_ref().map(|settings| settings.chat.clone()).unwrap_or_default()
    }

    /// The operations with their own limits.
    fn operations(&self) -> &[Limited] {
        self.0.as_ref().map_or(&[], |settings| &settings.operations)
    }

    /// Where the file sets this flag, such as `config.toml:3`. `None` if it does not.
    fn origin(&self, id: &str) -> Option<String> {
        let settings = self.0.as_ref()?;
        let setting = settings.list.iter().find(|setting| setting.id == id)?;
        Some(format!("{}:{}", settings.path.display(), setting.line))
    }
}

/// Values without their places.
fn texts(values: &[Spanned<OsString>]) -> Vec<OsString> {
    values.iter().map(|value| value.get_ref().clone()).collect()
}

/// The file that is read if no other is named; `None` if the user has no home folder.
pub(super) fn usual_file(server: &str) -> Option<PathBuf> {
    folders::configuration().map(|folder| folder.join(server).join("config.toml"))
}

/// The flags of the command `serve` that a file may set.
pub(super) fn keys(serve: &Command) -> Vec<Arg> {
    let may_set = |arg: &&Arg| !NOT_KEYS.contains(&arg.get_id().as_str());
    serve.get_arguments().filter(may_set).cloned().collect()
}

/// The key of a flag: its long name in `snake_case`.
fn key(arg: &Arg) -> String {
    arg.get_long().unwrap_or_default().replace('-', "_")
}

/// The kind of values that a flag has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyKind {
    Switch,
    List,
    Single,
    /// Named tables.
    Tables,
}

impl KeyKind {
    fn from_arg(arg: &Arg) -> Self {
        if !arg.get_action().takes_values() {
            KeyKind::Switch
        } else if has_tables(arg) {
            KeyKind::Tables
        } else if arg.get_value_delimiter().is_some()
            || matches!(arg.get_action(), clap::ArgAction::Append)
        {
            KeyKind::List
        } else {
            KeyKind::Single
        }
    }
}

/// Whether `serve` must print its configuration.
pub(super) fn is_wanted(matches: &ArgMatches) -> bool {
    matches.get_flag("print_config")
}

/// The flag `--print-config`.
pub(super) fn print_flag() -> Arg {
    Arg::new("print_config")
        .long("print-config")
        .action(clap::ArgAction::SetTrue)
        .help("Print each setting with its source, and exit")
}
