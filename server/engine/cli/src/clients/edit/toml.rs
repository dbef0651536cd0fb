//! TOML. The library changes line ends to those of Unix, so they are kept here.

use serde_json::Value;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike};

use super::{Refusal, Server};
use crate::clients::Client;

pub(super) fn add(text: &str, client: &Client, server: Server<'_>) -> Result<String, Refusal> {
    edited(text, |document| {
        let mut parent = Table::new();
        parent.set_implicit(true);
        let servers = document.entry(&client.servers).or_insert(Item::Table(parent));
        let servers = servers.as_table_like_mut().ok_or_else(|| not_a_table(&client.servers))?;
        if let Some(found) = servers.get_mut(server.name) {
            let entry = found.as_table_like_mut().ok_or_else(|| not_a_table(server.name))?;
            for (key, value) in server.command(client.shape) {
                set(entry, &key, &value);
            }
        } else {
            let mut table = Table::new();
            for (key, value) in server.entry(client.shape) {
                set(&mut table, &key, &value);
            }
            servers.insert(server.name, Item::Table(table));
        }
        Ok(())
    })
}

pub(super) fn remove(text: &str, servers: &str, name: &str) -> Result<String, Refusal> {
    edited(text, |document| {
        if let Some(servers) = document.get_mut(servers).and_then(Item::as_table_like_mut) {
            servers.remove(name);
        }
        Ok(())
    })
}

fn not_a_table(key: &str) -> Refusal {
    Refusal(format!("has `{key}`, which is not a table"))
}

fn set(table: &mut dyn TableLike, key: &str, value: &Value) {
    let value = match value {
        Value::Array(items) => {
            toml_edit::value(items.iter().filter_map(Value::as_str).collect::<Array>())
        }
        Value::Bool(is_set) => toml_edit::value(*is_set),
        other => toml_edit::value(other.as_str().unwrap_or_default()),
    };
    table.insert(key, value);
}

/// Changes a document whose line ends are all alike.
fn edited(
    text: &str,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), Refusal>,
) -> Result<String, Refusal> {
    let windows = text.matches("\r\n").count();
    if windows > 0 && windows != text.matches('\n').count() {
        return Err(Refusal::new(
            "has line ends of Windows and of Unix, which an edit would change",
        ));
    }
    let mut document: DocumentMut =
        text.replace("\r\n", "\n").parse().map_err(|error: toml_edit::TomlError| {
            Refusal(format!("is not valid: {}", error.message()))
        })?;
    change(&mut document)?;
    let edited = document.to_string();
    Ok(if windows > 0 { edited.replace('\n', "\r\n") } else { edited })
}
