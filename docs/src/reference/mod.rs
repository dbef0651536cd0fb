//! The reference: pages made from the model. Each kind of page has a file here; `fields` writes parameters, results and
//! types, and `calls` the forms of a call.

mod access;
mod calls;
mod category;
mod changes;
mod contexts;
mod cookbooks;
mod difference;
mod errors;
mod fields;
mod invocation;
mod joined;
mod matrix;
mod older;
mod operation;
mod policy;
mod prompts;
mod providers;
mod resources;
mod surfaces;
mod types;

use std::collections::BTreeSet;

use toolwrit_manifest::{CategoryId, Effect, Model, OperationId, Selector, Served};

use crate::address::{PROMPTS, category_path, operation_path};
use crate::cost::SurfaceCost;
use crate::document::{Inline, Line, badge, code, join_with_commas, link};
use crate::page::{Book, Part};

pub(crate) use category::category_cards;
pub(crate) use changes::lines as changed_lines;
pub use joined::{JoinedOperation, ProviderOperations, WithheldOperation, joined_address};

/// A page per category and operation, and pages of the operations that providers add and withhold.
pub(crate) fn operations(model: &Model, now: &ProviderOperations) -> Part {
    let changing =
        joined::joined_page(&now.joined).into_iter().chain(joined::withheld_page(&now.withheld));
    let pages = category::pages(model).into_iter().chain(changing);
    Part { book: Book::Reference, title: "Operations", pages: pages.collect() }
}

/// The pages of everything else that the manifest declares, and of what changed since an older one.
pub(crate) fn part(model: &Model, older: Option<&Model>, costs: &[SurfaceCost]) -> Part {
    let pages = [
        policy::pages(model),
        vec![surfaces::page(model, costs)],
        types::pages(model),
        errors::pages(model),
        contexts::page(model).into_iter().collect(),
        providers::page(model).into_iter().collect(),
        cookbooks::page(model).into_iter().collect(),
        resources::page(model).into_iter().collect(),
        prompts::page(model).into_iter().collect(),
        vec![older::page(model)],
        older.map(|older| changes::page(older, model)).into_iter().collect(),
    ];
    Part {
        book: Book::Reference,
        title: "Everything else",
        pages: pages.into_iter().flatten().collect(),
    }
}

/// The page of an operation, or of the resource or prompt that it serves, with an anchor.
fn documentation_path(model: &Model, id: OperationId) -> String {
    match model[model.governing(id)].served {
        Served::Resource(id) => format!("{}#{}", resources::PATH, model[id].name),
        Served::Prompt(id) => format!("{}#{}", PROMPTS, model[id].name),
        _ => operation_path(&model[id].id),
    }
}

fn operation_link(model: &Model, id: OperationId) -> Inline {
    link(documentation_path(model, id), code(&model[id].id))
}

/// Links to the operations that some selectors cover; a dash if there are none.
fn covered_links(model: &Model, selectors: &[Selector]) -> Line {
    let covered = |id: &OperationId| {
        selectors.iter().any(|selector| toolwrit_manifest::policy::selects(model, selector, *id))
    };
    join_with_commas(model.governed_ids().filter(covered).map(|id| operation_link(model, id)))
}

/// Pieces of code with commas between them; a dash if there are none.
fn codes<'a>(words: impl IntoIterator<Item = &'a str>) -> Line {
    join_with_commas(words.into_iter().map(code))
}

fn effect_badge(effect: Effect) -> Inline {
    badge(effect.as_str(), effect.as_str())
}

/// The name of the tool that runs operations with an effect.
fn tool_suffix(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "read",
        Effect::Write => "write",
        Effect::Destroy => "delete",
    }
}

/// A tool's name as clients see it.
fn tool_name(model: &Model, name: &str) -> String {
    match model.server.prefix.as_str() {
        "" => name.to_owned(),
        prefix => format!("{prefix}_{name}"),
    }
}

/// The categories that have pages, in the order of the manifest.
fn categories(model: &Model) -> Vec<CategoryId> {
    let used: BTreeSet<CategoryId> = model.tools().map(|operation| operation.category).collect();
    used.into_iter().collect()
}

/// The page of a category, which only categories of tools have.
fn category_link(model: &Model, id: CategoryId) -> Inline {
    let category = &model[id];
    link(category_path(&category.name), code(&category.name))
}

/// The operations of a category, with their ids.
fn category_operations(model: &Model, category: CategoryId) -> impl Iterator<Item = OperationId> {
    model.governed_ids().filter(move |id| model[*id].category == category)
}
