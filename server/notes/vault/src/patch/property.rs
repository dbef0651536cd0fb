//! Patches of a property.

use serde_json::Value;

use super::{Action, IfPresent, Patch, PatchContent, PatchError, PatchScope};
use crate::target::TargetError;
use toolwrit_frontmatter::{self as frontmatter, Edit, EditError};

pub(super) fn apply(text: &str, key: &str, patch: &Patch) -> Result<String, PatchError> {
    match (&patch.action, patch.scope) {
        (_, PatchScope::Content) | (Action::Delete, PatchScope::MarkerAndContent) => {}
        _ => {
            return Err(PatchError::Unsupported("the scope does not apply to a property; omit it"));
        }
    }
    let properties = frontmatter::read(text).map_err(EditError::from)?;
    let old = properties.get(key);
    if old.is_none() && !patch.may_create() {
        let there = properties.keys().cloned().collect();
        return Err(TargetError::missing_error("property", key, there).into());
    }
    let given = patch.action.content().map(|content| value_of_content(content, old));
    if patch.if_present == IfPresent::Reject
        && let (Some(old), Some(given)) = (old, &given)
        && equals_or_contains(old, given)
    {
        return Err(PatchError::AlreadyPresent);
    }
    let edit = match (&patch.action, given) {
        (Action::Append(_), Some(value)) if old.is_some() => Edit::Append(value),
        (Action::Prepend(_), Some(value)) if old.is_some() => Edit::Prepend(value),
        (_, Some(value)) => Edit::Set(value),
        (_, None) => Edit::Delete,
    };
    Ok(frontmatter::edit(text, key, &edit)?)
}

/// The given value. In the place of a list or a mapping, a text may be one as JSON.
fn value_of_content(content: &PatchContent, old: Option<&Value>) -> Value {
    let text = match content {
        PatchContent::Text(text) => text,
        PatchContent::Value(value) => return value.clone(),
    };
    let has_parts = |value: &Value| value.is_array() || value.is_object();
    // `[[2026]]` is a link, although it is also JSON.
    let may_be_json = old.is_some_and(has_parts) && !text.trim_start().starts_with("[[");
    let json = may_be_json.then(|| serde_json::from_str(text).ok()).flatten();
    json.filter(has_parts).unwrap_or_else(|| Value::String(text.clone()))
}

/// Whether a value equals or contains the given one.
fn equals_or_contains(old: &Value, given: &Value) -> bool {
    match (old, given) {
        (Value::Array(old), Value::Array(given)) => given.iter().all(|item| old.contains(item)),
        (Value::Object(old), Value::Object(given)) => {
            given.iter().all(|(key, value)| old.get(key) == Some(value))
        }
        (Value::String(old), Value::String(given)) => old.contains(given.trim()),
        _ => old == given,
    }
}
