//! A page per category: an overview, then an entry per operation.

use toolwrit_manifest::{CategoryId, Model};

use super::{categories, category_path, effect_badge, operation, operations_of};
use crate::markdown::{code, codes, table, text};
use crate::page::Chapter;

pub(super) fn pages(model: &Model) -> Vec<Chapter> {
    categories(model).into_iter().map(|id| page(model, id)).collect()
}

fn page(model: &Model, id: CategoryId) -> Chapter {
    let category = &model[id];
    let mut body = format!("# {}\n\n{}\n\n", text(&category.title), text(&category.summary));
    if !category.keywords.is_empty() {
        let keywords = category.keywords.iter().map(String::as_str);
        body.push_str(&format!("Search words: {}.\n\n", codes(keywords)));
    }
    let overview = operations_of(model, id).map(|id| {
        let operation = &model[id];
        [
            format!("[{}](#{})", code(&operation.id), operation.id),
            effect_badge(operation.effect),
            text(&operation.summary),
        ]
    });
    body.push_str(&table(&["Operation", "Effect", "Summary"], overview));
    for id in operations_of(model, id) {
        body.push_str(&operation::entry(model, id));
    }
    Chapter::new(&category_path(model, id), &category.title, body)
}
