//! Entities as changes of notes.

use serde_json::Value as Json;
use toolwrit_frontmatter::{self as frontmatter, Edit, Properties};
use toolwrit_vault::patch::{
    Action, IfPresent, IfTargetMissing, Patch, PatchContent, PatchScope, PatchTarget,
};

use crate::error::{ProjectError, Result};
use crate::model::{Entity, Field, Words};

/// The text of a new note.
pub(super) fn render_note(properties: &Properties, body: &str, words: &Words) -> Result<String> {
    let body = body.trim_start_matches(['\n', '\r', '\u{FEFF}']);
    let mut text = if body.is_empty() { String::new() } else { format!("\n{body}") };
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    for (name, value) in properties {
        let known = words.field(name).map(|field| words.properties(field));
        let name = known.and_then(|names| names.first().copied()).unwrap_or(name);
        text = frontmatter::edit(&text, name, &Edit::Set(value.clone())).map_err(|error| {
            ProjectError::InvalidField { field: name.to_owned(), reason: error.to_string() }
        })?;
    }
    Ok(text)
}

/// What must be set or removed in a note so that it has other properties, by the names in the note.
pub(super) fn find_edits(
    before: &Entity,
    after: &Entity,
    words: &Words,
) -> Vec<(String, Option<Json>)> {
    let (old, new) = (&before.properties, &after.properties);
    let removed = old.keys().filter(|name| !new.contains_key(*name)).map(|name| (name, None));
    let set = new.iter().filter(|(name, value)| old.get(*name) != Some(*value));
    let set = set.map(|(name, value)| (name, Some(value.clone())));
    let in_note = |name: &str| {
        let field = Field::from_name(name)?;
        let own = before.own_name(field).map(str::to_owned);
        let own = own.filter(|_| old.contains_key(name));
        own.or_else(|| words.properties(field).first().map(|name| (*name).to_owned()))
    };
    let edit = |(name, value): (&String, Option<Json>)| match Field::from_name(name) {
        // Some fields are not kept.
        Some(field) if words.properties(field).is_empty() => None,
        Some(_) => Some((in_note(name)?, value)),
        None => Some((name.clone(), value)),
    };
    removed.chain(set).filter_map(edit).collect()
}

/// The edit that sets a property, or removes it.
pub(super) fn to_patch(name: &str, value: Option<&Json>) -> Patch {
    Patch {
        target: PatchTarget::Property(name.to_owned()),
        scope: PatchScope::Content,
        action: match value {
            Some(value) => Action::Replace(PatchContent::Value(value.clone())),
            None => Action::Delete,
        },
        if_missing: IfTargetMissing::Create,
        if_present: IfPresent::Apply,
    }
}
