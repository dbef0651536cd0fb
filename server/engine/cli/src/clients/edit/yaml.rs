//! YAML, by lines: no library for it keeps comments. What lines cannot do is refused.

use serde_json::{Map, Value};

use super::{Refusal, Server};
use crate::clients::Client;

/// The text of a file that has only this server.
pub(super) fn list(servers: &str, server: Server<'_>) -> String {
    let entry = server.entry(super::Shape::Continue);
    let mut members = lines(&entry, "    ");
    members[0].replace_range(2..4, "- ");
    let head =
        format!("name: {}\nversion: 0.0.1\nschema: v1\n{servers}:\n", scalar(&server.name.into()));
    head + &members.concat()
}

pub(super) fn add(text: &str, client: &Client, server: Server<'_>) -> Result<String, Refusal> {
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let text = if text.is_empty() || text.ends_with('\n') {
        text.to_owned()
    } else {
        format!("{text}{line_end}")
    };
    let at = Lines::find(&text, &client.servers)?;
    let indent = at.as_ref().map_or("  ", |at| at.indent);
    let mut added = vec![format!("{indent}{}:\n", scalar(&server.name.into()))];
    added.extend(lines(&server.entry(client.shape), &indent.repeat(2)));
    let added = added.concat().replace('\n', line_end);
    if let Some(found) = at.as_ref().and_then(|at| at.entry(server.name)) {
        // An installation that was killed has written it.
        if text[found] == added {
            return Ok(text);
        }
        return Err(Refusal(format!(
            "has `{}` already; remove it, or choose another --name",
            server.name
        )));
    }
    Ok(match at {
        Some(at) => format!("{}{added}{}", &text[..at.start], &text[at.start..]),
        None => format!("{text}{}:{line_end}{added}", client.servers),
    })
}

pub(super) fn remove(text: &str, servers: &str, name: &str) -> Result<String, Refusal> {
    let Some(at) = Lines::find(text, servers)? else { return Ok(text.to_owned()) };
    let Some(range) = at.entry(name) else { return Ok(text.to_owned()) };
    let is_last = at.names().count() == 1;
    let start = if is_last { at.key } else { range.start };
    Ok(format!("{}{}", &text[..start], &text[range.end..]))
}

/// The members of an entry, a line each. Texts and lists are written as JSON, which is YAML.
fn lines(entry: &Map<String, Value>, indent: &str) -> Vec<String> {
    entry.iter().map(|(key, value)| format!("{indent}{key}: {}\n", scalar(value))).collect()
}

fn scalar(value: &Value) -> String {
    let is_plain = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
            && !["y", "n", "yes", "no", "on", "off", "true", "false", "null"]
                .contains(&text.to_lowercase().as_str())
    };
    match value {
        Value::String(text) if is_plain(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The lines of a mapping in a document: its entries, each in lines that are indented more.
struct Lines<'a> {
    text: &'a str,
    /// Where the line with the key of the mapping begins.
    key: usize,
    /// Where its entries begin.
    start: usize,
    indent: &'a str,
}

impl<'a> Lines<'a> {
    fn find(text: &'a str, key: &str) -> Result<Option<Self>, Refusal> {
        let begins = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
        let mut position = 0;
        for line in text.split_inclusive('\n') {
            let start = position + line.len();
            if begins(line) {
                let rest = line[key.len() + 1..].trim();
                if !rest.is_empty() && !rest.starts_with('#') {
                    return Err(Refusal(format!(
                        "has `{key}` on one line, which cannot be extended"
                    )));
                }
                let entries = text[start..].lines().find(|line| is_content(line));
                let indent =
                    entries.map_or("", |line| &line[..line.len() - line.trim_start().len()]);
                let indent = if indent.is_empty() { "  " } else { indent };
                return Ok(Some(Self { text, key: position, start, indent }));
            }
            position = start;
        }
        Ok(None)
    }

    /// The names of the entries, with where each begins.
    fn names(&self) -> impl Iterator<Item = (&'a str, usize)> {
        let mut position = self.start;
        let lines = self.text[self.start..].split_inclusive('\n').map(move |line| {
            let start = position;
            position += line.len();
            (line, start)
        });
        let lines =
            lines.take_while(|(line, _)| !is_content(line) || line.starts_with([' ', '\t']));
        lines.filter_map(|(line, start)| {
            let name = line.strip_prefix(self.indent)?;
            (is_content(line) && !name.starts_with([' ', '\t']))
                .then(|| (name.trim_end().trim_end_matches(':').trim_matches(['"', '\'']), start))
        })
    }

    /// Where the lines of an entry are: up to the next line that is not indented more.
    fn entry(&self, name: &str) -> Option<std::ops::Range<usize>> {
        let (_, start) = self.names().find(|(found, _)| *found == name)?;
        let mut end = start;
        for (at, line) in self.text[start..].split_inclusive('\n').enumerate() {
            let deeper =
                line.strip_prefix(self.indent).is_some_and(|rest| rest.starts_with([' ', '\t']));
            if at > 0 && !deeper {
                break;
            }
            end += line.len();
        }
        Some(start..end)
    }
}

/// Whether a line is more than blanks and a comment.
fn is_content(line: &str) -> bool {
    let text = line.trim();
    !text.is_empty() && !text.starts_with('#')
}
