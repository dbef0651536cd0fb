//! How the arguments that callers give become those of what carries out an operation.

use serde_json::{Map, Value};

/// How the arguments that callers give become those of what carries out an operation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ArgumentMapping {
    /// The names that callers see, each with the one behind it.
    pub names: Vec<(String, String)>,
    /// The values of arguments that are not given, by the names behind.
    pub values: Map<String, Value>,
}

impl ArgumentMapping {
    /// Whether the arguments stay as they are.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.values.is_empty()
    }

    /// Returns the arguments behind given ones.
    pub fn apply(&self, mut given: Map<String, Value>) -> Map<String, Value> {
        let moved = self
            .names
            .iter()
            .filter_map(|(shown, own)| given.shift_remove(shown).map(|value| (own.clone(), value)));
        let moved: Vec<_> = moved.collect();
        given.extend(moved);
        for (name, value) in &self.values {
            given.entry(name).or_insert_with(|| value.clone());
        }
        given
    }
}
