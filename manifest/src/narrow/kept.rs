//! The items that a reduced model keeps, and their new positions.

use std::collections::BTreeSet;

use super::View;
use crate::model::{
    Category, Cookbook, Field, Joining, MergedTool, Model, Operation, OperationId, Prompt,
    PromptText, RemovedTool, Returns, Served, Shape, TypeId,
};
use crate::policy::focus_allows;

/// The new position of each old one that is kept.
pub(super) struct Moves(Vec<Option<usize>>);

impl Moves {
    fn new(count: usize, keeps: impl Fn(usize) -> bool) -> Self {
        let mut next = 0..;
        Self((0..count).map(|old| keeps(old).then(|| next.next()).flatten()).collect())
    }

    /// The kept items of a list.
    pub(super) fn keep<T: Clone>(&self, list: &[T]) -> Vec<T> {
        let kept = list.iter().zip(&self.0).filter(|(_, new)| new.is_some());
        kept.map(|(item, _)| item.clone()).collect()
    }

    /// The new position of an item; `None` if it is not kept.
    pub(super) fn new_of(&self, old: usize) -> Option<usize> {
        self.0.get(old).copied().flatten()
    }

    /// Changes a position to the new one of its item.
    pub(super) fn follow(&self, position: &mut usize) {
        *position = self.new_of(*position).unwrap_or(*position);
    }
}

/// Which items of each list are kept, and their new positions.
pub(super) struct KeptItems {
    pub(super) operations: Moves,
    pub(super) categories: Moves,
    pub(super) types: Moves,
    pub(super) focus: Moves,
    pub(super) providers: Moves,
    pub(super) errors: Moves,
    pub(super) resources: Moves,
    pub(super) prompts: Moves,
    pub(super) cookbooks: Moves,
}

impl KeptItems {
    pub(super) fn new(
        model: &Model,
        shown: &BTreeSet<OperationId>,
        view: Option<&View<'_>>,
    ) -> Self {
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
    pub(super) fn merged(&self, tools: &[MergedTool]) -> Vec<MergedTool> {
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
    pub(super) fn removed(&self, tools: &[RemovedTool]) -> Vec<RemovedTool> {
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
    pub(super) fn point_operation(&self, operation: &mut Operation) {
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
    pub(super) fn point_category(&self, category: &mut Category) {
        category.providers.retain_mut(|(id, _)| {
            let new = self.providers.new_of(id.0);
            new.map(|new| id.0 = new).is_some()
        });
    }

    pub(super) fn point_prompt(&self, prompt: &mut Prompt) {
        if let Some(PromptText::Cookbook(id)) = &mut prompt.text {
            self.cookbooks.follow(&mut id.0);
        }
    }

    /// Updates the positions in a kept cookbook, whose operations are all kept.
    pub(super) fn point_cookbook(&self, cookbook: &mut Cookbook) {
        for id in &mut cookbook.operations {
            self.operations.follow(&mut id.0);
        }
    }

    fn point_fields(&self, fields: &mut [Field]) {
        for field in fields {
            self.point_shape(&mut field.shape);
        }
    }

    pub(super) fn point_shape(&self, shape: &mut Shape) {
        match shape {
            Shape::Named(id) => self.types.follow(&mut id.0),
            Shape::Array { items, .. } => self.point_shape(items),
            Shape::Map(values) => self.point_shape(values),
            Shape::Record(fields) => self.point_fields(fields),
            _ => {}
        }
    }
}
