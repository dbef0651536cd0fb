//! Keys whose values are named tables, such as `[vaults.NAME]`. Each becomes a value of its flag.

use std::ffi::OsString;
use std::path::Path;

use serde_json::Value;
use toml::Spanned;
use toml::de::DeValue;

use super::beside::beside;
use super::mistake::Mistake;
use super::providers::json;

/// The member of a table that is a path.
const PATH: &str = "path";

/// Reads the tables of a key, in the order of the file at `path`.
///
/// # Errors
/// What is no table, and what the flag does not accept.
pub(super) fn read(
    key: &str,
    value: &Spanned<DeValue<'_>>,
    path: &Path,
    check: impl Fn(&str) -> Result<(), String>,
) -> Result<Vec<Spanned<OsString>>, Vec<Mistake>> {
    let DeValue::Table(tables) = value.get_ref() else {
        let what = format!("expected tables, as in [{key}.name]");
        return Err(vec![Mistake { at: value.span(), what }]);
    };
    let mut mistakes = Vec::new();
    let mut values = Vec::new();
    for (name, value) in tables {
        let Some(Value::Object(mut table)) = json(value.get_ref()) else {
            let what = format!("expected a table, as in [{key}.{}]", name.get_ref());
            mistakes.push(Mistake { at: value.span(), what });
            continue;
        };
        if let Some(Value::String(text)) = table.get_mut(PATH) {
            *text = beside(path, text).to_string_lossy().into_owned();
        }
        let text = format!("{}={}", name.get_ref(), Value::Object(table));
        match check(&text) {
            Ok(()) => values.push(Spanned::new(name.span(), text.into())),
            Err(what) => mistakes.push(Mistake { at: name.span(), what }),
        }
    }
    values.sort_by_key(|value: &Spanned<OsString>| value.span().start);
    if mistakes.is_empty() { Ok(values) } else { Err(mistakes) }
}

/// Writes the values of such a flag as TOML, in their order.
pub(super) fn to_toml(texts: &[String]) -> String {
    let entries = texts.iter().filter_map(|text| {
        let (name, table) = text.split_once('=')?;
        let table: toml::Table = serde_json::from_str(table).ok()?;
        Some(format!("{} = {}", toml::Value::from(name), toml::Value::Table(table)))
    });
    format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
}
