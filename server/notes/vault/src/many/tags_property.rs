//! Tags in the frontmatter. The property `tags` keeps its form: a list below it, a list in brackets, or one text.

use std::collections::BTreeSet;

use serde_json::Value;

use super::fate::Fate;
use super::{Edited, SkipReason};
use crate::document::TagName;
use crate::path::fold;
use toolwrit_frontmatter::{self as frontmatter, Edit, FrontmatterBlock, Properties};

const TAGS: &str = "tags";

/// Adds the tags that are missing. A text becomes a list, because a text is one tag.
pub(super) fn add(text: &str, tags: &[TagName]) -> Result<Edited, SkipReason> {
    if FrontmatterBlock::is_unclosed(text) {
        return Err(SkipReason::Unclosed);
    }
    let properties = frontmatter::read(text)?;
    let (key, value) = tag_properties(&properties).next().unwrap_or((TAGS, &Value::Null));
    let mut items = match value {
        Value::Null => Vec::new(),
        Value::Array(items) => items.clone(),
        Value::String(tag) if frontmatter::tag(tag).is_some() => vec![value.clone()],
        _ => return Err(SkipReason::NoTagList),
    };
    let before = items.len();
    for tag in tags {
        let is_there = items.iter().filter_map(tag_of).any(|own| tag.is(own));
        if !is_there {
            items.push(tag.as_str().into());
        }
    }
    let changes = items.len() - before;
    let text = match changes {
        0 => text.to_owned(),
        _ => frontmatter::edit(text, key, &Edit::Set(items.into()))?,
    };
    Ok(Edited { text, changes })
}

/// Removes and renames tags. A list whose last tag goes stays, empty.
pub(super) fn change(text: &str, fate: &dyn Fn(&str) -> Fate) -> Result<Edited, SkipReason> {
    let properties = frontmatter::read(text)?;
    let mut edited = Edited { text: text.to_owned(), changes: 0 };
    for (key, value) in tag_properties(&properties) {
        let mut set = |value: Value| -> Result<(), SkipReason> {
            edited.text = frontmatter::edit(&edited.text, key, &Edit::Set(value))?;
            Ok(())
        };
        match value {
            Value::Array(items) => {
                let Changed { renamed, kept, changes } = change_items(items, fate);
                // First in place, so that each item keeps its line.
                set(renamed.into())?;
                set(kept.into())?;
                edited.changes += changes;
            }
            Value::String(_) => {
                set(match change_item(value, fate) {
                    Fate::Kept => continue,
                    Fate::Removed => Value::Array(Vec::new()),
                    Fate::Renamed(new) => new.into(),
                })?;
                edited.changes += 1;
            }
            _ => {}
        }
    }
    Ok(edited)
}

/// The properties whose values are tags.
fn tag_properties(properties: &Properties) -> impl Iterator<Item = (&str, &Value)> {
    let named = properties.iter().filter(|(key, _)| key.eq_ignore_ascii_case(TAGS));
    named.map(|(key, value)| (key.as_str(), value))
}

fn tag_of(item: &Value) -> Option<&str> {
    frontmatter::tag(item.as_str()?)
}

/// The items of a list of tags after a change.
struct Changed {
    /// All of them, with their new names.
    renamed: Vec<Value>,
    /// Those that stay.
    kept: Vec<Value>,
    changes: usize,
}

fn change_items(items: &[Value], fate: &dyn Fn(&str) -> Fate) -> Changed {
    let fates: Vec<_> = items.iter().map(|item| change_item(item, fate)).collect();
    let untouched = items.iter().zip(&fates).filter(|(_, fate)| matches!(fate, Fate::Kept));
    // A tag that gets the name of another one goes.
    let mut known: BTreeSet<String> =
        untouched.filter_map(|(item, _)| tag_of(item)).map(fold).collect();
    let mut changed = Changed { renamed: Vec::new(), kept: Vec::new(), changes: 0 };
    for (item, fate) in items.iter().zip(fates) {
        changed.changes += usize::from(!matches!(fate, Fate::Kept));
        let new = match fate {
            Fate::Kept => Some(item.clone()),
            Fate::Removed => None,
            Fate::Renamed(new) => {
                let is_new = frontmatter::tag(&new).is_none_or(|tag| known.insert(fold(tag)));
                is_new.then(|| new.into())
            }
        };
        changed.renamed.push(new.as_ref().unwrap_or(item).clone());
        changed.kept.extend(new);
    }
    changed
}

/// What becomes of an item; renamed, with what is written around the tag.
fn change_item(item: &Value, fate: &dyn Fn(&str) -> Fate) -> Fate {
    let Some(written) = item.as_str() else { return Fate::Kept };
    let Some(tag) = frontmatter::tag(written) else { return Fate::Kept };
    match fate(tag) {
        Fate::Renamed(new) => Fate::Renamed(written.replacen(tag, &new, 1)),
        fate => fate,
    }
}
