//! Notes and tasks as objects.

use std::sync::Arc;

use indexmap::IndexSet;

use super::collection::Notes;
use super::file::ImplicitFields;
use super::page::Page;
use crate::value::{Name, Object, Record, Value};

/// The fields of a note, and its `file`.
#[derive(Debug)]
pub(crate) struct NoteRecord {
    page: Arc<Page>,
    notes: Arc<Notes>,
}

impl NoteRecord {
    pub(crate) fn object(page: &Arc<Page>, notes: &Arc<Notes>) -> Object {
        let record = Self { page: Arc::clone(page), notes: Arc::clone(notes) };
        Object::Record(Arc::new(record))
    }
}

impl Record for NoteRecord {
    fn get(&self, name: &str) -> Option<Value> {
        if name == "file" {
            let file =
                ImplicitFields { page: Arc::clone(&self.page), notes: Arc::clone(&self.notes) };
            return Some(Value::Object(Object::Record(Arc::new(file))));
        }
        self.page.fields.get(name).cloned()
    }

    fn names(&self) -> Vec<Name> {
        let fields = self.page.fields.keys().filter(|name| ***name != *"file");
        std::iter::once("file".into()).chain(fields.cloned()).collect()
    }

    fn to_summary(&self) -> Value {
        Value::Link(Arc::clone(&self.page.link))
    }
}

/// The fields of a task, and those of its note.
#[derive(Debug)]
pub(crate) struct TaskRecord {
    pub(crate) task: Object,
    pub(crate) note: Object,
}

impl Record for TaskRecord {
    fn get(&self, name: &str) -> Option<Value> {
        self.task.get(name).or_else(|| self.note.get(name))
    }

    fn names(&self) -> Vec<Name> {
        let names: IndexSet<Name> =
            self.task.names().into_iter().chain(self.note.names()).collect();
        names.into_iter().collect()
    }

    fn to_summary(&self) -> Value {
        Value::Object(self.task.clone()).to_summary()
    }
}
