//! `--print-config`: prints the settings in force as a configuration file, with the source of each value as
//! a comment.

use std::fmt::Write as _;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};

#[cfg(feature = "chat")]
use super::chat;
use super::clients::ClientConfig;
use super::operations::Limited;
use super::{Config, KeyKind, key, providers, tables};
use crate::exit::Exit;
use crate::output;
use toolwrit_core::policy::Policy;

/// Prints the settings of `serve` as TOML.
pub(crate) fn print(
    config: &Config,
    keys: &[Arg],
    matches: &ArgMatches,
    policy: &Policy,
) -> Result<(), Exit> {
    let mut text = String::new();
    for arg in keys {
        let line = match value(arg, matches) {
            // A file that has a table of focus modes cannot have the key.
            Some(value) if key(arg) == "focus" && config.adds_focus() => {
                format!("# focus is {value}")
            }
            Some(value) => format!("{} = {value}", key(arg)),
            None => match of_manifest(arg.get_id().as_str(), policy) {
                Some(value) if key(arg) == "focus" && config.adds_focus() => {
                    format!("# focus is {value}")
                }
                Some(value) => format!("{} = {value}", key(arg)),
                None => format!("# {} is not set", key(arg)),
            },
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{line:<40} # {}", source(config, arg, matches));
    }
    #[cfg(feature = "postgres")]
    if let Some(source) = matches.value_source("state") {
        let place = if source == ValueSource::EnvVariable { "the environment" } else { "--state" };
        let _ = writeln!(text, "# the address of the database is a secret, and comes from {place}");
    }
    text.extend(config.clients().iter().map(ClientConfig::to_toml));
    text.extend(config.operations().iter().map(Limited::to_toml));
    #[cfg(feature = "upstreams")]
    text.push_str(&config.modes_to_toml().map_err(unwritable)?);
    text.push_str(&providers::to_toml(config.providers()).map_err(unwritable)?);
    #[cfg(feature = "postgres")]
    text.push_str(&config.state().to_toml().map_err(unwritable)?);
    #[cfg(feature = "chat")]
    text.push_str(&chat::to_toml(&config.chat()).map_err(unwritable)?);
    output::print(&text)
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes a value")]
fn unwritable(error: toml::ser::Error) -> Exit {
    Exit::Failed(format!("the configuration cannot be written as TOML: {error}"))
}

/// The value as TOML.
fn value(arg: &Arg, matches: &ArgMatches) -> Option<String> {
    let raw = matches.get_raw(arg.get_id().as_str())?;
    let texts: Vec<String> = raw.map(|text| text.to_string_lossy().into_owned()).collect();
    match KeyKind::from_arg(arg) {
        KeyKind::Switch => Some(matches.get_flag(arg.get_id().as_str()).to_string()),
        KeyKind::List => {
            let items: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
            Some(format!("[{}]", items.join(", ")))
        }
        KeyKind::Tables => Some(tables::to_toml(&texts)),
        KeyKind::Single => texts.first().map(|text| quoted(text)),
    }
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// The defaults from the manifest: its first focus mode and role.
fn of_manifest(id: &str, policy: &Policy) -> Option<String> {
    match id {
        "focus" => Some(quoted(policy.focus())),
        "role" => Some(quoted(policy.role())),
        _ => None,
    }
}

fn source(config: &Config, arg: &Arg, matches: &ArgMatches) -> String {
    let id = arg.get_id().as_str();
    match matches.value_source(id) {
        Some(ValueSource::CommandLine) => format!("flag --{}", arg.get_long().unwrap_or_default()),
        Some(ValueSource::EnvVariable) => {
            let name = arg.get_env().map(|name| name.to_string_lossy().into_owned());
            format!("environment {}", name.unwrap_or_default())
        }
        Some(_) => config.origin(id).unwrap_or_else(|| "default".to_owned()),
        None if matches!(id, "focus" | "role") => "manifest".to_owned(),
        None if id == "per_caller" => {
            "default: half of --concurrency for a caller with an account".to_owned()
        }
        None => "default".to_owned(),
    }
}
