//! `[clients.NAME]`: surface settings for one client.

use std::borrow::Cow;
use std::fmt::Write as _;

use clap::ValueEnum;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::mistake::Mistake;
use toolwrit_core::authority::Authority;
use toolwrit_core::policy::Selector;
use toolwrit_mcp::surface::{Profile, Split, SurfaceChoice, SurfaceOptions};
use toolwrit_text::nearest;

/// The keys of a client's table.
pub(super) const KEYS: [&str; 5] = ["surface", "split", "profile", "legacy", "pin"];

/// The settings that differ for one client.
#[derive(Debug)]
pub(crate) struct ClientConfig {
    name: String,
    surface: Option<SurfaceChoice>,
    split: Option<Split>,
    profile: Option<Profile>,
    legacy: Option<bool>,
    pins: Option<Vec<Spanned<String>>>,
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
            // A process reads its configuration once.
            pins: self.pins.as_ref().map_or(general.pins, |pins| {
                let pins: Vec<String> = pins.iter().map(|pin| pin.get_ref().clone()).collect();
                Box::leak(pins.into_boxed_slice())
            }),
        };
        (self.name.clone(), options)
    }

    /// Returns a mistake for each pinned operation that the authority does not have.
    pub(super) fn unknown(&self, authority: &Authority) -> impl Iterator<Item = Mistake> {
        self.pins.iter().flatten().filter_map(|pin| {
            let unknown = Selector::parse_operation(authority.tables(), pin.get_ref()).err()?;
            Some(Mistake { at: pin.span(), what: unknown.to_string() })
        })
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
        if let Some(pins) = &self.pins {
            let pins: Vec<&str> = pins.iter().map(|pin| pin.get_ref().as_str()).collect();
            let _ = writeln!(text, "pin = {}", toml::Value::from(pins));
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
    let (surface, split, profile, legacy, pins) = (None, None, None, None, None);
    let mut client = ClientConfig { name, surface, split, profile, legacy, pins };
    let mut mistakes = Vec::new();
    for (key, value) in table {
        let set = match key.get_ref().as_ref() {
            "surface" => parse(value).map(|surface| client.surface = Some(surface)),
            "split" => parse(value).map(|split| client.split = Some(split)),
            "profile" => parse(value).map(|profile| client.profile = Some(profile)),
            "legacy" => switch(value).map(|legacy| client.legacy = Some(legacy)),
            "pin" => pinned(value).map(|pins| client.pins = Some(pins)),
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

fn pinned(value: &Spanned<DeValue<'_>>) -> Result<Vec<Spanned<String>>, Mistake> {
    let items = match value.get_ref() {
        DeValue::Array(items) => items.as_ref(),
        _ => std::slice::from_ref(value),
    };
    let text = |item: &Spanned<DeValue<'_>>| match item.get_ref() {
        DeValue::String(text) => Ok(Spanned::new(item.span(), text.to_string())),
        _ => Err(Mistake { at: item.span(), what: "expected ids of operations".to_owned() }),
    };
    items.iter().map(text).collect()
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
