//! Changes the text of a client's file: adds one server, or removes it, and keeps every other value. Comments stay, too.
//!
//! Each change is checked: the text is parsed before and after, and only the entry of the server may differ.

mod json;
mod toml;
mod yaml;

use serde_json::{Map, Value};

use super::document::{BYTE_ORDER_MARK, Syntax};
use super::{Client, Shape};

/// Why a file is not changed. The sentence goes on after the file's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) String);

impl Refusal {
    fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// A server to add: its name, and the words of its command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Server<'a> {
    pub(crate) name: &'a str,
    pub(crate) words: &'a [String],
}

impl Server<'_> {
    /// Its entry in a file of the client.
    pub(crate) fn entry(&self, shape: Shape) -> Map<String, Value> {
        let mut entry = Map::new();
        match shape {
            Shape::Plain => {}
            Shape::Typed => drop(entry.insert("type".to_owned(), "stdio".into())),
            Shape::Opencode => drop(entry.insert("type".to_owned(), "local".into())),
            Shape::Goose => {
                entry.insert("name".to_owned(), self.name.into());
                entry.insert("type".to_owned(), "stdio".into());
            }
            Shape::Continue => drop(entry.insert("name".to_owned(), self.name.into())),
        }
        entry.extend(self.command(shape));
        match shape {
            Shape::Opencode => drop(entry.insert("enabled".to_owned(), true.into())),
            Shape::Goose => {
                entry.insert("envs".to_owned(), Value::Object(Map::new()));
                entry.insert("enabled".to_owned(), true.into());
                entry.insert("timeout".to_owned(), 300.into());
            }
            _ => {}
        }
        entry
    }

    /// The members of the entry that say what is started.
    fn command(&self, shape: Shape) -> Vec<(String, Value)> {
        let program = self.words.first().cloned().unwrap_or_default();
        let arguments = Value::from(self.words.get(1..).unwrap_or_default());
        match shape {
            Shape::Opencode => vec![("command".to_owned(), Value::from(self.words))],
            Shape::Goose => {
                vec![("cmd".to_owned(), program.into()), ("args".to_owned(), arguments)]
            }
            _ => vec![("command".to_owned(), program.into()), ("args".to_owned(), arguments)],
        }
    }
}

/// Returns the text with the server. Of an entry that exists, only the command is replaced.
///
/// # Errors
/// If the text is not what the client accepts, or cannot be changed without changing more.
pub(crate) fn add(
    client: &Client,
    syntax: Syntax,
    text: &str,
    server: Server<'_>,
) -> Result<String, Refusal> {
    if client.shape == Shape::Continue {
        let document = syntax.parse(text).map_err(Refusal::new)?;
        let entries = client.entries(&document);
        let is_own = entries.len() == 1 && entries[0].name == server.name;
        return if document.is_null() || is_own {
            Ok(yaml::list(&client.servers, server))
        } else {
            Err(Refusal::new("has other servers, too"))
        };
    }
    changed(client, syntax, text, server.name, |plain| match syntax {
        Syntax::Json { .. } => json::add(plain, syntax, client, server),
        Syntax::Toml => toml::add(plain, client, server),
        Syntax::Yaml => yaml::add(plain, client, server),
    })
}

/// Returns the text without the server of this name.
///
/// # Errors
/// See [`add`].
pub(crate) fn remove(
    client: &Client,
    syntax: Syntax,
    text: &str,
    name: &str,
) -> Result<String, Refusal> {
    changed(client, syntax, text, name, |plain| match syntax {
        Syntax::Json { .. } => json::remove(plain, syntax, &client.servers, name),
        Syntax::Toml => toml::remove(plain, &client.servers, name),
        Syntax::Yaml => yaml::remove(plain, &client.servers, name),
    })
}

/// Changes a text, whose byte order mark stays, and checks that only the entry of this name differs.
fn changed(
    client: &Client,
    syntax: Syntax,
    text: &str,
    name: &str,
    change: impl FnOnce(&str) -> Result<String, Refusal>,
) -> Result<String, Refusal> {
    let others = |text: &str| others(syntax, text, &client.servers, name);
    let before = others(text).map_err(|why| {
        Refusal(format!("is not valid, so {} cannot read it either: {why}", client.title))
    })?;
    let plain = text.strip_prefix(BYTE_ORDER_MARK);
    let mut after = change(plain.unwrap_or(text))?;
    if plain.is_some() {
        after.insert(0, BYTE_ORDER_MARK);
    }
    if others(&after).ok().as_ref() != Some(&before) {
        return Err(Refusal::new("cannot be changed without changing other settings"));
    }
    Ok(after)
}

/// What a document has besides one server.
fn others(syntax: Syntax, text: &str, servers: &str, name: &str) -> Result<Value, String> {
    let mut document = syntax.parse(text)?;
    if let Some(table) = document.get_mut(servers).and_then(Value::as_object_mut) {
        table.remove(name);
        if table.is_empty()
            && let Some(document) = document.as_object_mut()
        {
            document.remove(servers);
        }
    }
    let is_empty = document.as_object().is_some_and(Map::is_empty);
    Ok(if is_empty { Value::Null } else { document })
}
