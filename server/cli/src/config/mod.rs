//! The configuration file: TOML whose keys are the flags of `serve`. Each value becomes the default
//! of its flag, so flags beat the environment, and the environment beats the file, everywhere.

mod clients;
mod file;
mod lacking;
mod mistake;
mod operations;
mod print;
#[cfg(feature = "authoring")]
mod schema;

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Arg, ArgMatches, Command, value_parser};

use super::exit::Exit;
use clients::ClientConfig;
use file::{FileSetting, FileSettings};
use operations::Limited;
use toolwrit_core::folders;

pub(super) use print::print;
#[cfg(feature = "authoring")]
pub(super) use schema::schema;

/// Flags of `serve` that a file cannot set.
const NOT_KEYS: [&str; 5] = ["help", "version", "config", "print_config", "stdio"];

/// The first of two keys that are no flags: a table for each client that sees another surface.
const CLIENTS: &str = "clients";
/// The second: a table for each operation that has limits of its own.
const OPERATIONS: &str = "operations";

/// The flag that names the file, on every command.
pub(super) fn flag() -> Arg {
    Arg::new("config")
        .long("config")
        .env("TOOLWRIT_CONFIG")
        .hide_env_values(true)
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .global(true)
        .help("Configuration file; without it, config.toml in the configuration folder, if any")
}

/// What the file says; nothing when there is none.
#[derive(Debug, Default)]
pub(super) struct Config(Option<FileSettings>);

impl Config {
    /// Reads the file that the command line, the environment or the configuration folder names.
    ///
    /// # Errors
    /// A file that is named but cannot be read, is not TOML, or says what `serve` does not take.
    pub(super) fn load(
        server: &str,
        command: Command,
        arguments: &[OsString],
        keys: &[Arg],
        operations: &[&str],
    ) -> Result<Self, Exit> {
        // Before the real reading, because the file decides about its defaults. What is wrong with
        // the command line is reported there.
        let matches = command.ignore_errors(true).try_get_matches_from(arguments);
        let named = matches.ok().and_then(|matches| matches.get_one::<PathBuf>("config").cloned());
        let path = match named {
            Some(path) => path,
            None => match folders::configuration().map(|folder| folder.join(server)) {
                Some(folder) if folder.join("config.toml").is_file() => folder.join("config.toml"),
                _ => return Ok(Self::default()),
            },
        };
        FileSettings::read(&path, keys, operations).map(|settings| Self(Some(settings)))
    }

    /// The file; none when there is none.
    pub(super) fn path(&self) -> Option<&Path> {
        self.0.as_ref().map(|settings| settings.path.as_path())
    }

    /// Makes the file's values the defaults of a command's flags.
    pub(super) fn preset(&self, command: Command) -> Command {
        let settings = self.0.iter().flat_map(|settings| &settings.list);
        settings.fold(command, |command, FileSetting { id, values, .. }| {
            if command.get_arguments().any(|arg| arg.get_id() == id.as_str()) {
                command.mut_arg(id, |arg| arg.default_values(values.clone()))
            } else {
                command
            }
        })
    }

    /// The clients with a surface of their own.
    pub(super) fn clients(&self) -> &[ClientConfig] {
        self.0.as_ref().map_or(&[], |settings| &settings.clients)
    }

    /// How long the handlers of some operations may run, by id.
    pub(super) fn timeouts(&self) -> HashMap<String, Duration> {
        self.operations().iter().map(|own| (own.id.clone(), own.timeout)).collect()
    }

    /// The operations that have limits of their own.
    fn operations(&self) -> &[Limited] {
        self.0.as_ref().map_or(&[], |settings| &settings.operations)
    }

    /// Where the file sets this flag: `config.toml:3`.
    fn place(&self, id: &str) -> Option<String> {
        let settings = self.0.as_ref()?;
        let setting = settings.list.iter().find(|setting| setting.id == id)?;
        Some(format!("{}:{}", settings.path.display(), setting.line))
    }
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

/// What values a flag takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyKind {
    Switch,
    List,
    Single,
}

impl KeyKind {
    fn of(arg: &Arg) -> Self {
        if !arg.get_action().takes_values() {
            KeyKind::Switch
        } else if arg.get_value_delimiter().is_some()
            || matches!(arg.get_action(), clap::ArgAction::Append)
        {
            KeyKind::List
        } else {
            KeyKind::Single
        }
    }
}

/// Whether `serve` was asked to print its configuration.
pub(super) fn is_wanted(matches: &ArgMatches) -> bool {
    matches.get_flag("print_config")
}

/// The flag that asks for it.
pub(super) fn print_flag() -> Arg {
    Arg::new("print_config")
        .long("print-config")
        .action(clap::ArgAction::SetTrue)
        .help("Print each setting with where it comes from, and serve nothing")
}
