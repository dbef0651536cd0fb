//! Policy as bit sets, computed at compile time so that the engine only tests bits.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use toolwrit_manifest::{
    DeclaredContext, Effect, FocusId, Joining, Model, OperationId, RoleId, policy,
};

/// For each focus mode, then each role: the operations that both allow.
pub(super) fn table(model: &Model) -> TokenStream {
    let rows = model.focus_ids().map(|focus| {
        let roles = model.role_ids().map(|role| {
            set(model, |operation| {
                policy::focus_allows(model, focus, operation)
                    && policy::role_allows(model, role, operation)
            })
        });
        quote!(&[#(#roles),*])
    });
    quote!(&[#(#rows),*])
}

/// The operations that a role allows, under any focus mode.
pub(super) fn of_role(model: &Model, role: RoleId) -> TokenStream {
    set(model, |operation| policy::role_allows(model, role, operation))
}

/// The operations joining at run time that a role allows.
pub(super) fn joining_of_role(model: &Model, role: RoleId) -> TokenStream {
    joining(model, |joining, effect| policy::role_allows_joining(model, role, joining, effect))
}

/// The operations joining at run time that a focus mode allows.
pub(super) fn joining_of_focus(model: &Model, focus: FocusId) -> TokenStream {
    joining(model, |joining, effect| policy::focus_allows_joining(model, focus, joining, effect))
}

/// For each provider that may join a category, a bit per effect, the weakest first.
fn joining(model: &Model, covers: impl Fn(Joining, Effect) -> bool) -> TokenStream {
    let bits = model.joining().map(|joining| {
        let effects = Effect::ALL.into_iter().enumerate();
        let covered = effects.filter(|(_, effect)| covers(joining, *effect));
        Literal::u8_unsuffixed(covered.fold(0, |bits, (at, _)| bits | 1 << at))
    });
    quote!(&[#(#bits),*])
}

/// The operations that a context makes relevant.
pub(super) fn of_context(model: &Model, context: &DeclaredContext) -> TokenStream {
    set(model, |operation| {
        context.include.iter().any(|selector| policy::selects(model, selector, operation))
    })
}

/// The operations joining at run time that a context makes relevant.
pub(super) fn joining_of_context(model: &Model, context: &DeclaredContext) -> TokenStream {
    joining(model, |joining, effect| {
        let mut selectors = context.include.iter();
        selectors.any(|selector| policy::selects_joining(model, selector, joining, effect))
    })
}

/// A bit for each operation, 64 in a word, the lowest first.
fn set(model: &Model, holds: impl Fn(OperationId) -> bool) -> TokenStream {
    let mut words = vec![0u64; model.operations.len().div_ceil(64)];
    for operation in model.operation_ids().filter(|id| holds(*id)) {
        words[operation.index() / 64] |= 1 << (operation.index() % 64);
    }
    let words = words.into_iter().map(Literal::u64_unsuffixed);
    quote!(&[#(#words),*])
}
