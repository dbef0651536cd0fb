//! What a conversation may do.

use std::collections::HashSet;

use toolwrit_core::authority::Effect;
use toolwrit_core::policy::{Policy, Selector, UnknownName};

use crate::converse::settings::ChatTable;

/// What a conversation may do, and the blocks of notes: what their caller may do, in the focus mode of the conversation.
/// Without one, they only read.
///
/// # Errors
/// A name that the authority does not have.
pub fn narrow_policy(
    base: &Policy,
    table: &ChatTable,
    names_focus: bool,
) -> Result<Policy, UnknownName> {
    let focus = table.focus.as_deref().filter(|_| !names_focus);
    let mut policy = base.narrowed(focus, table.role.as_deref())?;
    if focus.is_none() && !names_focus {
        policy = policy.reading();
    }
    match &table.tools {
        Some(tools) => Ok(policy.only(parse_selectors(&policy, tools)?)),
        None => Ok(policy),
    }
}

fn parse_selectors(policy: &Policy, texts: &[String]) -> Result<Vec<Selector>, UnknownName> {
    texts.iter().map(|text| Selector::parse(policy.tables(), text)).collect()
}

/// The operations that may write without being asked about.
pub(crate) fn unasked_writes(
    policy: &Policy,
    table: &ChatTable,
) -> Result<HashSet<String>, UnknownName> {
    let selectors = parse_selectors(policy, table.allow.as_deref().unwrap_or_default())?;
    let allowed = policy.visible().filter(|(_, operation)| {
        operation.effect == Effect::Write
            && selectors.iter().any(|selector| selector.matches(operation))
    });
    Ok(allowed.map(|(_, operation)| operation.id.clone()).collect())
}
