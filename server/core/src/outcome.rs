//! What a call came to, before a surface renders it.

use serde_json::Value;

use crate::authority::{Alias, Operation, Returns};

/// A call that succeeded.
#[derive(Debug)]
pub struct Outcome {
    /// The operation that was run.
    pub operation: &'static Operation,
    pub(crate) alias: Option<&'static Alias>,
    /// The text or the value that the operation declares; shaped, once validation has passed it on.
    pub value: Value,
}

impl Outcome {
    /// What to tell a caller that used an older name, or an operation on its way out.
    pub fn migration(&self) -> Option<String> {
        if let Some(alias) = self.alias {
            let (older, operation) = (alias.name, self.operation);
            return Some(format!("`{older}` is now `{}`: {}", operation.id, operation.signature));
        }
        let deprecated = self.operation.deprecated.as_ref()?;
        let since = deprecated.since.map(|version| format!(" since {version}"));
        let instead = deprecated.replacement.map(|id| format!(" Use `{id}`."));
        let note = deprecated.note.map(|note| format!(" {note}"));
        Some(format!(
            "`{}` is deprecated{}.{}{}",
            self.operation.id,
            since.unwrap_or_default(),
            instead.unwrap_or_default(),
            note.unwrap_or_default()
        ))
    }

    /// The text of the result, and its value where there is one.
    pub fn render(self) -> (String, Option<Value>) {
        match (self.value, &self.operation.returns) {
            (Value::String(text), Returns::Text) => (text, None),
            // Values always serialise. `to_string` takes twice as long, through the formatter.
            (value, _) => (serde_json::to_string(&value).unwrap_or_default(), Some(value)),
        }
    }
}
