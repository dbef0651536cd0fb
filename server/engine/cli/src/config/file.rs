//! Parses the file. Every mistake is reported, with its place and what was expected.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clap::builder::ValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

#[cfg(feature = "upstreams")]
use super::UPSTREAMS;
use super::beside::beside;
#[cfg(feature = "chat")]
use super::chat;
use super::clients::{self, ClientConfig};
use super::mistake::{Mistake, place};
#[cfg(feature = "upstreams")]
use super::modes::{FOCUS, Modes, ROLES};
use super::named::{NamedPath, has_named_paths, has_tables};
use super::operations::{self, Limited};
#[cfg(feature = "postgres")]
use super::state::{self, STATE, StateTable};
use super::tables;
use super::{
    CLIENTS, Declared, KeyKind, OPERATIONS, PROVIDERS, key, keys, lacking, names, providers,
};
use crate::exit::Exit;
#[cfg(feature = "chat")]
use toolwrit_chat::converse::settings::ChatSettings;
#[cfg(feature = "upstreams")]
use toolwrit_core::authority::{Authority, InvalidMode};
use toolwrit_core::toolset::ProviderTables;
#[cfg(feature = "upstreams")]
use toolwrit_gateway::upstreams::UpstreamSettings;
use toolwrit_text::nearest;

/// A valid configuration file.
#[derive(Debug)]
pub(super) struct FileSettings {
    pub(super) path: PathBuf,
    /// What the file contains, for later mistakes.
    #[cfg(feature = "upstreams")]
    text: String,
    pub(super) list: Vec<FileSetting>,
    pub(super) clients: Vec<ClientConfig>,
    pub(super) operations: Vec<Limited>,
    pub(super) providers: ProviderTables,
    #[cfg(feature = "upstreams")]
    pub(super) upstreams: Vec<UpstreamSettings>,
    #[cfg(feature = "upstreams")]
    pub(super) modes: Modes,
    #[cfg(feature = "chat")]
    pub(super) chat: ChatSettings,
    #[cfg(feature = "postgres")]
    pub(super) state: StateTable,
}

/// One key of the file, as values of a flag.
#[derive(Debug)]
pub(super) struct FileSetting {
    /// Id of the flag.
    pub(super) id: String,
    pub(super) values: Vec<Spanned<OsString>>,
    /// Line number, from 1.
    pub(super) line: usize,
}

impl FileSettings {
    /// Reads and parses a file for the flags of `serve`.
    ///
    /// # Errors
    /// If the file cannot be read, is not TOML, or has keys or values that the flags do not accept.
    pub(super) fn read(
        path: &Path,
        serve: &Command,
        declared: &Declared<'_>,
    ) -> Result<Self, Exit> {
        let text = fs::read_to_string(path).map_err(|error| {
            Exit::Configuration(format!("cannot read {}: {error}", path.display()))
        })?;
        settings(&text, path, serve, declared).map_err(|mistakes| reported(&mistakes, path, &text))
    }

    /// The settings of a file that does not exist yet.
    ///
    /// # Errors
    /// Never, because no setting is wrong.
    pub(super) fn empty(
        path: &Path,
        serve: &Command,
        declared: &Declared<'_>,
    ) -> Result<Self, Exit> {
        settings("", path, serve, declared).map_err(|mistakes| reported(&mistakes, path, ""))
    }

    /// Checks the names of the policy.
    ///
    /// # Errors
    /// Every name that the authority does not have, with its place.
    #[cfg(feature = "upstreams")]
    pub(super) fn check_names(&self, authority: &Authority) -> Result<(), Exit> {
        let mut mistakes = names::unknown(values(&self.list), authority);
        mistakes.extend(self.modes.unknown(authority));
        mistakes.extend(self.clients.iter().flat_map(|client| client.unknown(authority)));
        mistakes.sort_by_key(|mistake| mistake.at.start);
        if mistakes.is_empty() { Ok(()) } else { Err(reported(&mistakes, &self.path, &self.text)) }
    }

    /// Reports a focus mode or a role that cannot be added, with its place.
    #[cfg(feature = "upstreams")]
    pub(super) fn invalid_mode(&self, invalid: &InvalidMode) -> Exit {
        reported(&[self.modes.invalid(invalid)], &self.path, &self.text)
    }
}

/// Each value with the id of its flag.
fn values(list: &[FileSetting]) -> impl Iterator<Item = (&str, &Spanned<OsString>)> {
    list.iter().flat_map(|setting| setting.values.iter().map(|value| (setting.id.as_str(), value)))
}

fn reported(mistakes: &[Mistake], path: &Path, text: &str) -> Exit {
    let reports: Vec<String> = mistakes.iter().map(|mistake| mistake.report(path, text)).collect();
    Exit::Configuration(reports.join("\n"))
}

fn settings(
    text: &str,
    path: &Path,
    serve: &Command,
    declared: &Declared<'_>,
) -> Result<FileSettings, Vec<Mistake>> {
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().unwrap_or_default();
        vec![Mistake { at, what: error.message().to_owned() }]
    })?;
    let keys = keys(serve);
    let mut mistakes = Vec::new();
    let (mut list, mut clients, mut operations) = (Vec::new(), Vec::new(), Vec::new());
    let mut of_providers = ProviderTables::new();
    #[cfg(feature = "upstreams")]
    let (mut upstreams, mut modes) = (Vec::new(), Modes::default());
    let added = added_categories(table.get_ref());
    #[cfg(feature = "chat")]
    let mut chat = ChatSettings::default();
    #[cfg(feature = "postgres")]
    let mut state = StateTable::default();
    for (name, value) in table.get_ref() {
        #[cfg(feature = "chat")]
        if declared.conversations && chat::read(name.get_ref(), value, &mut chat, &mut mistakes) {
            continue;
        }
        #[cfg(feature = "postgres")]
        if name.get_ref() == STATE {
            state = state::read(value, &mut mistakes);
            continue;
        }
        if name.get_ref() == CLIENTS {
            clients = clients::read(value, &mut mistakes);
            continue;
        }
        if name.get_ref() == OPERATIONS {
            operations = operations::read(value, &declared.operations, &added, &mut mistakes);
            continue;
        }
        if name.get_ref() == PROVIDERS {
            of_providers = providers::read(value, path, &declared.providers, &mut mistakes);
            continue;
        }
        #[cfg(feature = "upstreams")]
        if name.get_ref() == UPSTREAMS {
            upstreams = super::upstreams::read(value, path, &mut mistakes);
            continue;
        }
        #[cfg(feature = "upstreams")]
        if is_of_modes(name.get_ref(), value.get_ref()) {
            modes.read(name.get_ref(), value, &mut mistakes);
            if let Some(default) = modes.default.clone().filter(|_| name.get_ref() == FOCUS) {
                let line = place(text, default.span().start).0;
                list.push(FileSetting { id: FOCUS.to_owned(), values: vec![default], line });
            }
            continue;
        }
        match setting(name, value, path, serve, &keys) {
            Ok((id, values)) => {
                let line = place(text, name.span().start).0;
                list.push(FileSetting { id, values, line });
            }
            Err(mut errors) => mistakes.append(&mut errors),
        }
    }
    #[cfg(feature = "upstreams")]
    // Their names are known only with them.
    let are_known = upstreams.iter().all(|upstream| !upstream.is_enabled) && modes.is_empty();
    #[cfg(not(feature = "upstreams"))]
    let are_known = true;
    if are_known {
        mistakes.extend(names::unknown(values(&list), declared.authority));
        mistakes.extend(
            clients.iter().flat_map(|client: &ClientConfig| client.unknown(declared.authority)),
        );
    }
    mistakes.sort_by_key(|mistake| mistake.at.start);
    if mistakes.is_empty() {
        let providers = of_providers;
        Ok(FileSettings {
            path: path.to_owned(),
            #[cfg(feature = "upstreams")]
            text: text.to_owned(),
            list,
            clients,
            operations,
            providers,
            #[cfg(feature = "upstreams")]
            upstreams,
            #[cfg(feature = "upstreams")]
            modes,
            #[cfg(feature = "chat")]
            chat,
            #[cfg(feature = "postgres")]
            state,
        })
    } else {
        Err(mistakes)
    }
}

/// The names of categories that the file adds, and whose operations it may name.
fn added_categories<'a>(table: &'a DeTable<'_>) -> Vec<&'a str> {
    #[cfg(feature = "upstreams")]
    if let Some(DeValue::Table(upstreams)) = table.get(UPSTREAMS).map(Spanned::get_ref) {
        return upstreams.keys().map(|name| name.get_ref().as_ref()).collect();
    }
    let _ = table;
    Vec::new()
}

/// Whether a key has focus modes or roles. `focus` with a text is the one in force.
#[cfg(feature = "upstreams")]
fn is_of_modes(name: &str, value: &DeValue<'_>) -> bool {
    name == ROLES || (name == FOCUS && matches!(value, DeValue::Table(_)))
}

fn setting(
    name: &Spanned<Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
    path: &Path,
    serve: &Command,
    keys: &[Arg],
) -> Result<(String, Vec<Spanned<OsString>>), Vec<Mistake>> {
    let Some(arg) = keys.iter().find(|arg| key(arg) == name.get_ref().as_ref()) else {
        return Err(vec![Mistake { at: name.span(), what: unknown(name.get_ref(), keys) }]);
    };
    if KeyKind::from_arg(arg) == KeyKind::Tables {
        let check = |text: &str| check(serve, arg, text);
        let values = tables::read(name.get_ref(), value, path, check)?;
        return Ok((arg.get_id().to_string(), values));
    }
    let (expected, items) = match (KeyKind::from_arg(arg), value.get_ref()) {
        (KeyKind::Switch, _) => ("true or false", std::slice::from_ref(value)),
        (KeyKind::List, DeValue::Array(items)) => ("a list of strings", items.as_ref()),
        (KeyKind::List, _) => ("a list of strings", std::slice::from_ref(value)),
        (KeyKind::Single, _) if is_text(arg) => ("a string", std::slice::from_ref(value)),
        (KeyKind::Single | KeyKind::Tables, _) => {
            ("a string or a number", std::slice::from_ref(value))
        }
    };
    let mut mistakes = Vec::new();
    let mut values = Vec::new();
    for item in items {
        let checked = match scalar(arg, item.get_ref()) {
            Some(text) => check(serve, arg, &text).map(|()| text),
            None => Err(format!("expected {expected}")),
        };
        match checked {
            // A relative path is relative to the folder of the configuration file.
            Ok(text) if is_path(arg) => {
                values.push(Spanned::new(item.span(), beside(path, &text).into_os_string()));
            }
            Ok(text) if has_named_paths(arg) => {
                let named = text.parse::<NamedPath>().map(|named| named.resolved(path));
                match named {
                    Ok(value) => values.push(Spanned::new(item.span(), value)),
                    Err(what) => mistakes.push(Mistake { at: item.span(), what }),
                }
            }
            Ok(text) => values.push(Spanned::new(item.span(), text.into())),
            Err(what) => mistakes.push(Mistake { at: item.span(), what }),
        }
    }
    if mistakes.is_empty() { Ok((arg.get_id().to_string(), values)) } else { Err(mistakes) }
}

/// Whether the values of a flag are paths.
fn is_path(arg: &Arg) -> bool {
    arg.get_value_parser().type_id() == ValueParser::path_buf().type_id()
}

/// Whether the values of a flag are any text, or paths.
pub(super) fn is_text(arg: &Arg) -> bool {
    is_path(arg)
        || has_named_paths(arg)
        || arg.get_value_parser().type_id() == ValueParser::string().type_id()
}

fn unknown(name: &str, flags: &[Arg]) -> String {
    if let Some(feature) = lacking::feature_of(name) {
        return format!(
            "`{name}` needs the feature `{feature}` of the crate toolwrit; this program was built without it"
        );
    }
    let tables = [
        CLIENTS,
        OPERATIONS,
        PROVIDERS,
        #[cfg(feature = "postgres")]
        STATE,
        #[cfg(feature = "upstreams")]
        UPSTREAMS,
        #[cfg(feature = "upstreams")]
        ROLES,
    ];
    let keys: Vec<String> = flags.iter().map(key).chain(tables.map(str::to_owned)).collect();
    let close = nearest::closest(name, keys.iter().map(String::as_str));
    match close.first() {
        Some(close) => format!("unknown key `{name}`; did you mean `{close}`?"),
        None => format!("unknown key `{name}`; expected one of: {}", keys.join(", ")),
    }
}

/// The text of a value, as the flag would be given. `None` if the value has another type.
fn scalar(arg: &Arg, value: &DeValue<'_>) -> Option<String> {
    let is_switch = KeyKind::from_arg(arg) == KeyKind::Switch;
    match value {
        DeValue::Boolean(is_set) if is_switch => Some(is_set.to_string()),
        DeValue::String(text) if !is_switch => Some(text.to_string()),
        DeValue::Integer(number) if !is_switch && !is_text(arg) => Some(number.to_string()),
        DeValue::Float(number) if !is_switch && !is_text(arg) => Some(number.to_string()),
        _ => None,
    }
}

/// Checks that the flag accepts a text.
fn check(serve: &Command, arg: &Arg, text: &str) -> Result<(), String> {
    if KeyKind::from_arg(arg) == KeyKind::Switch {
        return Ok(());
    }
    let words: Vec<String> =
        arg.get_possible_values().iter().map(|word| word.get_name().to_owned()).collect();
    if words.iter().any(|word| word == text) {
        return Ok(());
    }
    if words.is_empty() {
        return parse(serve, arg, text);
    }
    let close = nearest::closest(text, words.iter().map(String::as_str));
    let hint = close.first().map(|word| format!("; did you mean `{word}`?")).unwrap_or_default();
    Err(format!("`{text}` is not one of {}{hint}", words.join(", ")))
}

/// Parses a text as on the command line of `serve`, without the environment.
fn parse(serve: &Command, arg: &Arg, text: &str) -> Result<(), String> {
    let command = serve.clone().no_binary_name(true).mut_args(|arg| arg.env(None::<&str>));
    let given = format!("--{}={text}", arg.get_long().unwrap_or_default());
    let Err(error) = command.try_get_matches_from([given]) else { return Ok(()) };
    match (error.kind(), std::error::Error::source(&error)) {
        // The table stands in the file.
        (ErrorKind::ValueValidation, Some(why)) if has_tables(arg) => Err(why.to_string()),
        (ErrorKind::ValueValidation, Some(why)) => Err(format!("invalid value `{text}`: {why}")),
        (ErrorKind::InvalidValue, _) => Err("expected a value".to_owned()),
        // What `serve` needs besides may come from elsewhere.
        _ => Ok(()),
    }
}
