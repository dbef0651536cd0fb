//! `[operations."ID"]`: limits of one operation on this server.

use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::mistake::Mistake;
use toolwrit_core::period::period;
use toolwrit_text::nearest;

/// The only key of an operation's table.
pub(super) const TIMEOUT: &str = "timeout";

/// An operation with its own limits.
#[derive(Debug)]
pub(super) struct Limited {
    pub(super) id: String,
    pub(super) timeout: Duration,
    /// The timeout as written in the file.
    written: String,
}

impl Limited {
    /// The table as TOML.
    pub(super) fn to_toml(&self) -> String {
        let quoted = |text: &str| toml::Value::from(text).to_string();
        format!("\n[operations.{}]\n{TIMEOUT} = {}\n", quoted(&self.id), quoted(&self.written))
    }
}

/// Parses the table of all operations; `ids` are the existing ones, and `open` are categories that may have any others. Adds
/// errors to `mistakes`.
pub(super) fn read(
    value: &Spanned<DeValue<'_>>,
    ids: &[&str],
    open: &[&str],
    mistakes: &mut Vec<Mistake>,
) -> Vec<Limited> {
    let DeValue::Table(operations) = value.get_ref() else {
        let what = "expected a table for each operation, as in [operations.\"category.name\"]";
        mistakes.push(Mistake { at: value.span(), what: what.to_owned() });
        return Vec::new();
    };
    let mut list = Vec::new();
    for (id, value) in operations {
        let is_open = id
            .get_ref()
            .split_once('.')
            .is_some_and(|(category, name)| !name.is_empty() && open.contains(&category));
        if !is_open && !ids.contains(&id.get_ref().as_ref()) {
            mistakes.push(Mistake { at: id.span(), what: unknown(id.get_ref(), ids, open) });
            continue;
        }
        match operation(id.get_ref(), value) {
            Ok(limited) => list.extend(limited),
            Err(mut errors) => mistakes.append(&mut errors),
        }
    }
    list
}

/// Parses the table of one operation. `None` if the table is empty.
fn operation(id: &str, value: &Spanned<DeValue<'_>>) -> Result<Option<Limited>, Vec<Mistake>> {
    let DeValue::Table(table) = value.get_ref() else {
        let what = format!("expected a table with {TIMEOUT}");
        return Err(vec![Mistake { at: value.span(), what }]);
    };
    let unknown = |key: &str| format!("unknown key `{key}`; expected {TIMEOUT}");
    let others = table.keys().filter(|key| key.get_ref() != TIMEOUT);
    let mut mistakes: Vec<Mistake> =
        others.map(|key| Mistake { at: key.span(), what: unknown(key.get_ref()) }).collect();
    let timeout = timeout(id, table).map_err(|mistake| mistakes.push(mistake));
    match timeout {
        Ok(limited) if mistakes.is_empty() => Ok(limited),
        _ => Err(mistakes),
    }
}

fn timeout(id: &str, table: &DeTable<'_>) -> Result<Option<Limited>, Mistake> {
    let Some(value) = table.get(TIMEOUT) else { return Ok(None) };
    let invalid = |what| Mistake { at: value.span(), what };
    let DeValue::String(text) = value.get_ref() else {
        return Err(invalid("expected a duration such as 500ms, 30s, 2m or 1h".to_owned()));
    };
    let timeout = period(text).map_err(invalid)?;
    Ok(Some(Limited { id: id.to_owned(), timeout, written: text.to_string() }))
}

/// The message for an unknown id. An unquoted id has a dot, which creates nested tables in TOML.
fn unknown(name: &str, ids: &[&str], open: &[&str]) -> String {
    let within = format!("{name}.");
    if open.contains(&name) || ids.iter().any(|id| id.starts_with(&within)) {
        return format!(
            "`{name}` is a category; put the id in quotes: [operations.\"{name}.name\"]"
        );
    }
    match nearest::closest(name, ids.iter().copied()).first() {
        Some(close) => format!("unknown operation `{name}`; did you mean `{close}`?"),
        None => format!("unknown operation `{name}`; `list` shows all operations"),
    }
}
