//! The names of arguments that clients see, where those of the schema are none that they may send.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::escaped;

/// The names of arguments that clients see, where they differ from those of the schema. Callers may use both.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListedNames {
    /// By the listed name.
    fields: BTreeMap<String, Listed>,
    /// Those in the items of a list.
    items: Option<Box<ListedNames>>,
}

#[derive(Debug, Clone, PartialEq)]
struct Listed {
    name: String,
    inner: ListedNames,
}

impl ListedNames {
    /// The names in a list whose items have these.
    pub(super) fn of_items(items: Self) -> Self {
        let items = (!items.is_empty()).then(|| Box::new(items));
        Self { items, ..Self::default() }
    }

    /// Lists a field of an object under another name, or the same. Its value has `inner`.
    pub(super) fn insert(&mut self, listed: String, name: String, inner: Self) {
        if listed != name || !inner.is_empty() {
            self.fields.insert(listed, Listed { name, inner });
        }
    }

    /// Whether all names are those of the schema.
    fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.items.is_none()
    }

    /// Returns arguments by the names of the schema.
    pub(crate) fn original(&self, arguments: Map<String, Value>) -> Map<String, Value> {
        if self.fields.is_empty() {
            return arguments;
        }
        let mut originals = Map::new();
        // A name that is given twice stays as it is, so that it is refused.
        let given = arguments.clone();
        for (name, value) in arguments {
            let (name, value) = match self.fields.get(&name) {
                Some(listed) => {
                    let is_free = listed.name == name || !given.contains_key(&listed.name);
                    let name = if is_free { listed.name.clone() } else { name };
                    (name, listed.inner.original_value(value))
                }
                None => (name, value),
            };
            originals.insert(name, value);
        }
        originals
    }

    fn original_value(&self, value: Value) -> Value {
        match value {
            value if self.is_empty() => value,
            Value::Object(fields) => Value::Object(self.original(fields)),
            Value::Array(items) => match &self.items {
                Some(names) => items.into_iter().map(|item| names.original_value(item)).collect(),
                None => Value::Array(items),
            },
            // Objects and lists may be given as JSON text.
            Value::String(text) => match serde_json::from_str(&text) {
                Ok(inner @ (Value::Object(_) | Value::Array(_))) => self.original_value(inner),
                _ => Value::String(text),
            },
            scalar => scalar,
        }
    }

    /// Returns a JSON pointer by listed names, and the names at the place to which it points, if others are listed there.
    pub(super) fn listed(&self, pointer: &str) -> (String, Option<&Self>) {
        let (mut listed, mut names) = (String::new(), Some(self));
        for step in pointer.split('/').skip(1) {
            let (shown, inner) = match names {
                Some(names) => names.step(step),
                None => (step.to_owned(), None),
            };
            listed = format!("{listed}/{shown}");
            names = inner;
        }
        (listed, names)
    }

    fn step(&self, step: &str) -> (String, Option<&Self>) {
        let found = self.fields.iter().find(|(_, listed)| escaped(&listed.name) == step);
        match found {
            Some((shown, listed)) => (escaped(shown), Some(&listed.inner)),
            None => (step.to_owned(), self.items.as_deref()),
        }
    }

    /// The listed name of a field.
    pub(super) fn of<'a>(&'a self, name: &'a str) -> &'a str {
        let found = self.fields.iter().find(|(_, listed)| listed.name == name);
        found.map_or(name, |(shown, _)| shown)
    }
}
