//! What has changed since tools were approved.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Lock, canonical};
use crate::tools::{Tool, ToolList};

/// Fields that only a reader sees. Models read the approved texts instead of them.
const TEXTS: [&str; 4] = ["title", "description", "icons", "_meta"];
/// Fields that are schemas.
const SCHEMAS: [&str; 2] = ["inputSchema", "outputSchema"];
/// Keywords of a schema that only a reader sees.
const SCHEMA_TEXTS: [&str; 3] = ["title", "description", "examples"];
/// Keywords whose value is a table of schemas.
const SCHEMA_TABLES: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keywords whose value is data and no schema.
const SCHEMA_DATA: [&str; 2] = ["const", "enum"];

/// How a tool differs from the approved one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Its texts are others, in these fields, or those in its schemas. It can be called.
    Text(Vec<String>),
    /// Its schemas, annotations or other fields are others. It cannot be called.
    Contract(Vec<String>),
    /// It is no longer listed, or cannot be used for this reason. It cannot be called.
    Gone(Option<String>),
    /// It was never approved. It cannot be called.
    New,
}

/// What has changed since the tools were approved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The tools that differ, by name.
    pub changes: BTreeMap<String, Change>,
}

impl Verdict {
    /// Whether all tools are as approved, and there are no others.
    pub fn is_clean(&self) -> bool {
        self.changes.is_empty()
    }
}

impl Lock {
    /// Compares a list with the approved tools.
    pub fn compare(&self, list: &ToolList) -> Verdict {
        let mut changes = BTreeMap::new();
        for (name, approved) in &self.tools {
            let change = match list.get(name) {
                Some(listed) => difference(&approved.json, listed.json()),
                None => Some(Change::Gone(reason(list, name))),
            };
            changes.extend(change.map(|change| (name.clone(), change)));
        }
        for tool in list.tools() {
            if !self.tools.contains_key(tool.name()) {
                changes.insert(tool.name().to_owned(), Change::New);
            }
        }
        Verdict { changes }
    }

    /// Whether a tool can be called: it was approved, and nothing but its texts has changed.
    pub(crate) fn allows(&self, tool: &Tool) -> bool {
        self.tools.get(tool.name()).is_some_and(|approved| {
            matches!(difference(&approved.json, tool.json()), None | Some(Change::Text(_)))
        })
    }
}

/// Why a tool that is listed cannot be used.
fn reason(list: &ToolList, name: &str) -> Option<String> {
    let refused = list.refused().iter().find(|refused| refused.name == name);
    refused.map(|refused| refused.reason.clone())
}

fn difference(before: &Map<String, Value>, now: &Map<String, Value>) -> Option<Change> {
    let mut fields: Vec<&String> = before.keys().chain(now.keys()).collect();
    fields.sort_unstable();
    fields.dedup();
    fields.retain(|field| !same(before.get(*field), now.get(*field)));
    let is_text = |field: &String| {
        let contract = |tool: &Map<String, Value>| tool.get(field).map(contract);
        TEXTS.contains(&field.as_str())
            || SCHEMAS.contains(&field.as_str())
                && same(contract(before).as_ref(), contract(now).as_ref())
    };
    let (texts, others): (Vec<_>, Vec<_>) = fields.into_iter().cloned().partition(is_text);
    match (others.is_empty(), texts.is_empty()) {
        (false, _) => Some(Change::Contract(others)),
        (true, false) => Some(Change::Text(texts)),
        (true, true) => None,
    }
}

/// The part of a schema that decides which values fit it. Servers that keep the values of a default in a set list them in
/// another order after each start.
fn contract(schema: &Value) -> Value {
    match schema {
        Value::Array(schemas) => schemas.iter().map(contract).collect(),
        Value::Object(keywords) => {
            let kept = keywords.iter().filter(|(name, _)| !SCHEMA_TEXTS.contains(&name.as_str()));
            let kept = kept.map(|(name, value)| {
                let value = match (name.as_str(), value) {
                    ("default", value) => in_order(value),
                    (name, data) if SCHEMA_DATA.contains(&name) => data.clone(),
                    (name, Value::Object(table)) if SCHEMA_TABLES.contains(&name) => {
                        table.iter().map(|(name, inner)| (name.clone(), contract(inner))).collect()
                    }
                    (_, schema) => contract(schema),
                };
                (name.clone(), value)
            });
            kept.collect()
        }
        other => other.clone(),
    }
}

/// A list, or a text that is one with commas, in the order of its items.
fn in_order(value: &Value) -> Value {
    match value {
        Value::Array(items) => {
            let mut items = items.clone();
            items.sort_by_cached_key(canonical);
            items.into()
        }
        Value::String(text) => {
            let mut items: Vec<&str> = text.split(',').map(str::trim).collect();
            items.sort_unstable();
            items.join(",").into()
        }
        other => other.clone(),
    }
}

/// Whether two values are the same JSON, whatever the order of keys and the form of numbers.
fn same(before: Option<&Value>, now: Option<&Value>) -> bool {
    before == now || matches!((before, now), (Some(a), Some(b)) if canonical(a) == canonical(b))
}
