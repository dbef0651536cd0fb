//! `[clients.NAME]`: surface settings for one client.

use std::borrow::Cow;
use std::fmt::Write as _;

use clap::ValueEnum;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::mistake::Mistake;
use toolwrit_mcp::surface::{Profile, Split, SurfaceChoice, SurfaceOptions};
use toolwrit_text::nearest;

/// The keys of a client's table.
pub(super) const KEYS: [&str; 4] = ["surface", "split", "profile", "legacy"];

/// The settings that differ for one client.
#[derive(Debug)]
pub(crate) struct ClientConfig {
    name: String,
    surface: Option<SurfaceChoice>,
    split: Option<Split>,
    profile: Option<Profile>,
    legacy: Option<bool>,
}

impl ClientConfig {
    /// Returns the client's name and its settings; what it does not set is as in `general`.
    pub(crate) fn options(&self, general: SurfaceOptions) -> (String, SurfaceOptions) {
        let options = SurfaceOptions {
            kind: self.surface.unwrap_or(general.kind),
            split: self.split.unwrap_or(general.split),
            profile: self.profile.unwrap_or(general.profile),
            legacy: self.legacy.unwrap_or(general.legacy),
            command: general.command,
        };
        (self.name.clone(), options)
    }

    /// The table as TOML.
    pub(super) fn to_toml(&self) -> String {
        let mut text = format!("\n[clients.{}]\n", toml::Value::from(self.name.as_str()));
        let values = [
            ("surface", self.surface.as_ref().map(word)),
            ("split", self.split.as_ref().map(word)),
            ("profile", self.profile.as_ref().map(word)),
        ];
        for (key, value) in values {
            if let Some(value) = value {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{key} = \"{value}\"");
            }
        }
        if let Some(legacy) = self.legacy {
            let _ = writeln!(text, "legacy = {legacy}");
        }
        text
    }
}

fn word<T: ValueEnum>(value: &T) -> String {
    value.to_possible_value().map(|word| word.get_name().to_owned()).unwrap_or_default()
}

/// Parses the table of all clients. Adds errors to `mistakes`.
pub(super) fn read(value: &Spanned<DeValue<'_>>, mistakes: &mut Vec<Mistake>) -> Vec<ClientConfig> {
    let DeValue::Table(clients) = value.get_ref() else {
        let what = "expected a table for each client, as in [clients.claude-code]".to_owned();
        mistakes.push(Mistake { at: value.span(), what });
        return Vec::new();
    };
    let client = |(name, value): (&Spanned<Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
        let DeValue::Table(table) = value.get_ref() else {
            let what = format!("expected a table with {}", KEYS.join(", "));
            mistakes.push(Mistake { at: value.span(), what });
            return None;
        };
        let client_config = client(name.get_ref(), table);
        client_config.map_err(|mut errors| mistakes.append(&mut errors)).ok()
    };
    clients.iter().filter_map(client).collect()
}

fn client(name: &str, table: &DeTable<'_>) -> Result<ClientConfig, Vec<Mistake>> {
    let name = name.to_owned();
    let mut client = ClientConfig { name, surface: None, split: None, profile: None, legacy: None };
    let mut mistakes = Vec::new();
    for (key, value) in table {
        let set = match key.get_ref().as_ref() {
            "surface" => parse(value).map(|surface| client.surface = Some(surface)),
            "split" => parse(value).map(|split| client.split = Some(split)),
            "profile" => parse(value).map(|profile| client.profile = Some(profile)),
            "legacy" => switch(value).map(|legacy| client.legacy = Some(legacy)),
            other => Err(Mistake { at: key.span(), what: unknown(other) }),
        };
        mistakes.extend(set.err());
    }
    if mistakes.is_empty() { Ok(client) } else { Err(mistakes) }
}

fn parse<T: ValueEnum>(value: &Spanned<DeValue<'_>>) -> Result<T, Mistake> {
    let words: Vec<String> = T::value_variants().iter().map(word).collect();
    let text = match value.get_ref() {
        DeValue::String(text) => text.as_ref(),
        _ => "",
    };
    T::from_str(text, false).map_err(|_| {
        let close = nearest::closest(text, words.iter().map(String::as_str));
        let hint = close.first().map(|word| format!("; did you mean `{word}`?"));
        let what = format!("expected one of {}{}", words.join(", "), hint.unwrap_or_default());
        Mistake { at: value.span(), what }
    })
}

fn switch(value: &Spanned<DeValue<'_>>) -> Result<bool, Mistake> {
    match value.get_ref() {
        DeValue::Boolean(is_set) => Ok(*is_set),
        _ => Err(Mistake { at: value.span(), what: "expected true or false".to_owned() }),
    }
}

fn unknown(key: &str) -> String {
    match nearest::closest(key, KEYS).first() {
        Some(close) => format!("unknown key `{key}`; did you mean `{close}`?"),
        None => format!("unknown key `{key}`; expected one of: {}", KEYS.join(", ")),
    }
}
