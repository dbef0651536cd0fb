//! The selectors of policies and contexts in a reduced model.

use std::collections::BTreeSet;

use super::kept::KeptItems;
use crate::model::{
    DeclaredContext, Effect, FocusMode, Joining, Model, OperationId, Role, Selector,
};
use crate::policy::{selects, selects_joining};

/// Reduces policies to what is shown.
pub(super) struct Rules<'a> {
    pub(super) model: &'a Model,
    pub(super) shown: &'a BTreeSet<OperationId>,
    pub(super) kept: &'a KeptItems,
}

impl Rules<'_> {
    pub(super) fn narrow_focus(&self, mode: &mut FocusMode) {
        self.narrow(&mut mode.allow);
        self.narrow(&mut mode.deny);
    }

    pub(super) fn narrow_role(&self, role: &mut Role) {
        self.narrow(&mut role.allow);
        self.narrow(&mut role.deny);
    }

    /// Reduces a context. Returns whether it still covers any operation.
    pub(super) fn narrow_context(&self, context: &mut DeclaredContext) -> bool {
        self.narrow(&mut context.include);
        !context.include.is_empty()
    }

    /// Removes selectors that cover nothing visible, because they would reveal hidden names.
    fn narrow(&self, selectors: &mut Vec<Selector>) {
        selectors.retain_mut(|selector| {
            let joins = |joining: Joining| {
                let is_kept = self.kept.categories.new_of(joining.category.0).is_some()
                    && self.kept.providers.new_of(joining.provider.0).is_some();
                let mut effects = Effect::ALL.into_iter().filter(|effect| *effect <= joining.most);
                is_kept
                    && effects.any(|effect| selects_joining(self.model, selector, joining, effect))
            };
            let covers = self.shown.iter().any(|id| selects(self.model, selector, *id))
                || self.model.joining().any(joins);
            match selector {
                Selector::Category(id)
                | Selector::Group(id, _)
                | Selector::Where { category: Some(id), .. } => {
                    self.kept.categories.follow(&mut id.0);
                }
                Selector::Operation(id) => self.kept.operations.follow(&mut id.0),
                Selector::All | Selector::Where { category: None, .. } => {}
            }
            covers
        });
    }
}
