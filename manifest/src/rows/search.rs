//! The words of each operation for searches.

use std::sync::Arc;

use toolwrit_retrieval::{Analyst, ToolDocument, Verbs};
use toolwrit_rows::{DeclaredVerb, Gap};

use crate::model::{self, Model, Operation, Served};

/// The analysis of an operation as bytes; empty if search does not find it.
pub(super) fn analysis(model: &Model, operation: &Operation, verbs: &Arc<Verbs>) -> Vec<u8> {
    if operation.served != Served::Tool {
        return Vec::new();
    }
    let category = &model[operation.category];
    let inputs = model.inputs(operation);
    let parameters = inputs
        .iter()
        .map(|field| (field.name.as_str(), model.description_of(field).unwrap_or_default()));
    let aliases = operation.aliases.iter().map(|alias| alias.name.as_str());
    let merged = model.merged_tool_of(operation).map(|(tool, _)| tool.name.as_str());
    let synonyms = category.synonyms.iter();
    let synonyms = synonyms
        .flat_map(|(word, also)| also.iter().map(move |synonym| (word.as_str(), synonym.as_str())));
    let document = ToolDocument {
        name: &operation.name,
        title: &operation.summary,
        description: operation.description.as_deref().unwrap_or_default(),
        category: &format!("{} {} {}", category.name, category.title, category.keywords.join(" ")),
        parameters: parameters.collect(),
        tags: operation.tags.iter().map(String::as_str).chain(aliases).chain(merged).collect(),
        asks: operation.asks.iter().map(String::as_str).collect(),
        synonyms: synonyms.collect(),
        effect: Some(operation.effect),
    };
    Analyst::new(verbs.clone()).analyse(&document).to_bytes()
}

/// The verbs that a search knows.
pub(super) fn verbs(model: &Model) -> Verbs {
    Verbs::with(model.verbs.iter().map(|verb| (verb.class, verb.phrase.as_str())))
}

pub(super) fn verb(verb: &model::Verb) -> DeclaredVerb {
    DeclaredVerb { class: verb.class, phrase: verb.phrase.clone() }
}

pub(super) fn gap(gap: &model::Gap) -> Gap {
    Gap { note: gap.note.clone(), asks: gap.asks.clone() }
}
