//! The reference: pages generated from the model. Each page has a file here; `operation` writes
//! the entries of a category's page, `shape` the tables of parameters and results.

mod access;
mod category;
mod contexts;
mod errors;
mod front;
mod invocation;
mod joined;
mod older;
mod operation;
mod policy;
mod prompts;
mod resources;
mod shape;
mod surfaces;
mod types;

use std::collections::BTreeSet;

use toolwrit_manifest::{CategoryId, Effect, Model, Operation, OperationId, Selector, Served};

use crate::cost::SurfaceCost;
use crate::markdown::{badge, code};
use crate::page::Part;

pub(crate) use front::{front, title};
pub use joined::{JoinedOperation, joined_address};

/// A page per category, and one of the operations that have joined.
pub(crate) fn operations(model: &Model, joined: &[JoinedOperation]) -> Part {
    let pages = category::pages(model).into_iter().chain(joined::page(joined));
    Part { title: "Operations", pages: pages.collect() }
}

/// The pages of everything else that the manifest declares.
pub(crate) fn part(model: &Model, costs: &[SurfaceCost]) -> Part {
    let pages = [
        Some(policy::page(model)),
        Some(surfaces::page(model, costs)),
        types::page(model),
        contexts::page(model),
        errors::page(model),
        resources::page(model),
        prompts::page(model),
        Some(older::page(model)),
    ];
    Part { title: "Reference", pages: pages.into_iter().flatten().collect() }
}

/// The folder of the pages of categories.
pub(crate) const OPERATIONS: &str = "operations";

/// The path of a category's page in a site, such as `operations/vault.html`. The entry of an
/// operation there has the operation's id as its anchor.
pub fn address(category: &str) -> String {
    format!("{OPERATIONS}/{category}.html")
}

/// The path of a category's page in the book.
fn category_path(model: &Model, category: CategoryId) -> String {
    format!("{OPERATIONS}/{}.md", model[category].name)
}

/// The page and the anchor of an operation's entry.
fn place(model: &Model, id: OperationId) -> (String, &str) {
    let operation = &model[id];
    match model[model.governing(id)].served {
        Served::Resource(id) => (resources::PATH.to_owned(), &model[id].name),
        Served::Prompt(id) => (prompts::PATH.to_owned(), &model[id].name),
        _ => (category_path(model, operation.category), &operation.id),
    }
}

/// A link to an operation's entry, from any page in a folder.
fn operation_link(model: &Model, id: OperationId) -> String {
    let (page, anchor) = place(model, id);
    format!("[{}](../{page}#{anchor})", code(&model[id].id))
}

/// Links to the operations that some selectors cover; a dash if there are none.
fn covered_links(model: &Model, selectors: &[Selector]) -> String {
    let covered = |id: &OperationId| {
        selectors.iter().any(|selector| toolwrit_manifest::policy::selects(model, selector, *id))
    };
    let links: Vec<String> =
        model.governed_ids().filter(covered).map(|id| operation_link(model, id)).collect();
    crate::markdown::or_dash(links.join(", "))
}

fn effect_badge(effect: Effect) -> String {
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

/// The operations of a category, with their ids.
fn operations_of(model: &Model, category: CategoryId) -> impl Iterator<Item = OperationId> {
    model.governed_ids().filter(move |id| model[*id].category == category)
}

fn count(operations: &[&Operation], effect: Effect) -> usize {
    operations.iter().filter(|operation| operation.effect == effect).count()
}
