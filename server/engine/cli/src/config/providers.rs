//! `[providers.NAME]`: what the operator says about a provider whose operations the manifest binds to its API.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::beside::beside;
use super::mistake::Mistake;
use toolwrit_core::toolset::ProviderTables;
use toolwrit_text::nearest;

/// The keys that the table of any provider may have besides its settings. The provider says which of them it has no use for.
const SHARED_KEYS: [&str; 4] = ["accounts", "ca", "elicitation", "networks"];

/// Reads the tables of all providers from the file at `path`; `declared` are their settings. Adds errors to `mistakes`. The
/// provider checks the values of its settings.
pub(super) fn read(
    value: &Spanned<DeValue<'_>>,
    path: &Path,
    declared: &BTreeMap<&str, Vec<String>>,
    mistakes: &mut Vec<Mistake>,
) -> ProviderTables {
    let DeValue::Table(providers) = value.get_ref() else {
        let what = "expected a table for each provider, as in [providers.name]".to_owned();
        mistakes.push(Mistake { at: value.span(), what });
        return ProviderTables::new();
    };
    let mut tables = ProviderTables::new();
    for (name, value) in providers {
        let name_text = name.get_ref().as_ref();
        let Some(settings) = declared.get(name_text) else {
            let names: Vec<&str> = declared.keys().copied().collect();
            mistakes.push(Mistake { at: name.span(), what: unknown(name_text, &names) });
            continue;
        };
        if let DeValue::Table(table) = value.get_ref() {
            unknown_settings(name_text, table, settings, mistakes);
        }
        if let Some(Value::Object(mut table)) = json(value.get_ref()) {
            resolve(&mut table, path);
            tables.insert(name_text.to_owned(), table);
        } else {
            let what = "expected a table of texts, numbers, booleans, lists and tables";
            mistakes.push(Mistake { at: value.span(), what: what.to_owned() });
        }
    }
    tables
}

/// Makes the paths of files relative to the folder of the configuration file: those of secrets, and of certificates.
pub(super) fn resolve(table: &mut Map<String, Value>, path: &Path) {
    let resolved = |text: &str| beside(path, text).to_string_lossy().into_owned();
    for (key, value) in table {
        match (key.as_str(), value) {
            ("ca", Value::String(text)) => *text = resolved(text),
            ("accounts", Value::Object(accounts)) => {
                let tables = accounts.values_mut().filter_map(Value::as_object_mut);
                tables.for_each(|table| resolve(table, path));
            }
            (_, Value::Object(source)) => {
                if let Some(Value::String(text)) = source.get_mut("file") {
                    *text = resolved(text);
                }
            }
            _ => {}
        }
    }
}

/// The tables as TOML. Secrets do not stand in them, but where they are.
///
/// # Errors
/// If they cannot be written as TOML.
pub(super) fn to_toml(tables: ProviderTables) -> Result<String, toml::ser::Error> {
    if tables.is_empty() {
        return Ok(String::new());
    }
    let text = toml::to_string(&BTreeMap::from([("providers", tables)]))?;
    Ok(format!("\n{text}"))
}

/// Adds an error for each key that is no setting of the provider, also in the tables of its accounts.
fn unknown_settings(
    provider: &str,
    table: &DeTable<'_>,
    settings: &[String],
    mistakes: &mut Vec<Mistake>,
) {
    let known = || settings.iter().map(String::as_str).chain(SHARED_KEYS);
    for (key, value) in table {
        let text = key.get_ref().as_ref();
        if !known().any(|known_name| known_name == text) {
            let close = nearest::closest(text, known());
            let fix = match close.first() {
                Some(close) => format!("did you mean `{close}`?"),
                None => format!("expected one of: {}", known().collect::<Vec<_>>().join(", ")),
            };
            let what = format!("{provider} has no setting `{text}`; {fix}");
            mistakes.push(Mistake { at: key.span(), what });
        } else if let ("accounts", DeValue::Table(accounts)) = (text, value.get_ref()) {
            for account in accounts.values() {
                if let DeValue::Table(account) = account.get_ref() {
                    unknown_settings(provider, account, settings, mistakes);
                }
            }
        }
    }
}

fn unknown(name: &str, names: &[&str]) -> String {
    match nearest::closest(name, names.iter().copied()).first() {
        Some(close) => format!("unknown provider `{name}`; did you mean `{close}`?"),
        None if names.is_empty() => {
            format!("unknown provider `{name}`; no provider of this server has settings")
        }
        None => format!("unknown provider `{name}`; expected one of: {}", names.join(", ")),
    }
}

/// Converts a value; `None` if JSON has no such value.
pub(super) fn json(value: &DeValue<'_>) -> Option<Value> {
    Some(match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Integer(number) => Value::from(number.to_string().parse::<i64>().ok()?),
        DeValue::Float(number) => {
            Value::Number(Number::from_f64(number.to_string().parse().ok()?)?)
        }
        DeValue::Boolean(flag) => Value::from(*flag),
        DeValue::Array(items) => {
            items.iter().map(|item| json(item.get_ref())).collect::<Option<_>>()?
        }
        DeValue::Table(members) => {
            let members = members
                .iter()
                .map(|(name, value)| Some((name.get_ref().to_string(), json(value.get_ref())?)));
            Value::Object(members.collect::<Option<Map<_, _>>>()?)
        }
        DeValue::Datetime(_) => return None,
    })
}
