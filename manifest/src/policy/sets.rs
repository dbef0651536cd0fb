//! The policies as bit sets, so that the engine only tests bits.

use super::{
    focus_allows, focus_allows_added, focus_allows_joining, role_allows, role_allows_added,
    role_allows_joining, selects, selects_joining,
};
use crate::model::{DeclaredContext, Effect, FocusId, Joining, Model, OperationId, RoleId};

/// The operations that a focus mode and a role allow.
pub fn of_both(model: &Model, focus: FocusId, role: RoleId) -> Vec<u64> {
    operations(model, |id| focus_allows(model, focus, id) && role_allows(model, role, id))
}

/// The operations that a role allows, under any focus mode.
pub fn of_role(model: &Model, role: RoleId) -> Vec<u64> {
    operations(model, |id| role_allows(model, role, id))
}

/// The operations that a context makes relevant.
pub fn of_context(model: &Model, context: &DeclaredContext) -> Vec<u64> {
    operations(model, |id| context.include.iter().any(|selector| selects(model, selector, id)))
}

/// The operations joining at run time that a focus mode allows.
pub fn joining_of_focus(model: &Model, focus: FocusId) -> Vec<u8> {
    joining(model, |joining, effect| focus_allows_joining(model, focus, joining, effect))
}

/// The operations joining at run time that a role allows.
pub fn joining_of_role(model: &Model, role: RoleId) -> Vec<u8> {
    joining(model, |joining, effect| role_allows_joining(model, role, joining, effect))
}

/// The effects of the operations that a focus mode allows in categories that the operator adds.
pub fn added_of_focus(model: &Model, focus: FocusId) -> u8 {
    effects(|effect| focus_allows_added(model, focus, effect))
}

/// The effects of the operations that a role allows in categories that the operator adds.
pub fn added_of_role(model: &Model, role: RoleId) -> u8 {
    effects(|effect| role_allows_added(model, role, effect))
}

/// The operations joining at run time that a context makes relevant.
pub fn joining_of_context(model: &Model, context: &DeclaredContext) -> Vec<u8> {
    joining(model, |joining, effect| {
        let mut selectors = context.include.iter();
        selectors.any(|selector| selects_joining(model, selector, joining, effect))
    })
}

/// A bit for each operation, 64 in a word, the lowest first.
fn operations(model: &Model, holds: impl Fn(OperationId) -> bool) -> Vec<u64> {
    let mut words = vec![0; model.operations.len().div_ceil(64)];
    for operation in model.operation_ids().filter(|id| holds(*id)) {
        words[operation.index() / 64] |= 1 << (operation.index() % 64);
    }
    words
}

/// For each provider that may join a category, a bit per effect, the weakest first.
fn joining(model: &Model, covers: impl Fn(Joining, Effect) -> bool) -> Vec<u8> {
    model.joining().map(|joining| effects(|effect| covers(joining, effect))).collect()
}

/// A bit per effect, the weakest first.
fn effects(covers: impl Fn(Effect) -> bool) -> u8 {
    let effects = Effect::ALL.into_iter().enumerate().filter(|(_, effect)| covers(*effect));
    effects.fold(0, |bits, (at, _)| bits | 1 << at)
}
