//! Entities as changes of notes.

use serde_json::Value as Json;
use toolwrit_frontmatter::{self as frontmatter, Edit, Properties};
use toolwrit_vault::patch::{
    Action, IfPresent, IfTargetMissing, Patch, PatchContent, PatchScope, PatchTarget,
};

use crate::error::{ProjectError, Result};

/// The text of a new note.
pub(super) fn render_note(properties: &Properties, body: &str) -> Result<String> {
    let body = body.trim_start_matches(['\n', '\r', '\u{FEFF}']);
    let mut text = if body.is_empty() { String::new() } else { format!("\n{body}") };
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    for (name, value) in properties {
        text = frontmatter::edit(&text, name, &Edit::Set(value.clone())).map_err(|error| {
            ProjectError::InvalidField { field: name.clone(), reason: error.to_string() }
        })?;
    }
    Ok(text)
}

/// The edits that turn properties into others.
pub(super) fn find_patches(before: &Properties, after: &Properties) -> Vec<Patch> {
    let removed = before.keys().filter(|name| !after.contains_key(*name));
    let set = after.iter().filter(|(name, value)| before.get(*name) != Some(*value));
    let removed = removed.map(|name| to_patch(name, None));
    removed.chain(set.map(|(name, value)| to_patch(name, Some(value)))).collect()
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
