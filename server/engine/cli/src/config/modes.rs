//! `[focus.NAME]` and `[roles.NAME]`: parts of the focus modes and roles of the server.

use std::borrow::Cow;
use std::ffi::OsString;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::mistake::Mistake;
use toolwrit_core::authority::{AddedMode, AddedModes, Authority, InvalidMode};
use toolwrit_core::policy::Selector;
use toolwrit_text::nearest;

/// The table of focus modes, which is also the key of the one in force.
pub(super) const FOCUS: &str = "focus";
/// The table of roles.
pub(super) const ROLES: &str = "roles";
/// The keys of a mode.
const KEYS: [&str; 4] = ["summary", "extends", "allow", "deny"];
/// The key of the focus mode that is in force unless another one is named: a file that has the table cannot have the key `focus`.
const DEFAULT: &str = "default";

/// The focus modes and roles of a file, with their places.
#[derive(Debug, Default)]
pub(super) struct Modes {
    pub(super) added: AddedModes,
    /// Where each name stands.
    places: Vec<(String, Range<usize>)>,
    selectors: Vec<Spanned<String>>,
    /// The focus mode that is in force unless another one is named.
    pub(super) default: Option<Spanned<OsString>>,
}

impl Modes {
    pub(super) fn is_empty(&self) -> bool {
        self.added.is_empty()
    }

    /// Reads one of the two tables. Adds errors to `mistakes`.
    pub(super) fn read(
        &mut self,
        name: &str,
        value: &Spanned<DeValue<'_>>,
        mistakes: &mut Vec<Mistake>,
    ) {
        let DeValue::Table(modes) = value.get_ref() else {
            let what = format!("expected a table for each, as in [{name}.name]");
            mistakes.push(Mistake { at: value.span(), what });
            return;
        };
        for (mode, value) in modes {
            let DeValue::Table(table) = value.get_ref() else {
                let what = format!("expected a table with {}", KEYS.join(", "));
                mistakes.push(Mistake { at: value.span(), what });
                continue;
            };
            let added = self.mode(name, mode, table, mistakes);
            self.places.push((added.name.clone(), mode.span()));
            let list = if name == FOCUS { &mut self.added.focus } else { &mut self.added.roles };
            list.push(added);
        }
    }

    fn mode(
        &mut self,
        kind: &str,
        name: &Spanned<Cow<'_, str>>,
        table: &DeTable<'_>,
        mistakes: &mut Vec<Mistake>,
    ) -> AddedMode {
        if !is_name(name.get_ref()) {
            let what = "expected a name of letters, digits, `-` and `_`".to_owned();
            mistakes.push(Mistake { at: name.span(), what });
        }
        let mut mode = AddedMode { name: name.get_ref().to_string(), ..AddedMode::default() };
        for (key, value) in table {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("summary", DeValue::String(text)) => mode.summary = Some(text.to_string()),
                ("extends", DeValue::String(text)) => mode.extends = Some(text.to_string()),
                ("summary" | "extends", _) => {
                    mistakes.push(Mistake { at: value.span(), what: "expected a text".to_owned() });
                }
                ("allow", _) => mode.allow = Some(self.selectors(value, mistakes)),
                ("deny", _) => mode.deny = self.selectors(value, mistakes),
                (DEFAULT, DeValue::Boolean(is_default)) if kind == FOCUS => {
                    let default = Spanned::new(key.span(), name.get_ref().to_string().into());
                    if *is_default && self.default.replace(default).is_some() {
                        let what = "another focus mode is the default, too".to_owned();
                        mistakes.push(Mistake { at: key.span(), what });
                    }
                }
                (DEFAULT, _) if kind == FOCUS => {
                    let what = "expected true or false".to_owned();
                    mistakes.push(Mistake { at: value.span(), what });
                }
                (other, _) => mistakes.push(Mistake { at: key.span(), what: unknown(other, kind) }),
            }
        }
        mode
    }

    /// Reads a list of selectors.
    fn selectors(
        &mut self,
        value: &Spanned<DeValue<'_>>,
        mistakes: &mut Vec<Mistake>,
    ) -> Vec<String> {
        let mut texts = Vec::new();
        let items = match value.get_ref() {
            DeValue::Array(items) => items.as_ref(),
            _ => std::slice::from_ref(value),
        };
        for item in items {
            if let DeValue::String(text) = item.get_ref() {
                self.selectors.push(Spanned::new(item.span(), text.to_string()));
                texts.push(text.to_string());
            } else {
                let what = "expected a list of selectors, such as \"gh.list_*\" or \"effect:read\""
                    .to_owned();
                mistakes.push(Mistake { at: item.span(), what });
            }
        }
        texts
    }

    /// Returns a mistake for each selector with a name that the authority does not have.
    pub(super) fn unknown(&self, authority: &Authority) -> impl Iterator<Item = Mistake> {
        let tables = authority.tables();
        self.selectors.iter().filter_map(|selector| {
            let unknown = Selector::parse(tables, selector.get_ref()).err()?;
            Some(Mistake { at: selector.span(), what: unknown.to_string() })
        })
    }

    /// The modes with a selector that this accepts.
    pub(super) fn naming(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let named = |mode: &&AddedMode| {
            mode.allow.iter().flatten().chain(&mode.deny).any(|text| is_wanted(text))
        };
        let focus = self.added.focus.iter().filter(named).map(|mode| (FOCUS, mode));
        let roles = self.added.roles.iter().filter(named).map(|mode| (ROLES, mode));
        focus.chain(roles).map(|(table, mode)| format!("{table}.{}", mode.name)).collect()
    }

    /// The mistake of a mode that cannot be added.
    pub(super) fn invalid(&self, invalid: &InvalidMode) -> Mistake {
        let (InvalidMode::Extends { name, .. } | InvalidMode::Declared(name)) = invalid;
        let place = self.places.iter().find(|(known, _)| known == name);
        Mistake {
            at: place.map(|(_, at)| at.clone()).unwrap_or_default(),
            what: invalid.to_string(),
        }
    }

    /// The tables as TOML.
    ///
    /// # Errors
    /// If they cannot be written as TOML.
    pub(super) fn to_toml(&self) -> Result<String, toml::ser::Error> {
        let default = self.default.as_ref().map(|name| name.get_ref().to_string_lossy());
        let table = |mode: &AddedMode, kind| {
            let mut table = toml::Table::new();
            let texts = [("summary", &mode.summary), ("extends", &mode.extends)];
            for (key, text) in texts {
                table.extend(text.clone().map(|text| (key.to_owned(), text.into())));
            }
            let lists = [("allow", mode.allow.clone()), ("deny", Some(mode.deny.clone()))];
            for (key, list) in lists {
                table.extend(list.map(|list| (key.to_owned(), list.into())));
            }
            if kind == FOCUS && default.as_deref() == Some(&mode.name) {
                table.insert(DEFAULT.to_owned(), true.into());
            }
            (mode.name.clone(), toml::Value::Table(table))
        };
        let mut text = String::new();
        for (kind, modes) in [(FOCUS, &self.added.focus), (ROLES, &self.added.roles)] {
            if !modes.is_empty() {
                let modes: toml::Table = modes.iter().map(|mode| table(mode, kind)).collect();
                let tables = toml::Table::from_iter([(kind.to_owned(), toml::Value::Table(modes))]);
                text.push('\n');
                text.push_str(&toml::to_string(&tables)?);
            }
        }
        Ok(text)
    }
}

/// Whether a text can be the name of a mode, which paths of HTTP have, too.
fn is_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    !text.is_empty() && text.chars().all(is_plain)
}

fn unknown(key: &str, kind: &str) -> String {
    let keys = KEYS.into_iter().chain((kind == FOCUS).then_some(DEFAULT));
    if let Some(close) = nearest::closest(key, keys.clone()).first() {
        format!("unknown key `{key}`; did you mean `{close}`?")
    } else {
        let keys: Vec<&str> = keys.collect();
        format!("unknown key `{key}`; expected one of: {}", keys.join(", "))
    }
}
