//! A page per category, which lists its operations, and the pages of these.

use toolwrit_manifest::{CategoryId, Effect, Model, OperationId};

use super::{categories, category_operations, codes, effect_badge, operation, operation_link};
use crate::address::category_path;
use crate::document::{Block, Card, Row, Table, TableKind, paragraph, text};
use crate::number::pluralize;
use crate::page::Page;

pub(super) fn pages(model: &Model) -> Vec<Page> {
    categories(model).into_iter().flat_map(|id| category_pages(model, id)).collect()
}

fn category_pages(model: &Model, id: CategoryId) -> Vec<Page> {
    let page = page(model, id);
    let path = page.path.clone();
    let operations =
        category_operations(model, id).map(|id| operation::page(model, id).with_parent(&path));
    let operations: Vec<Page> = operations.collect();
    [page].into_iter().chain(operations).collect()
}

fn page(model: &Model, id: CategoryId) -> Page {
    let category = &model[id];
    let mut blocks = vec![paragraph(&category.summary)];
    // An older address of an operation led to its place on this page.
    let row = |id: OperationId| Row {
        anchor: Some(model[id].id.clone()),
        cells: vec![
            vec![operation_link(model, id)],
            vec![effect_badge(model[id].effect)],
            vec![text(&model[id].summary)],
        ],
    };
    blocks.push(Block::Table(Table {
        caption: format!("Operations of {}", category.title),
        kind: TableKind::Plain,
        head: ["Operation", "Effect", "Summary"].map(|words| vec![text(words)]).into(),
        rows: category_operations(model, id).map(row).collect(),
    }));
    if !category.keywords.is_empty() {
        let mut words = vec![text("Search words: ")];
        words.extend(codes(category.keywords.iter().map(String::as_str)));
        blocks.push(Block::Paragraph(words));
    }
    Page::new(&category_path(&category.name), &category.title, &category.summary, blocks)
}

/// A card per category, for the front page.
pub(crate) fn category_cards(model: &Model) -> Vec<Card> {
    let card = |id: CategoryId| {
        let category = &model[id];
        let effects = Effect::ALL.map(|effect| (effect, count_operations(model, id, effect)));
        let effects = effects.into_iter().filter(|(_, count)| *count > 0);
        let effects: Vec<String> =
            effects.map(|(effect, count)| format!("{count} {}", effect.as_str())).collect();
        let total = pluralize(category_operations(model, id).count(), "operation");
        Card {
            to: category_path(&category.name),
            title: category.title.clone(),
            words: format!("{} {total}: {}.", category.summary, effects.join(", ")),
        }
    };
    categories(model).into_iter().map(card).collect()
}

fn count_operations(model: &Model, category: CategoryId, effect: Effect) -> usize {
    category_operations(model, category).filter(|id| model[*id].effect == effect).count()
}
