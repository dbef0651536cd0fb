//! The result of a successful call, before a surface renders it.

use serde_json::{Map, Value, json};

use crate::authority::{Alias, ArgumentPath, OperationHandle, Returns};
use crate::json::written::to_json_text;

/// A call that succeeded.
#[derive(Debug)]
pub struct Outcome {
    /// The operation that was run.
    pub operation: OperationHandle,
    /// The position of the older name that the caller used; `None` if the caller used the current one.
    pub(crate) alias: Option<u16>,
    /// The text or value that the operation declares. The validation phase applies `select`, `page` and
    /// `result_bytes` to it.
    pub value: Value,
    /// What a tool of another MCP server has sent beside the value: its content blocks if the value is structured, and
    /// structured content if the value is its content blocks.
    pub beside: Option<Value>,
    /// `_meta` of its result.
    pub meta: Option<Map<String, Value>>,
}

impl Outcome {
    /// The outcome of an operation that was called by its current name.
    pub(crate) fn new(operation: OperationHandle, value: Value) -> Self {
        Self { operation, alias: None, value, beside: None, meta: None }
    }

    /// Returns the hint for a caller that used an older name or a deprecated operation.
    pub fn migration(&self) -> Option<String> {
        let operation = self.operation.row();
        if let Some(alias) = self.alias {
            let alias = &operation.aliases[usize::from(alias)];
            let now =
                format!("`{}` is now `{}`: {}", alias.name, operation.id, operation.signature);
            let changes = changes(alias);
            return Some(if changes.is_empty() {
                now
            } else {
                format!("{now}. Older arguments: {}.", changes.join(", "))
            });
        }
        let deprecated = operation.deprecated.as_ref()?;
        let since = deprecated.since.as_ref().map(|version| format!(" since {version}"));
        let instead = deprecated.replacement.as_ref().map(|id| format!(" Use `{id}`."));
        let note = deprecated.note.as_ref().map(|note| format!(" {note}"));
        Some(format!(
            "`{}` is deprecated{}.{}{}",
            operation.id,
            since.unwrap_or_default(),
            instead.unwrap_or_default(),
            note.unwrap_or_default()
        ))
    }

    /// Returns the text of the result, and its value unless the result is only text. An operation whose result is an
    /// object may have none, because an API answers without content.
    pub fn render(self) -> (String, Option<Value>) {
        match (self.value, &self.operation.row().returns) {
            (Value::String(text), Returns::Text) => (text, None),
            (Value::Null, Returns::Object(_)) => ("Done.".to_owned(), Some(json!({}))),
            // `Value::to_string` takes twice as long: it uses the formatter.
            (value, _) => (to_json_text(&value), Some(value)),
        }
    }
}

/// Describes how the arguments of an older name become those of the operation: `type -> mode`.
fn changes(alias: &Alias) -> Vec<String> {
    let path = |path: &ArgumentPath| match path.as_slice() {
        [name] => name.clone(),
        keys => format!("/{}", keys.join("/")),
    };
    let mapping = &alias.mapping;
    let ignored = mapping.ignore.iter().map(|older| format!("{} has no effect", path(older)));
    let harmless = mapping.harmless.iter().filter(|older| !older.values.is_empty());
    let harmless = harmless.map(|older| format!("{} has no effect", older.name));
    let parsed = mapping.parse.iter().map(|name| format!("{name} is a value, not JSON text"));
    let renamed = mapping.args.iter().map(|(older, now)| format!("{older} -> {}", path(now)));
    let lists = mapping.each.iter().map(|each| format!("{} -> {}", each.from, path(&each.into)));
    let values = mapping.values.iter().flat_map(|(of, values)| {
        values.iter().map(move |(older, now)| {
            format!("{}: {} -> {now}", path(of), Value::from(older.as_str()))
        })
    });
    let fixed = mapping.set.iter().map(|(of, value)| format!("{} = {}", path(of), value));
    renamed
        .chain(lists)
        .chain(values)
        .chain(fixed)
        .chain(parsed)
        .chain(ignored)
        .chain(harmless)
        .collect()
}
