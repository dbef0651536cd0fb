//! Search data of each operation, computed when the author's crate is built.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use toolwrit_manifest::{Field, Model, Operation, Served};
use toolwrit_retrieval::{Analysis, ToolDocument};

use super::fields::description;

/// The words and pieces of an operation as bytes; empty if search does not find it.
pub(super) fn analysis(model: &Model, operation: &Operation) -> Option<TokenStream> {
    if operation.served != Served::Tool {
        return None;
    }
    let category = &model.categories[operation.category.index()];
    let inputs = model.inputs(operation);
    let aliases = operation.aliases.iter().map(|alias| alias.name.as_str());
    let merged = model.merged_tool_of(operation).map(|(tool, _)| tool.name.as_str());
    let synonyms = category
        .synonyms
        .iter()
        .flat_map(|(word, also)| also.iter().map(move |synonym| (word.as_str(), synonym.as_str())));
    let document = ToolDocument {
        name: &operation.name,
        title: &operation.summary,
        description: operation.description.as_deref().unwrap_or_default(),
        category: &format!("{} {} {}", category.name, category.title, category.keywords.join(" ")),
        parameters: inputs.iter().map(|field| parameter(model, field)).collect(),
        tags: operation.tags.iter().map(String::as_str).chain(aliases).chain(merged).collect(),
        asks: operation.asks.iter().map(String::as_str).collect(),
        synonyms: synonyms.collect(),
    };
    let bytes = Literal::byte_string(&Analysis::of(&document).to_bytes());
    Some(quote!(#bytes))
}

fn parameter<'a>(model: &'a Model, field: &'a Field) -> (&'a str, &'a str) {
    (&field.name, description(model, field).unwrap_or_default())
}
