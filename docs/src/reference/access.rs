//! The roles and focus modes that allow an operation.

use toolwrit_manifest::policy::{focus_allows, role_allows};
use toolwrit_manifest::{FocusId, Model, OperationId, RoleId};

use crate::markdown::{code, framed, label, table};

/// Whether a focus mode and a role both allow an operation.
pub(super) fn allows(model: &Model, focus: FocusId, role: RoleId, id: OperationId) -> bool {
    focus_allows(model, focus, id) && role_allows(model, role, id)
}

/// The text of a cell in the matrix.
pub(super) fn mark(allowed: bool) -> &'static str {
    if allowed { "<span class=\"yes\">yes</span>" } else { "<span class=\"no\">no</span>" }
}

/// A sentence if the answer is the same for all callers, otherwise a table of roles by focus modes.
pub(super) fn of_operation(model: &Model, id: OperationId) -> String {
    let answers: Vec<bool> = model
        .role_ids()
        .flat_map(|role| model.focus_ids().map(move |focus| allows(model, focus, role, id)))
        .collect();
    let answer = if answers.iter().all(|allowed| *allowed) {
        "Every role, in every focus mode.\n\n".to_owned()
    } else if answers.iter().all(|allowed| !allowed) {
        "No combination of role and focus mode allows it.\n\n".to_owned()
    } else {
        matrix(model, id)
    };
    format!("{}{answer}", label("Who may call it"))
}

fn matrix(model: &Model, id: OperationId) -> String {
    let columns: Vec<String> = model.focus_ids().map(|focus| code(&model[focus].name)).collect();
    let head: Vec<&str> = ["Role"].into_iter().chain(columns.iter().map(String::as_str)).collect();
    let rows = model.role_ids().map(|role| {
        let cells =
            model.focus_ids().map(move |focus| mark(allows(model, focus, role, id)).to_owned());
        [code(&model[role].name)].into_iter().chain(cells)
    });
    framed("matrix", &table(&head, rows))
}
