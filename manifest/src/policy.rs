//! Which operations a focus mode and a role allow. Deny overrides allow; what is not listed is not
//! allowed.

use crate::model::{FocusId, Model, Operation, OperationId, RoleId, Selector};

/// Whether a selector covers an operation.
pub fn selects(model: &Model, selector: &Selector, id: OperationId) -> bool {
    let id = model.governing(id);
    let operation: &Operation = &model[id];
    match selector {
        Selector::All => true,
        Selector::Category(category) => operation.category == *category,
        Selector::Operation(selected) => *selected == id,
        Selector::Where { effect, tag, category } => {
            effect.is_none_or(|effect| operation.effect == effect)
                && tag.as_ref().is_none_or(|tag| operation.tags.contains(tag))
                && category.is_none_or(|category| operation.category == category)
        }
    }
}

/// Whether a focus mode allows an operation.
pub fn focus_allows(model: &Model, focus: FocusId, operation: OperationId) -> bool {
    let mode = &model[focus];
    any(model, &mode.allow, operation) && !any(model, &mode.deny, operation)
}

/// Whether a role allows an operation. The rules of the roles that it extends apply as well.
pub fn role_allows(model: &Model, role: RoleId, operation: OperationId) -> bool {
    let line = || std::iter::successors(Some(&model[role]), |role| Some(&model[role.extends?]));
    line().any(|role| any(model, &role.allow, operation))
        && !line().any(|role| any(model, &role.deny, operation))
}

fn any(model: &Model, selectors: &[Selector], operation: OperationId) -> bool {
    selectors.iter().any(|selector| selects(model, selector, operation))
}
