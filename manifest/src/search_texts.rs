//! The texts by which a search finds an operation.

use crate::model::{Model, Operation, Served};

/// The texts of an operation, by how much they say about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchTexts<'a> {
    /// Its name in its category.
    pub name: &'a str,
    /// Its summary.
    pub title: &'a str,
    /// Its longer text; empty if it has none.
    pub description: &'a str,
    /// The name, the title and the keywords of its category.
    pub category: String,
    /// The name and the description of each parameter.
    pub parameters: Vec<(String, String)>,
    /// Its tags, its older names, and the merged tool to which it belongs.
    pub tags: Vec<&'a str>,
    /// How people ask for it.
    pub asks: Vec<&'a str>,
    /// Words, each with another word of the same meaning.
    pub synonyms: Vec<(&'a str, &'a str)>,
}

impl Model {
    /// The texts by which a search finds an operation; `None` if it finds none of this kind.
    pub fn search_texts<'a>(&'a self, operation: &'a Operation) -> Option<SearchTexts<'a>> {
        if operation.served != Served::Tool {
            return None;
        }
        let category = &self[operation.category];
        let parameters = self.inputs(operation).into_iter().map(|field| {
            let description = self.description_of(&field).unwrap_or_default().to_owned();
            (field.name, description)
        });
        let aliases = operation.aliases.iter().map(|alias| alias.name.as_str());
        let merged = self.merged_tool_of(operation).map(|(tool, _)| tool.name.as_str());
        let synonyms = category.synonyms.iter();
        let synonyms = synonyms.flat_map(|(word, also)| {
            also.iter().map(move |synonym| (word.as_str(), synonym.as_str()))
        });
        Some(SearchTexts {
            name: &operation.name,
            title: &operation.summary,
            description: operation.description.as_deref().unwrap_or_default(),
            category: format!(
                "{} {} {}",
                category.name,
                category.title,
                category.keywords.join(" ")
            ),
            parameters: parameters.collect(),
            tags: operation.tags.iter().map(String::as_str).chain(aliases).chain(merged).collect(),
            asks: operation.asks.iter().map(String::as_str).collect(),
            synonyms: synonyms.collect(),
        })
    }
}
