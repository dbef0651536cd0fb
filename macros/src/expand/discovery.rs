//! Search data of each operation, computed when the author's crate is built.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use toolwrit_manifest::{Model, Operation, SearchTexts};
use toolwrit_retrieval::{Analysis, ToolDocument};

/// The words and pieces of an operation as bytes; empty if search does not find it.
pub(super) fn analysis(model: &Model, operation: &Operation) -> Option<TokenStream> {
    let texts = model.search_texts(operation)?;
    let bytes = Literal::byte_string(&Analysis::from_document(&document(&texts)).to_bytes());
    Some(quote!(#bytes))
}

fn document<'a>(texts: &'a SearchTexts<'_>) -> ToolDocument<'a> {
    let parameters = texts.parameters.iter();
    ToolDocument {
        name: texts.name,
        title: texts.title,
        description: texts.description,
        category: &texts.category,
        parameters: parameters.map(|(name, text)| (name.as_str(), text.as_str())).collect(),
        tags: texts.tags.clone(),
        asks: texts.asks.clone(),
        synonyms: texts.synonyms.clone(),
    }
}
