//! What a call came to, and how it is cut to size before a surface renders it.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::authority::{Alias, Operation, Returns};

/// A call that succeeded.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) operation: &'static Operation,
    pub(crate) alias: Option<&'static Alias>,
    /// The text or the value that the operation declares, shaped.
    pub(crate) value: Value,
}

impl Outcome {
    /// What to tell a caller that used an older name, or an operation on its way out.
    pub(crate) fn migration(&self) -> Option<String> {
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

    /// The text of the result, and its value where there is one, within the operation's limit.
    pub(crate) fn render(self) -> (String, Option<Value>) {
        let limit = usize::try_from(self.operation.result_bytes).unwrap_or(usize::MAX);
        match (self.value, &self.operation.returns) {
            (Value::String(text), Returns::Text) => (cut_text(text, limit, self.operation), None),
            // Larger ones have been refused.
            (value, Returns::Content | Returns::Resource | Returns::Messages) => {
                (value.to_string(), Some(value))
            }
            (value, _) => {
                let text = json(&value);
                if text.len() <= limit {
                    return (text, Some(value));
                }
                let cut = cut_value(value, text.len() - limit, self.operation);
                (cut.to_string(), Some(cut))
            }
        }
    }
}

/// The same as `to_string`, which takes twice as long through the formatter.
fn json(value: &Value) -> String {
    // Values always serialise.
    serde_json::to_string(value).unwrap_or_default()
}

/// Room for the notice that says what happened.
const NOTICE: usize = 200;

fn how_to_get_the_rest(operation: &Operation) -> String {
    let narrowing = ["cursor", "offset", "limit", "max_bytes", "fields", "folder", "query"];
    let inputs = operation.inputs.iter().map(|field| field.name);
    let helpful: Vec<String> =
        inputs.filter(|name| narrowing.contains(name)).map(|name| format!("`{name}`")).collect();
    if helpful.is_empty() {
        "Ask for less at once.".to_owned()
    } else {
        format!("Ask for less at once with {}.", helpful.join(", "))
    }
}

fn cut_text(mut text: String, limit: usize, operation: &Operation) -> String {
    if text.len() > limit {
        let (size, keep) = (text.len(), limit.saturating_sub(NOTICE));
        text.truncate(text.floor_char_boundary(keep));
        let hint = how_to_get_the_rest(operation);
        // Writing to a string cannot fail.
        let _ = write!(text, "\n\n[truncated: true, {keep} of {size} bytes. {hint}]");
    }
    text
}

/// Shortens the largest list or text of the result by what is too much, and says so.
fn cut_value(value: Value, excess: usize, operation: &Operation) -> Value {
    let mut object = match value {
        Value::Object(object) => object,
        other => Map::from_iter([("result".to_owned(), other)]),
    };
    if let Some(value) = largest(&mut object) {
        shrink(value, excess + NOTICE);
    }
    object.insert("truncated".to_owned(), true.into());
    object.insert("hint".to_owned(), how_to_get_the_rest(operation).into());
    Value::Object(object)
}

fn largest(object: &mut Map<String, Value>) -> Option<&mut Value> {
    object.values_mut().max_by_key(|value| value.to_string().len())
}

fn shrink(value: &mut Value, excess: usize) {
    match value {
        Value::Object(object) => {
            if let Some(value) = largest(object) {
                shrink(value, excess);
            }
        }
        Value::Array(items) => {
            let mut freed = 0;
            while freed < excess
                && let Some(item) = items.pop()
            {
                freed += item.to_string().len() + 1;
            }
        }
        Value::String(text) => {
            // Escapes make the JSON longer than the text, so this cuts at least enough.
            let keep = text.len().saturating_sub(excess);
            text.truncate(text.floor_char_boundary(keep));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
