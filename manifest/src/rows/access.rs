//! Focus modes, roles and contexts, with the operations that they cover as bit sets.

use std::sync::Arc;

use toolwrit_rows::{DeclaredContext, FocusMode, Role, Sign};

use crate::model::{self, FocusId, Model, RoleId};
use crate::policy::sets;

/// For each focus mode, then each role: the operations that both allow.
pub(super) fn policy(model: &Model) -> Arc<[Vec<Vec<u64>>]> {
    let of_roles = |focus| model.role_ids().map(move |role| sets::of_both(model, focus, role));
    model.focus_ids().map(|focus| of_roles(focus).collect()).collect()
}

pub(super) fn focus_mode(model: &Model, id: FocusId) -> FocusMode {
    let mode = &model[id];
    FocusMode {
        name: mode.name.clone(),
        summary: mode.summary.clone(),
        joining: sets::joining_of_focus(model, id),
        added: sets::added_of_focus(model, id),
    }
}

pub(super) fn role(model: &Model, id: RoleId) -> Role {
    let role = &model[id];
    Role {
        name: role.name.clone(),
        summary: role.summary.clone(),
        persona: role.persona.clone(),
        operations: sets::of_role(model, id),
        joining: sets::joining_of_role(model, id),
        added: sets::added_of_role(model, id),
    }
}

pub(super) fn context(model: &Model, context: &model::DeclaredContext) -> DeclaredContext {
    let sign = |text: &str, weight| Sign { text: text.to_owned(), weight };
    let words = |words: &[model::Weighted<String>]| {
        words.iter().map(|word| sign(&word.sign, word.weight)).collect()
    };
    let patterns = context.patterns.iter();
    let patterns = patterns.map(|pattern| sign(pattern.sign.as_str(), pattern.weight));
    DeclaredContext {
        name: context.name.clone(),
        subjects: words(&context.subjects),
        keywords: words(&context.keywords),
        patterns: patterns.collect(),
        threshold: context.threshold,
        operations: sets::of_context(model, context),
        joining: sets::joining_of_context(model, context),
    }
}
