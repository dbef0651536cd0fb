//! What the search can find: pages, sections of the guide, and operations with all their names.

use std::collections::BTreeSet;

use serde::Serialize;
use toolwrit_manifest::{Category, Field, Model, Operation, Shape};

use crate::prose::Section;

/// Something that can be found.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    pub(crate) title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) summary: String,
    #[serde(skip)]
    pub(crate) anchor: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) names: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) asks: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) synonyms: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) parameters: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) words: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Operation,
    Guide,
    #[default]
    Reference,
}

impl Entry {
    pub(crate) fn from_page(title: &str, summary: &str) -> Self {
        Self { title: title.to_owned(), summary: summary.to_owned(), ..Self::default() }
    }

    /// A section of the guide. Each of its words is kept once.
    pub(crate) fn from_section(page: &str, section: &Section) -> Self {
        let words = section.words.split(|c: char| !c.is_alphanumeric() && c != '_');
        let words: BTreeSet<String> =
            words.filter(|word| word.len() > 2).map(str::to_lowercase).collect();
        let is_page = section.level == 1;
        let title = if is_page { page.to_owned() } else { format!("{page}: {}", section.title) };
        Self {
            kind: Kind::Guide,
            title,
            anchor: if is_page { String::new() } else { section.anchor.clone() },
            words: words.into_iter().collect::<Vec<_>>().join(" "),
            ..Self::default()
        }
    }

    pub(crate) fn from_operation(model: &Model, operation: &Operation) -> Self {
        let aliases = operation.aliases.iter().map(|alias| alias.name.clone());
        let mut parameters = Vec::new();
        collect_names(model, &model.inputs(operation), &mut parameters);
        Self {
            kind: Kind::Operation,
            title: operation.id.clone(),
            summary: operation.summary.clone(),
            names: aliases.collect(),
            asks: operation.asks.clone(),
            synonyms: matching_synonyms(&model[operation.category], operation),
            parameters,
            words: operation.description.clone().unwrap_or_default(),
            ..Self::default()
        }
    }
}

/// The names of the fields and of the fields inside them.
fn collect_names(model: &Model, fields: &[Field], names: &mut Vec<String>) {
    for field in fields {
        if !names.contains(&field.name) {
            names.push(field.name.clone());
        }
        let mut shape = model.resolve(&field.shape);
        while let Shape::Array { items: inner, .. } | Shape::Map(inner) = shape {
            shape = model.resolve(inner);
        }
        if let Shape::Record(inner) = shape {
            collect_names(model, inner, names);
        }
    }
}

/// Other words for those of an operation's name and summary.
fn matching_synonyms(category: &Category, operation: &Operation) -> Vec<String> {
    let text = format!("{} {}", operation.name, operation.summary).to_lowercase();
    let words: BTreeSet<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    let occurs = |phrase: &str| {
        phrase.split_whitespace().all(|word| {
            let plural = format!("{word}s");
            words.contains(word) || words.contains(plural.as_str())
        })
    };
    let found = category.synonyms.iter().filter(|(phrase, _)| occurs(&phrase.to_lowercase()));
    found.flat_map(|(_, others)| others.iter().cloned()).collect()
}
