//! The table of all operations by focus modes and roles.

use std::collections::BTreeSet;

use toolwrit_manifest::policy::{focus_allows, role_allows};
use toolwrit_manifest::{CategoryId, Model, OperationId};

use super::{category_operations, effect_badge, operation_link};
use crate::document::{Block, Line, Row, Table, TableKind, code, text};

pub(super) fn table(model: &Model) -> Block {
    let names = model.focus.iter().map(|mode| &mode.name);
    let names = names.chain(model.roles.iter().map(|role| &role.name));
    let first = [vec![text("Operation")]].into_iter();
    let categories: BTreeSet<CategoryId> =
        model.operations.iter().map(|operation| operation.category).collect();
    let ids = categories.into_iter().flat_map(|category| category_operations(model, category));
    Block::Table(Table {
        caption: "Operations, and the focus modes and roles that allow them".to_owned(),
        kind: TableKind::Matrix { focus_modes: model.focus.len() },
        head: first.chain(names.map(|name| vec![code(name)])).collect(),
        rows: ids.map(|id| row(model, id)).collect(),
    })
}

fn row(model: &Model, id: OperationId) -> Row {
    let operation = vec![operation_link(model, id), text(" "), effect_badge(model[id].effect)];
    let focused = model.focus_ids().map(|focus| focus_allows(model, focus, id));
    let roles = model.role_ids().map(|role| role_allows(model, role, id));
    let cells = focused.chain(roles).map(yes_or_no);
    Row { anchor: None, cells: [operation].into_iter().chain(cells).collect() }
}

fn yes_or_no(allows: bool) -> Line {
    vec![text(if allows { "yes" } else { "no" })]
}
