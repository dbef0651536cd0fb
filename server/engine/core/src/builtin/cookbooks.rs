//! `list_cookbooks` and `get_cookbook`: guides to common tasks.

use serde_json::{Value, json};

use crate::authority::Cookbook;
use crate::fault::{Fault, Result};
use crate::policy::Policy;
use toolwrit_text::nearest;

/// Returns the cookbooks that the caller may use.
pub(super) fn list(policy: &Policy) -> Value {
    let entries = visible_cookbooks(policy).map(|cookbook| entry(policy, cookbook));
    json!({"cookbooks": entries.collect::<Vec<_>>()})
}

/// Returns a cookbook with its text.
///
/// # Errors
/// `NOT_FOUND` if the caller has no such cookbook.
pub(super) fn get(policy: &Policy, name: &str) -> Result<Value> {
    let Some(cookbook) = visible_cookbooks(policy).find(|cookbook| cookbook.name == name) else {
        let close = nearest::closest(
            name,
            visible_cookbooks(policy).map(|cookbook| cookbook.name.as_str()),
        );
        return Err(Fault::not_found(format!("There is no cookbook `{name}`."))
            .with_path("/name")
            .did_you_mean(close));
    };
    let mut entry = entry(policy, cookbook);
    entry["text"] = cookbook.text.as_str().into();
    Ok(entry)
}

fn visible_cookbooks(policy: &Policy) -> impl Iterator<Item = &Cookbook> {
    policy.tables().cookbooks.iter().filter(|cookbook| policy.shows(cookbook.prompt.into()))
}

fn entry(policy: &Policy, cookbook: &Cookbook) -> Value {
    let rows = &policy.tables().operations;
    let uses = cookbook.operations.iter().map(|at| rows[usize::from(*at)].id.as_str());
    json!({
        "name": cookbook.name,
        "summary": cookbook.summary,
        "operations": uses.collect::<Vec<_>>(),
    })
}
