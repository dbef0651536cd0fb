//! The rows that a query works on.

use std::sync::Arc;

use super::super::value::{Name, Object, Record, Value};

/// A row: at first a note, a task or a line of a CSV file; later also a group.
#[derive(Debug, Clone)]
pub(super) struct QueryRow {
    /// A link to the note, or the key of the group.
    pub(super) id: Value,
    pub(super) data: Object,
}

impl QueryRow {
    /// The row with another value of one field.
    pub(super) fn with(&self, name: &Name, value: Value) -> Self {
        let base = self.data.clone();
        let data = Object::Record(Arc::new(Extended { base, name: Arc::clone(name), value }));
        Self { id: self.id.clone(), data }
    }
}

/// An object with another value of one field.
#[derive(Debug)]
struct Extended {
    base: Object,
    name: Name,
    value: Value,
}

impl Record for Extended {
    fn get(&self, name: &str) -> Option<Value> {
        if *name == *self.name { Some(self.value.clone()) } else { self.base.get(name) }
    }

    fn names(&self) -> Vec<Name> {
        let mut names = self.base.names();
        if !names.contains(&self.name) {
            names.push(Arc::clone(&self.name));
        }
        names
    }

    fn to_summary(&self) -> Value {
        Value::Object(self.base.clone()).to_summary()
    }
}
