//! What has changed since tools were approved.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Lock, canonical};
use crate::tools::{Tool, ToolList};

/// Fields that only a reader sees. Models read the manifest's texts instead of them.
const TEXTS: [&str; 4] = ["title", "description", "icons", "_meta"];

/// How a tool differs from the approved one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Its texts are others: these fields. It can be called.
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
    let (texts, others): (Vec<_>, Vec<_>) =
        fields.into_iter().cloned().partition(|field| TEXTS.contains(&field.as_str()));
    match (others.is_empty(), texts.is_empty()) {
        (false, _) => Some(Change::Contract(others)),
        (true, false) => Some(Change::Text(texts)),
        (true, true) => None,
    }
}

/// Whether two values are the same JSON, whatever the order of keys and the form of numbers.
fn same(before: Option<&Value>, now: Option<&Value>) -> bool {
    before == now || matches!((before, now), (Some(a), Some(b)) if canonical(a) == canonical(b))
}
