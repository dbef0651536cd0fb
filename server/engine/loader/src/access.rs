//! Focus modes, roles and contexts, with the operations that they cover as bit sets.

use toolwrit_core::authority::{DeclaredContext, FocusMode, Role, Sign};
use toolwrit_manifest::policy::sets;
use toolwrit_manifest::{self as manifest, FocusId, RoleId};

use crate::rows::Rows;

impl<'a> Rows<'_, 'a> {
    /// For each focus mode, then each role: the operations that both allow.
    pub(crate) fn policy(&self) -> &'a [&'a [&'a [u64]]] {
        let Rows { model, arena } = *self;
        arena.list(model.focus_ids().map(|focus| {
            arena.list(model.role_ids().map(|role| arena.list(sets::of_both(model, focus, role))))
        }))
    }

    pub(crate) fn focus_mode(&self, id: FocusId) -> FocusMode<'a> {
        let mode = &self.model[id];
        FocusMode {
            name: self.arena.text(&mode.name),
            summary: self.optional(mode.summary.as_deref()),
            joining: self.arena.list(sets::joining_of_focus(self.model, id)),
            added: sets::added_of_focus(self.model, id),
        }
    }

    pub(crate) fn role(&self, id: RoleId) -> Role<'a> {
        let role = &self.model[id];
        Role {
            name: self.arena.text(&role.name),
            summary: self.optional(role.summary.as_deref()),
            persona: self.optional(role.persona.as_deref()),
            operations: self.arena.list(sets::of_role(self.model, id)),
            joining: self.arena.list(sets::joining_of_role(self.model, id)),
            added: sets::added_of_role(self.model, id),
        }
    }

    pub(crate) fn context(&self, context: &manifest::DeclaredContext) -> DeclaredContext<'a> {
        let Rows { model, arena } = *self;
        let sign = |text: &str, weight| Sign { text: arena.text(text), weight };
        let keywords = context.keywords.iter().map(|own| sign(&own.sign, own.weight));
        let patterns = context.patterns.iter().map(|own| sign(own.sign.as_str(), own.weight));
        DeclaredContext {
            name: arena.text(&context.name),
            keywords: arena.list(keywords),
            patterns: arena.list(patterns),
            threshold: context.threshold,
            operations: arena.list(sets::of_context(model, context)),
            joining: arena.list(sets::joining_of_context(model, context)),
        }
    }
}
