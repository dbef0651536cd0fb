//! Tools and queries, as in their files.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toolwrit::retrieval::ToolDocument;

/// A tool. Only its id and name are required.
#[derive(Deserialize)]
pub(crate) struct Tool {
    pub(crate) id: String,
    name: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    server: String,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    params: Vec<Parameter>,
    #[serde(default)]
    asks: Vec<String>,
    #[serde(default)]
    synonyms: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct Parameter {
    name: String,
    #[serde(default)]
    description: String,
}

impl Tool {
    pub(crate) fn document(&self) -> ToolDocument<'_> {
        let synonyms = self
            .synonyms
            .iter()
            .flat_map(|(word, also)| also.iter().map(|synonym| (word.as_str(), synonym.as_str())));
        ToolDocument {
            name: &self.name,
            title: &self.title,
            description: &self.description,
            category: &self.server,
            parameters: self.params.iter().map(|p| (&*p.name, &*p.description)).collect(),
            tags: self.tags.iter().map(String::as_str).collect(),
            asks: self.asks.iter().map(String::as_str).collect(),
            synonyms: synonyms.collect(),
            effect: None,
        }
    }
}

/// A query, and the tools that answer it.
#[derive(Deserialize)]
pub(crate) struct Query {
    pub(crate) id: String,
    #[serde(rename = "query")]
    pub(crate) text: String,
    pub(crate) gold: Vec<Gold>,
}

/// A tool that answers a query; a higher `rel` is better.
#[derive(Deserialize)]
pub(crate) struct Gold {
    pub(crate) id: String,
    pub(crate) rel: f64,
}

/// Parses each line that is not empty as JSON.
pub(crate) fn lines<T: DeserializeOwned>(path: &Path) -> io::Result<Vec<T>> {
    let told =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let file = File::open(path).map_err(told)?;
    let mut values = Vec::new();
    for (number, line) in BufReader::new(file).lines().enumerate() {
        let line = line.map_err(told)?;
        if !line.trim().is_empty() {
            let value = serde_json::from_str(&line)
                .map_err(|error| told(io::Error::other(format!("line {}: {error}", number + 1))))?;
            values.push(value);
        }
    }
    Ok(values)
}
