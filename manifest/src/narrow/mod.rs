//! A model reduced to what a caller may see, or to what runs without handlers. What remains does not refer to anything
//! that was removed.

mod kept;
mod rules;

use std::collections::BTreeSet;
use std::fmt;

use crate::model::{Model, OperationId, Role, Shape, TypeId};
use kept::KeptItems;
use rules::Rules;

/// What a caller may see of a model.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct View<'a> {
    /// Ids of operations. Completions are included with what they complete.
    pub operations: BTreeSet<&'a str>,
    /// The current focus mode, which is always shown.
    pub focus: &'a str,
    /// The only role to show; all roles if absent.
    pub role: Option<&'a str>,
}

/// What is left out of a manifest that is served without a compiler.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// The ids of operations that have a handler, also of those for resources, prompts and completions.
    pub handled: Vec<String>,
    /// The ids of prompts of cookbooks that use some of them.
    pub cookbooks: Vec<String>,
}

impl LeftOut {
    /// Whether everything is there.
    pub fn is_empty(&self) -> bool {
        self.handled.is_empty() && self.cookbooks.is_empty()
    }
}

impl fmt::Display for LeftOut {
    /// Writes one line with all ids and the reasons.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { handled, cookbooks } = self;
        let handled = handled.join(", ");
        write!(
            f,
            "left out, because only a server compiled from the manifest has handlers: {handled}"
        )?;
        if !cookbooks.is_empty() {
            write!(f, "; left out, because they use these: {}", cookbooks.join(", "))?;
        }
        Ok(())
    }
}

impl Model {
    /// The reduced model: the visible operations, what they need, and the parts of policies that
    /// concern them. Policies for visible operations do not change, and neither do texts.
    #[must_use]
    pub fn narrowed(&self, view: &View<'_>) -> Model {
        let mut shown: BTreeSet<OperationId> = self
            .operation_ids()
            .filter(|id| view.operations.contains(self[self.governing(*id)].id.as_str()))
            .collect();
        self.remove_unusable(&mut shown);
        let mut narrow = self.reduced(&shown, Some(view));
        narrow.hide_bindings();
        narrow
    }

    /// The model without the operations that need a handler, and what was left out. All policies remain.
    pub(crate) fn without_handlers(&self) -> (Model, LeftOut) {
        let is_handled = |id: &OperationId| self.is_handled(&self[*id]);
        let (left_out, kept): (Vec<_>, Vec<_>) = self.operation_ids().partition(is_handled);
        let mut kept = kept.into_iter().collect();
        let unusable = self.remove_unusable(&mut kept);
        let named = |ids: Vec<OperationId>| ids.iter().map(|id| self[*id].id.clone()).collect();
        let left_out = LeftOut { handled: named(left_out), cookbooks: named(unusable) };
        (self.reduced(&kept, None), left_out)
    }

    /// Removes the prompts of cookbooks that use operations which are not there, and returns them.
    fn remove_unusable(&self, operations: &mut BTreeSet<OperationId>) -> Vec<OperationId> {
        let is_unusable = |id: &OperationId| {
            let cookbook = self.cookbook_of(*id);
            cookbook.is_some_and(|cookbook| {
                cookbook.operations.iter().any(|used| !operations.contains(used))
            })
        };
        let unusable: Vec<OperationId> = operations.iter().copied().filter(is_unusable).collect();
        operations.retain(|id| !unusable.contains(id));
        unusable
    }

    /// The model with only these operations. Without a view, it keeps all focus modes, roles and providers.
    fn reduced(&self, shown: &BTreeSet<OperationId>, view: Option<&View<'_>>) -> Model {
        let kept = KeptItems::new(self, shown, view);
        let mut narrow = Model {
            types: kept.types.keep(&self.types),
            categories: kept.categories.keep(&self.categories),
            focus: kept.focus.keep(&self.focus),
            roles: view.map_or_else(|| self.roles.clone(), |view| self.roles_in(view)),
            contexts: self.contexts.clone(),
            providers: kept.providers.keep(&self.providers),
            errors: kept.errors.keep(&self.errors),
            operations: kept.operations.keep(&self.operations),
            merged: kept.merged(&self.merged),
            removed: kept.removed(&self.removed),
            resources: kept.resources.keep(&self.resources),
            prompts: kept.prompts.keep(&self.prompts),
            cookbooks: kept.cookbooks.keep(&self.cookbooks),
            ..self.clone()
        };
        let rules = Rules { model: self, shown, kept: &kept };
        narrow.focus.iter_mut().for_each(|mode| rules.narrow_focus(mode));
        narrow.roles.iter_mut().for_each(|role| rules.narrow_role(role));
        narrow.contexts.retain_mut(|context| rules.narrow_context(context));
        narrow.types.iter_mut().for_each(|declared| kept.point_shape(&mut declared.shape));
        narrow.operations.iter_mut().for_each(|operation| kept.point_operation(operation));
        narrow.categories.iter_mut().for_each(|category| kept.point_category(category));
        narrow.prompts.iter_mut().for_each(|prompt| kept.point_prompt(prompt));
        narrow.cookbooks.iter_mut().for_each(|cookbook| kept.point_cookbook(cookbook));
        narrow
    }

    /// Removes how operations are bound, which concerns the operator.
    fn hide_bindings(&mut self) {
        self.operations.iter_mut().for_each(|operation| operation.binding = None);
        for provider in &mut self.providers {
            provider.settings.clear();
            provider.binding = None;
        }
    }

    /// The roles that a view shows. A single role includes the rules of the roles that it extends.
    fn roles_in(&self, view: &View<'_>) -> Vec<Role> {
        let Some(name) = view.role else { return self.roles.clone() };
        let mut roles: Vec<Role> =
            self.roles.iter().filter(|role| role.name == name).cloned().collect();
        for role in &mut roles {
            while let Some(base) = role.extends.take().map(|id| &self[id]) {
                role.allow.extend(base.allow.iter().cloned());
                role.deny.extend(base.deny.iter().cloned());
                role.extends = base.extends;
            }
        }
        roles
    }

    /// The declared types that operations use, directly or through other types.
    fn types_of(&self, operations: &BTreeSet<OperationId>) -> BTreeSet<TypeId> {
        let mut found = BTreeSet::new();
        for operation in operations.iter().map(|id| &self[*id]) {
            let params = operation.params.iter().map(|field| &field.shape);
            params.chain(operation.returns.shape()).for_each(|shape| self.reach(shape, &mut found));
        }
        found
    }

    fn reach(&self, shape: &Shape, found: &mut BTreeSet<TypeId>) {
        match shape {
            Shape::Named(id) if found.insert(*id) => self.reach(&self[*id].shape, found),
            Shape::Array { items, .. } => self.reach(items, found),
            Shape::Map(values) => self.reach(values, found),
            Shape::Record(fields) => {
                for field in fields {
                    self.reach(&field.shape, found);
                }
            }
            _ => {}
        }
    }
}
