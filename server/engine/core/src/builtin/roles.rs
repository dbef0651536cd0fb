//! `list_roles` and `load_role`: a role only removes operations, and belongs to single calls.

use serde_json::{Map, Value, json};

use super::introspect::counts;
use crate::authority::Role;
use crate::fault::Result;
use crate::policy::Policy;

/// Returns the roles with the number of operations that each leaves to the caller.
pub(super) fn list(policy: &Policy) -> Value {
    let tables = policy.tables();
    let roles = tables.roles.iter().filter_map(|role| {
        let narrow = policy.narrowed(None, Some(&role.name)).ok()?;
        narrow.visible().next()?;
        Some(Value::Object(entry(role, &narrow)))
    });
    json!({"role": policy.role(), "roles": roles.collect::<Vec<_>>()})
}

/// Returns a role: its instructions, what it allows, and how to call under it.
///
/// # Errors
/// `VALIDATION_ERROR` for a role that is not declared.
pub(super) fn load(policy: &Policy, name: &str) -> Result<Value> {
    let narrow = policy.narrowed(None, Some(name)).map_err(|unknown| unknown.fault("/role"))?;
    let tables = policy.tables();
    let role = tables.roles.iter().find(|role| role.name == name);
    let mut answer = role.map(|role| entry(role, &narrow)).unwrap_or_default();
    // Not that of the role in force, which is another one if this one does not allow less.
    if let Some(persona) = role.and_then(|role| role.persona.as_deref()) {
        answer.insert("persona".to_owned(), persona.into());
    }
    let mut allowed = Map::new();
    for (_, operation) in narrow.visible() {
        let category = &tables.category_of(operation).name;
        let names = allowed.entry(category).or_insert_with(|| json!([]));
        if let Some(names) = names.as_array_mut() {
            names.push(operation.name.as_str().into());
        }
    }
    answer.insert("allowed".to_owned(), allowed.into());
    let pass = json!({
        "execute": format!("\"role\": \"{name}\", beside `tool` and `args`, in each call of execute"),
        "http": format!("the header `Toolwrit-Role: {name}`, with each request"),
        "start": format!("the flag `--role {name}`, for all calls of a server"),
    });
    answer.insert("pass".to_owned(), pass);
    Ok(answer.into())
}

fn entry(role: &Role, narrow: &Policy) -> Map<String, Value> {
    let mut entry = Map::new();
    entry.insert("name".to_owned(), role.name.as_str().into());
    if let Some(summary) = role.summary.as_deref() {
        entry.insert("summary".to_owned(), summary.into());
    }
    let operations = counts(narrow.visible().map(|(_, operation)| operation));
    entry.insert("operations".to_owned(), operations);
    entry
}
