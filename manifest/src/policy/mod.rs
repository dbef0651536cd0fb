//! Which operations a focus mode and a role allow. Deny overrides allow; what is not listed is not
//! allowed.

pub mod sets;

use crate::model::{
    Effect, FocusId, Joining, Model, Operation, OperationId, Role, RoleId, Selector,
};

/// Whether a selector covers an operation.
pub fn selects(model: &Model, selector: &Selector, id: OperationId) -> bool {
    let id = model.governing(id);
    let operation: &Operation = &model[id];
    match selector {
        Selector::All => true,
        Selector::Category(category) => operation.category == *category,
        Selector::Group(category, group) => {
            let rest = operation.name.strip_prefix(group.as_str());
            operation.category == *category && rest.is_some_and(|rest| rest.starts_with('.'))
        }
        Selector::Operation(selected) => *selected == id,
        Selector::Where { effect, tag, category } => {
            effect.is_none_or(|effect| operation.effect == effect)
                && tag.as_ref().is_none_or(|tag| operation.tags.contains(tag))
                && category.is_none_or(|category| operation.category == category)
        }
    }
}

/// Whether a selector covers the operations with this effect that a provider adds to a category at run time.
/// These operations have no tags.
pub fn selects_joining(
    model: &Model,
    selector: &Selector,
    joining: Joining,
    effect: Effect,
) -> bool {
    let joining_category = joining.category;
    match selector {
        Selector::All => true,
        Selector::Category(selected) => *selected == joining_category,
        Selector::Group(category, group) => {
            *category == joining_category && *group == model[joining.provider].name
        }
        Selector::Operation(_) | Selector::Where { tag: Some(_), .. } => false,
        Selector::Where { effect: wanted, tag: None, category: of } => {
            wanted.is_none_or(|wanted| wanted == effect)
                && of.is_none_or(|of| of == joining_category)
        }
    }
}

/// Whether a focus mode allows the operations with this effect that a provider adds at run time.
pub fn focus_allows_joining(
    model: &Model,
    focus: FocusId,
    joining: Joining,
    effect: Effect,
) -> bool {
    let any = |all: &[Selector]| {
        all.iter().any(|selector| selects_joining(model, selector, joining, effect))
    };
    any(&model[focus].allow) && !any(&model[focus].deny)
}

/// Whether a role allows the operations with this effect that a provider adds at run time.
pub fn role_allows_joining(model: &Model, role: RoleId, joining: Joining, effect: Effect) -> bool {
    let any = |all: &[Selector]| {
        all.iter().any(|selector| selects_joining(model, selector, joining, effect))
    };
    let lineage = || lineage(model, role);
    lineage().any(|role| any(&role.allow)) && !lineage().any(|role| any(&role.deny))
}

/// A role, followed by the roles that it extends.
fn lineage(model: &Model, role: RoleId) -> impl Iterator<Item = &Role> {
    std::iter::successors(Some(&model[role]), |role| Some(&model[role.extends?]))
}

/// Whether a focus mode allows the operations with this effect in categories that the operator adds.
pub fn focus_allows_added(model: &Model, focus: FocusId, effect: Effect) -> bool {
    let any = |all: &[Selector]| all.iter().any(|selector| selects_added(selector, effect));
    any(&model[focus].allow) && !any(&model[focus].deny)
}

/// Whether a role allows the operations with this effect in categories that the operator adds.
pub fn role_allows_added(model: &Model, role: RoleId, effect: Effect) -> bool {
    let any = |all: &[Selector]| all.iter().any(|selector| selects_added(selector, effect));
    let lineage = || lineage(model, role);
    lineage().any(|role| any(&role.allow)) && !lineage().any(|role| any(&role.deny))
}

/// Whether a selector covers the operations with this effect in a category that the manifest does not have.
pub(crate) fn selects_added(selector: &Selector, effect: Effect) -> bool {
    match selector {
        Selector::All => true,
        Selector::Where { effect: wanted, tag: None, category: None } => {
            wanted.is_none_or(|wanted| wanted == effect)
        }
        _ => false,
    }
}

/// Whether a focus mode allows an operation.
pub fn focus_allows(model: &Model, focus: FocusId, operation: OperationId) -> bool {
    let mode = &model[focus];
    let allows =
        |operation| any(model, &mode.allow, operation) && !any(model, &mode.deny, operation);
    allows(operation) && uses(model, operation).all(allows)
}

/// Whether a role allows an operation. The rules of the roles that it extends apply as well.
pub fn role_allows(model: &Model, role: RoleId, operation: OperationId) -> bool {
    let lineage = || lineage(model, role);
    let allows = |operation| {
        lineage().any(|role| any(model, &role.allow, operation))
            && !lineage().any(|role| any(model, &role.deny, operation))
    };
    allows(operation) && uses(model, operation).all(allows)
}

/// The operations without which this one is of no use: those of the cookbook that it renders.
fn uses(model: &Model, operation: OperationId) -> impl Iterator<Item = OperationId> {
    model
        .cookbook_of(operation)
        .into_iter()
        .flat_map(|cookbook| cookbook.operations.iter().copied())
}

fn any(model: &Model, selectors: &[Selector], operation: OperationId) -> bool {
    selectors.iter().any(|selector| selects(model, selector, operation))
}
