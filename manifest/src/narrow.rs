//! A model reduced to what a caller may see, or to what runs without handlers. What remains does not refer to anything
//! that was removed.

use std::collections::BTreeSet;
use std::fmt;

use crate::model::{
    Category, Cookbook, DeclaredContext, Effect, Field, FocusMode, Joining, MergedTool, Model,
    Operation, OperationId, Prompt, PromptText, RemovedTool, Returns, Role, Selector, Served,
    Shape, TypeId,
};
use crate::policy::{focus_allows, selects, selects_joining};

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

/// The new position of each old one that is kept.
struct Moves(Vec<Option<usize>>);

impl Moves {
    fn new(count: usize, keeps: impl Fn(usize) -> bool) -> Self {
        let mut next = 0..;
        Self((0..count).map(|old| keeps(old).then(|| next.next()).flatten()).collect())
    }

    /// The kept items of a list.
    fn keep<T: Clone>(&self, list: &[T]) -> Vec<T> {
        let kept = list.iter().zip(&self.0).filter(|(_, new)| new.is_some());
        kept.map(|(item, _)| item.clone()).collect()
    }

    /// The new position of an item; `None` if it is not kept.
    fn new_of(&self, old: usize) -> Option<usize> {
        self.0.get(old).copied().flatten()
    }

    /// Changes a position to the new one of its item.
    fn follow(&self, position: &mut usize) {
        *position = self.new_of(*position).unwrap_or(*position);
    }
}

/// Which items of each list are kept, and their new positions.
struct KeptItems {
    operations: Moves,
    categories: Moves,
    types: Moves,
    focus: Moves,
    providers: Moves,
    errors: Moves,
    resources: Moves,
    prompts: Moves,
    cookbooks: Moves,
}

impl KeptItems {
    fn new(model: &Model, shown: &BTreeSet<OperationId>, view: Option<&View<'_>>) -> Self {
        let operations: Vec<&Operation> = shown.iter().map(|id| &model[*id]).collect();
        let any = |of: &dyn Fn(&Operation) -> bool| operations.iter().any(|each| of(each));
        // A view of a single role shows what is there, not what may join.
        let shows_joining = view.is_none_or(|view| view.role.is_none());
        let joins = |of: &dyn Fn(Joining) -> bool| shows_joining && model.joining().any(of);
        let types = model.types_of(shown);
        let focus: Vec<_> = model.focus_ids().collect();
        // The first one is the default, which every caller may know.
        let in_focus = |at: usize| {
            at == 0
                || view.is_none_or(|view| model[focus[at]].name == view.focus)
                || shown.iter().any(|id| focus_allows(model, focus[at], *id))
        };
        Self {
            operations: Moves::new(model.operations.len(), |at| shown.contains(&OperationId(at))),
            categories: Moves::new(model.categories.len(), |at| {
                any(&|o| o.category.0 == at) || joins(&|joining| joining.category.0 == at)
            }),
            types: Moves::new(model.types.len(), |at| types.contains(&TypeId(at))),
            focus: Moves::new(focus.len(), in_focus),
            providers: Moves::new(model.providers.len(), |at| {
                view.is_none()
                    || any(&|o| o.requires.is_some_and(|id| id.0 == at))
                    || joins(&|joining| joining.provider.0 == at)
            }),
            // Any operation may return an error that no operation lists.
            errors: Moves::new(model.errors.len(), |at| {
                let lists = |o: &Operation| o.errors.iter().any(|id| id.0 == at);
                any(&lists) || !model.operations.iter().any(lists)
            }),
            resources: Moves::new(model.resources.len(), |at| {
                any(&|o| matches!(o.served, Served::Resource(id) if id.0 == at))
            }),
            prompts: Moves::new(model.prompts.len(), |at| {
                any(&|o| matches!(o.served, Served::Prompt(id) if id.0 == at))
            }),
            cookbooks: Moves::new(model.cookbooks.len(), |at| {
                let renders = |id| {
                    model.cookbook_of(id).is_some_and(|cookbook| *cookbook == model.cookbooks[at])
                };
                shown.iter().any(|id| renders(*id))
            }),
        }
    }

    /// The merged tools that keep an operation, with those that they keep.
    fn merged(&self, tools: &[MergedTool]) -> Vec<MergedTool> {
        let mut tools = tools.to_vec();
        tools.retain_mut(|tool| {
            tool.operations.retain_mut(|(_, id)| {
                let new = self.operations.new_of(id.0);
                new.map(|new| id.0 = new).is_some()
            });
            !tool.operations.is_empty()
        });
        tools
    }

    /// The removed tools whose replacement is kept. A note would reveal any other replacement.
    fn removed(&self, tools: &[RemovedTool]) -> Vec<RemovedTool> {
        let mut tools = tools.to_vec();
        tools.retain_mut(|tool| {
            tool.replacement.as_mut().is_none_or(|id| {
                let new = self.operations.new_of(id.0);
                new.map(|new| id.0 = new).is_some()
            })
        });
        tools
    }

    /// Updates the positions in a kept operation. Everything that it refers to is kept, except possibly its
    /// replacement.
    fn point_operation(&self, operation: &mut Operation) {
        self.categories.follow(&mut operation.category.0);
        if let Some(id) = &mut operation.requires {
            self.providers.follow(&mut id.0);
        }
        operation.invalidates.retain_mut(|id| {
            let new = self.categories.new_of(id.0);
            new.map(|new| id.0 = new).is_some()
        });
        for id in &mut operation.errors {
            self.errors.follow(&mut id.0);
        }
        match &mut operation.served {
            Served::Tool => {}
            Served::Resource(id) => self.resources.follow(&mut id.0),
            Served::Prompt(id) => self.prompts.follow(&mut id.0),
            Served::Completion { of, .. } => self.operations.follow(&mut of.0),
        }
        self.point_fields(&mut operation.params);
        if let Returns::Value(shape) = &mut operation.returns {
            self.point_shape(shape);
        }
        if let Some(deprecated) = &mut operation.deprecated {
            let replacement = deprecated.replacement.and_then(|id| self.operations.new_of(id.0));
            deprecated.replacement = replacement.map(OperationId);
        }
    }

    /// Updates the positions in a kept category, and removes the providers that are not kept.
    fn point_category(&self, category: &mut Category) {
        category.providers.retain_mut(|(id, _)| {
            let new = self.providers.new_of(id.0);
            new.map(|new| id.0 = new).is_some()
        });
    }

    fn point_prompt(&self, prompt: &mut Prompt) {
        if let Some(PromptText::Cookbook(id)) = &mut prompt.text {
            self.cookbooks.follow(&mut id.0);
        }
    }

    /// Updates the positions in a kept cookbook, whose operations are all kept.
    fn point_cookbook(&self, cookbook: &mut Cookbook) {
        for id in &mut cookbook.operations {
            self.operations.follow(&mut id.0);
        }
    }

    fn point_fields(&self, fields: &mut [Field]) {
        for field in fields {
            self.point_shape(&mut field.shape);
        }
    }

    fn point_shape(&self, shape: &mut Shape) {
        match shape {
            Shape::Named(id) => self.types.follow(&mut id.0),
            Shape::Array { items, .. } => self.point_shape(items),
            Shape::Map(values) => self.point_shape(values),
            Shape::Record(fields) => self.point_fields(fields),
            _ => {}
        }
    }
}

/// Reduces policies to what is shown.
struct Rules<'a> {
    model: &'a Model,
    shown: &'a BTreeSet<OperationId>,
    kept: &'a KeptItems,
}

impl Rules<'_> {
    fn narrow_focus(&self, mode: &mut FocusMode) {
        self.narrow(&mut mode.allow);
        self.narrow(&mut mode.deny);
    }

    fn narrow_role(&self, role: &mut Role) {
        self.narrow(&mut role.allow);
        self.narrow(&mut role.deny);
    }

    /// Reduces a context. Returns whether it still covers any operation.
    fn narrow_context(&self, context: &mut DeclaredContext) -> bool {
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
