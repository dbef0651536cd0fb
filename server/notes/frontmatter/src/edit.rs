//! Edits of one property that change no other byte.

use serde_json::Value;

use crate::block::FrontmatterBlock;
use crate::node::{MapEntry, Node, NodeValue};
use crate::properties::{InvalidFrontmatter, Properties, parse_mapping, read};
use crate::span::Span;
use crate::splice::{LineBreaks, Splices};

/// A change of one property.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// Set it to a value, whether it exists or not.
    Set(Value),
    /// Remove it.
    Delete,
    /// Append to the existing value: items to a list, entries to a mapping (the new ones win), text
    /// to a text. A missing property is set to the given value.
    Append(Value),
    /// Prepend to the existing value; in a mapping, the old entries win.
    Prepend(Value),
    /// Give it another key, in its place.
    Rename(String),
}

/// Why a property was not edited. The note is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The frontmatter cannot be read, so it is not rewritten.
    #[error(transparent)]
    Invalid(#[from] InvalidFrontmatter),
    /// The property does not exist.
    #[error("there is no property `{key}`")]
    Missing {
        /// The requested key.
        key: String,
        /// The existing keys.
        keys: Vec<String>,
    },
    /// Another property has the new key.
    #[error("there is a property `{key}` already")]
    Taken { key: String },
    /// The existing and the new value cannot be joined.
    #[error(
        "`{key}` is {present} and cannot be joined with {given}; join lists with lists, mappings with mappings, text with text"
    )]
    NotMergeable {
        key: String,
        /// The kind of the property's value: `a list`.
        present: &'static str,
        /// The kind of the new value.
        given: &'static str,
    },
    /// The property cannot be changed on its own, for example because other properties refer to its
    /// anchor.
    #[error(
        "`{key}` cannot be changed without changing other properties; edit the note's text instead"
    )]
    Entangled { key: String },
}

/// Returns the text of a note after an edit of the property `key`. Frontmatter is added if there is none, and removed with its
/// last line. If the value does not change, neither does the text.
///
/// Only the lines of the property change; in lists and mappings only those of the items that
/// differ. All other bytes stay: quoting, style, comments, order and line endings.
///
/// # Errors
/// See [`EditError`].
pub fn edit(text: &str, key: &str, edit: &Edit) -> Result<String, EditError> {
    let block = FrontmatterBlock::find(text);
    let old = block.map_or(Ok(None), |block| parse_mapping(text, block))?;
    let present = old.as_ref().map_or(Value::Null, Node::to_value);
    let before = match present {
        Value::Object(properties) => properties,
        _ => Properties::new(),
    };
    let after = apply_edit(&before, key, edit)?;
    if after == before {
        return Ok(text.to_owned());
    }
    let Some(block) = block else { return Ok(add_frontmatter(text, key, &after)) };
    let yaml = block.yaml.slice(text);
    let newline = if text[block.span.start..].starts_with("---\r\n") { "\r\n" } else { "\n" };
    let attempts = match edit {
        Edit::Rename(to) => [rename_key(yaml, old.as_ref(), key, to), None, None],
        _ => [
            edit_entry(yaml, old.as_ref(), key, &after, LineBreaks::Literal),
            edit_entry(yaml, old.as_ref(), key, &after, LineBreaks::Quoted),
            rewrite_entry(yaml, old.as_ref(), key, &after),
        ],
    };
    for splices in attempts.into_iter().flatten() {
        let edited = replace_span(text, block.yaml, &splices.apply(newline));
        // Read the edited text back to check its meaning.
        let unchanged_body = FrontmatterBlock::find(&edited)
            .is_some_and(|new| edited[new.span.end..] == text[block.span.end..]);
        if unchanged_body && read(&edited).is_ok_and(|read| read == after) {
            let bare = after.is_empty().then(|| remove_empty_block(&edited)).flatten();
            return Ok(bare.unwrap_or(edited));
        }
    }
    Err(EditError::Entangled { key: key.to_owned() })
}

/// The properties after an edit.
fn apply_edit(before: &Properties, key: &str, edit: &Edit) -> Result<Properties, EditError> {
    let mut after = before.clone();
    let old = before.get(key);
    let missing =
        || EditError::Missing { key: key.to_owned(), keys: before.keys().cloned().collect() };
    let value = match edit {
        Edit::Set(value) => value.clone(),
        Edit::Delete => {
            after.shift_remove(key).ok_or_else(missing)?;
            return Ok(after);
        }
        Edit::Rename(to) => {
            if old.is_none() {
                return Err(missing());
            }
            if to != key && before.contains_key(to) {
                return Err(EditError::Taken { key: to.clone() });
            }
            let renamed = |(own, value): (&String, &Value)| {
                (if own == key { to } else { own }.clone(), value.clone())
            };
            return Ok(before.iter().map(renamed).collect());
        }
        Edit::Append(value) => {
            let old = old.ok_or_else(missing)?;
            join(old, value).ok_or_else(|| not_mergeable(key, old, value))?
        }
        Edit::Prepend(value) => {
            let old = old.ok_or_else(missing)?;
            join(value, old).ok_or_else(|| not_mergeable(key, old, value))?
        }
    };
    after.insert(key.to_owned(), value);
    Ok(after)
}

/// Joins two values; in mappings, the second wins.
fn join(first: &Value, second: &Value) -> Option<Value> {
    Some(match (first, second) {
        (Value::Array(a), Value::Array(b)) => a.iter().chain(b).cloned().collect(),
        (Value::String(a), Value::String(b)) => format!("{a}{b}").into(),
        (Value::Object(a), Value::Object(b)) => {
            let entries = a.iter().chain(b);
            Value::Object(entries.map(|(key, value)| (key.clone(), value.clone())).collect())
        }
        (Value::Null, other) | (other, Value::Null) => other.clone(),
        _ => return None,
    })
}

fn not_mergeable(key: &str, present: &Value, given: &Value) -> EditError {
    EditError::NotMergeable {
        key: key.to_owned(),
        present: describe_kind(present),
        given: describe_kind(given),
    }
}

fn describe_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
    }
}

/// The smallest edit, or a new entry.
fn edit_entry<'a>(
    yaml: &'a str,
    old: Option<&Node>,
    key: &str,
    after: &Properties,
    lines: LineBreaks,
) -> Option<Splices<'a>> {
    let mut splices = Splices::new(yaml, lines);
    let block = old.filter(|node| !node.is_flow());
    let known = find_entry(old, key).is_some();
    match (old, after.get(key)) {
        (Some(node), Some(_)) if known || block.is_none() => splices.edit_mapping(node, after)?,
        (Some(node), None) if after.is_empty() && node.is_flow() => return None,
        (Some(node), None) => splices.edit_mapping(node, after)?,
        (_, Some(value)) => splices.add(key, value),
        (None, None) => {}
    }
    Some(splices)
}

/// Replaces the key alone.
fn rename_key<'a>(yaml: &'a str, old: Option<&Node>, key: &str, to: &str) -> Option<Splices<'a>> {
    let mut splices = Splices::new(yaml, LineBreaks::Quoted);
    splices.rename(find_entry(old, key)?, to);
    Some(splices)
}

/// Rewrites or removes the whole entry.
fn rewrite_entry<'a>(
    yaml: &'a str,
    old: Option<&Node>,
    key: &str,
    after: &Properties,
) -> Option<Splices<'a>> {
    let mut splices = Splices::new(yaml, LineBreaks::Quoted);
    let entry = find_entry(old, key)?;
    match after.get(key) {
        Some(value) => splices.rewrite(entry, value)?,
        None => splices.remove(entry)?,
    }
    Some(splices)
}

fn find_entry<'a>(root: Option<&'a Node>, key: &str) -> Option<&'a MapEntry> {
    match &root?.shape {
        NodeValue::Mapping { entries, .. } => entries.iter().find(|entry| entry.key == key),
        _ => None,
    }
}

fn replace_span(text: &str, span: Span, new: &str) -> String {
    [&text[..span.start], new, &text[span.end..]].concat()
}

/// The text without its frontmatter, if that has no line and the rest does not begin like one.
fn remove_empty_block(text: &str) -> Option<String> {
    let block = FrontmatterBlock::find(text)?;
    let bare = replace_span(text, block.span, "");
    (block.yaml.slice(text).is_empty() && FrontmatterBlock::find(&bare).is_none()).then_some(bare)
}

fn add_frontmatter(text: &str, key: &str, after: &Properties) -> String {
    let body = text.trim_start_matches('\u{FEFF}');
    let newline = if body.split_inclusive('\n').next().is_some_and(|line| line.ends_with("\r\n")) {
        "\r\n"
    } else {
        "\n"
    };
    let mut splices = Splices::new("", LineBreaks::Quoted);
    if let Some(value) = after.get(key) {
        splices.add(key, value);
    }
    let mark = &text[..text.len() - body.len()];
    format!("{mark}---{newline}{}---{newline}{body}", splices.apply(newline))
}
