//! The declared types: a list, and a page for each with the operations that use it.

use std::collections::BTreeSet;

use toolwrit_manifest::{Model, OperationId, Shape, TypeDef, TypeId};

use super::{fields, operation_link};
use crate::address::{TYPES, type_path};
use crate::document::{
    Block, Row, Table, TableKind, code, heading, join_with_commas, link, or_dash, paragraph,
    paragraphs, text,
};
use crate::page::Page;

pub(super) fn pages(model: &Model) -> Vec<Page> {
    if model.types.is_empty() {
        return Vec::new();
    }
    let users: Vec<(OperationId, BTreeSet<TypeId>)> =
        model.operation_ids().map(|id| (id, used_types(model, id))).collect();
    let type_page = |declared| page(model, declared, &users).with_parent(TYPES);
    [list_page(model)].into_iter().chain(model.types.iter().map(type_page)).collect()
}

fn list_page(model: &Model) -> Page {
    let row = |declared: &TypeDef| Row {
        anchor: Some(declared.name.clone()),
        cells: vec![
            vec![link(type_path(&declared.name), code(&declared.name))],
            fields::type_line(model, &declared.shape),
            or_dash(declared.description.iter().map(text).collect()),
        ],
    };
    let table = Block::Table(Table {
        caption: "Declared types".to_owned(),
        kind: TableKind::Plain,
        head: ["Name", "Type", "Meaning"].map(|words| vec![text(words)]).into(),
        rows: model.types.iter().map(row).collect(),
    });
    Page::new(TYPES, "Types", "The types that the manifest declares.", vec![table])
}

fn page(model: &Model, declared: &TypeDef, users: &[(OperationId, BTreeSet<TypeId>)]) -> Page {
    let mut blocks: Vec<Block> =
        declared.description.iter().flat_map(|words| paragraphs(words)).collect();
    blocks.push(Block::Paragraph(fields::type_line(model, &declared.shape)));
    blocks.extend(fields::constraints(model, &declared.shape));
    if declared.sensitive {
        blocks.push(paragraph("Never written to logs or the audit."));
    }
    if !matches!(declared.shape, Shape::Named(_))
        && let Some(fields) = fields::results(model, &declared.shape)
    {
        blocks.extend([heading("Fields", "fields"), fields]);
    }
    if let Some(example) = &declared.example {
        blocks.push(heading("Example", "example"));
        blocks.push(Block::Code { language: "json", text: format!("{example:#}") });
    }
    let has = |types: &BTreeSet<TypeId>| types.iter().any(|id| model[*id].name == declared.name);
    let users = users.iter().filter(|(_, types)| has(types));
    let users = users.map(|(id, _)| operation_link(model, *id));
    blocks.push(heading("Used by", "users"));
    blocks.push(Block::Paragraph(join_with_commas(users)));
    let summary = declared.description.as_deref().unwrap_or("A type of the manifest.");
    Page::new(&type_path(&declared.name), &declared.name, summary, blocks)
}

/// The types that an operation uses, directly or through other types.
fn used_types(model: &Model, id: OperationId) -> BTreeSet<TypeId> {
    let mut found = BTreeSet::new();
    let operation = &model[id];
    let params = operation.params.iter().map(|field| &field.shape);
    params
        .chain(operation.returns.shape())
        .for_each(|shape| collect_types(model, shape, &mut found));
    found
}

fn collect_types(model: &Model, shape: &Shape, found: &mut BTreeSet<TypeId>) {
    match shape {
        Shape::Named(id) if found.insert(*id) => collect_types(model, &model[*id].shape, found),
        Shape::Array { items: inside, .. } | Shape::Map(inside) => {
            collect_types(model, inside, found);
        }
        Shape::Record(fields) => {
            for field in fields {
                collect_types(model, &field.shape, found);
            }
        }
        _ => {}
    }
}
