//! Parses the file. Every mistake is reported, with its place and what was expected.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Arg;
use clap::builder::ValueParser;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

#[cfg(feature = "upstreams")]
use super::UPSTREAMS;
use super::beside::beside;
#[cfg(feature = "chat")]
use super::chat;
use super::clients::{self, ClientConfig};
use super::mistake::{Mistake, place};
use super::operations::{self, Limited};
use super::{CLIENTS, Declared, KeyKind, OPERATIONS, PROVIDERS, key, lacking, providers};
use crate::exit::Exit;
#[cfg(feature = "chat")]
use toolwrit_converse::settings::ChatSettings;
use toolwrit_core::suggest;
use toolwrit_core::toolset::ProviderTables;
#[cfg(feature = "upstreams")]
use toolwrit_gateway::UpstreamSettings;

/// A valid configuration file.
#[derive(Debug)]
pub(super) struct FileSettings {
    pub(super) path: PathBuf,
    pub(super) list: Vec<FileSetting>,
    pub(super) clients: Vec<ClientConfig>,
    pub(super) operations: Vec<Limited>,
    pub(super) providers: ProviderTables,
    #[cfg(feature = "upstreams")]
    pub(super) upstreams: Vec<UpstreamSettings>,
    #[cfg(feature = "chat")]
    pub(super) chat: ChatSettings,
}

/// One key of the file, as values of a flag.
#[derive(Debug)]
pub(super) struct FileSetting {
    /// Id of the flag.
    pub(super) id: String,
    pub(super) values: Vec<OsString>,
    /// Line number, from 1.
    pub(super) line: usize,
}

impl FileSettings {
    /// Reads and parses a file.
    ///
    /// # Errors
    /// If the file cannot be read, is not TOML, or has keys or values that the flags do not accept.
    pub(super) fn read(path: &Path, flags: &[Arg], declared: &Declared<'_>) -> Result<Self, Exit> {
        let text = fs::read_to_string(path).map_err(|error| {
            Exit::Configuration(format!("cannot read {}: {error}", path.display()))
        })?;
        match settings(&text, path, flags, declared) {
            Ok(settings) => Ok(settings),
            Err(mistakes) => {
                let reports: Vec<String> =
                    mistakes.iter().map(|mistake| mistake.report(path, &text)).collect();
                Err(Exit::Configuration(reports.join("\n")))
            }
        }
    }
}

fn settings(
    text: &str,
    path: &Path,
    flags: &[Arg],
    declared: &Declared<'_>,
) -> Result<FileSettings, Vec<Mistake>> {
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().unwrap_or_default();
        vec![Mistake { at, what: error.message().to_owned() }]
    })?;
    let mut mistakes = Vec::new();
    let (mut list, mut clients, mut operations) = (Vec::new(), Vec::new(), Vec::new());
    let mut of_providers = ProviderTables::new();
    #[cfg(feature = "upstreams")]
    let mut upstreams = Vec::new();
    #[cfg(feature = "chat")]
    let mut chat = ChatSettings::default();
    for (name, value) in table.get_ref() {
        #[cfg(feature = "chat")]
        if declared.conversations && chat::read(name.get_ref(), value, &mut chat, &mut mistakes) {
            continue;
        }
        if name.get_ref() == CLIENTS {
            clients = clients::read(value, &mut mistakes);
            continue;
        }
        if name.get_ref() == OPERATIONS {
            operations = operations::read(value, &declared.operations, &mut mistakes);
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
        match setting(name, value, path, flags) {
            Ok((id, values)) => {
                let line = place(text, name.span().start).0;
                list.push(FileSetting { id, values, line });
            }
            Err(mistake) => mistakes.push(mistake),
        }
    }
    mistakes.sort_by_key(|mistake| mistake.at.start);
    if mistakes.is_empty() {
        let providers = of_providers;
        Ok(FileSettings {
            path: path.to_owned(),
            list,
            clients,
            operations,
            providers,
            #[cfg(feature = "upstreams")]
            upstreams,
            #[cfg(feature = "chat")]
            chat,
        })
    } else {
        Err(mistakes)
    }
}

fn setting(
    name: &Spanned<Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
    path: &Path,
    flags: &[Arg],
) -> Result<(String, Vec<OsString>), Mistake> {
    let Some(arg) = flags.iter().find(|arg| key(arg) == name.get_ref().as_ref()) else {
        return Err(Mistake { at: name.span(), what: unknown(name.get_ref(), flags) });
    };
    let wrong = |what| Mistake { at: value.span(), what };
    let texts = match (KeyKind::of(arg), value.get_ref()) {
        (KeyKind::Switch, DeValue::Boolean(is_set)) => vec![is_set.to_string()],
        (KeyKind::Switch, _) => return Err(wrong("expected true or false".to_owned())),
        (KeyKind::List, DeValue::Array(items)) => {
            let texts = items.iter().map(|item| scalar(item.get_ref()));
            let texts: Option<Vec<String>> = texts.collect();
            texts.ok_or_else(|| wrong("expected a list of strings".to_owned()))?
        }
        (KeyKind::List, value) => {
            vec![scalar(value).ok_or_else(|| wrong("expected a list of strings".to_owned()))?]
        }
        (KeyKind::Single, value) => {
            vec![scalar(value).ok_or_else(|| wrong("expected a string or a number".to_owned()))?]
        }
    };
    for text in &texts {
        choice(arg, text).map_err(wrong)?;
    }
    let is_path = arg.get_value_parser().type_id() == ValueParser::path_buf().type_id();
    let values = texts.into_iter().map(|text| {
        // A relative path is relative to the folder of the configuration file.
        if is_path { beside(path, &text).into_os_string() } else { text.into() }
    });
    Ok((arg.get_id().to_string(), values.collect()))
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
        #[cfg(feature = "upstreams")]
        UPSTREAMS,
    ];
    let keys: Vec<String> = flags.iter().map(key).chain(tables.map(str::to_owned)).collect();
    let close = suggest::closest(name, keys.iter().map(String::as_str));
    match close.first() {
        Some(close) => format!("unknown key `{name}`; did you mean `{close}`?"),
        None => format!("unknown key `{name}`; expected one of: {}", keys.join(", ")),
    }
}

/// The text of a scalar value, as a flag would be given.
fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Checks that a text is one of the flag's possible values, if it has a fixed set of them.
fn choice(arg: &Arg, text: &str) -> Result<(), String> {
    let words: Vec<String> =
        arg.get_possible_values().iter().map(|word| word.get_name().to_owned()).collect();
    if words.is_empty() || words.iter().any(|word| word == text) {
        return Ok(());
    }
    let close = suggest::closest(text, words.iter().map(String::as_str));
    let hint = close.first().map(|word| format!("; did you mean `{word}`?")).unwrap_or_default();
    Err(format!("`{text}` is not one of {}{hint}", words.join(", ")))
}
