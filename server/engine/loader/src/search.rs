//! The words of each operation for searches, which the macro computes when an author's crate is built.

use toolwrit_manifest::{Model, Operation, SearchTexts};
use toolwrit_retrieval::{Analysis, ToolDocument};

/// The analysis of an operation as bytes; empty if search does not find it.
pub(crate) fn analysis(model: &Model, operation: &Operation) -> Vec<u8> {
    let texts = model.search_texts(operation);
    texts.map(|texts| Analysis::from_document(&document(&texts)).to_bytes()).unwrap_or_default()
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
