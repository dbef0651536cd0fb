//! Older names: each with a call by it beside the same call by the current name, and the names that are gone.

use serde_json::{Value, json};
use toolwrit_manifest::{Alias, Model, OlderCall, OperationId, older_call};

use super::{operation_link, tool_name};
use crate::markdown::{code, code_block, entry_heading, heading, label, or_dash, table, text};
use crate::page::Chapter;

/// The path of the page.
const PATH: &str = "reference/older-names.md";

const INTRODUCTION: &str = "\
# Older names

Calls by older names still work, on every surface. Each is shown as `tools/call` carries it on the flat surface, beside
the same call by the current name. The answer to a call by an older name says how to write it today.

";

pub(super) fn page(model: &Model) -> Chapter {
    let older = model
        .operation_ids()
        .flat_map(|id| model[id].aliases.iter().map(move |alias| entry(model, id, alias)));
    let mut body: String = older.collect();
    body.push_str(&removed(model));
    if body.is_empty() {
        body.push_str("This server has none.\n");
    }
    Chapter::new(PATH, "Older names", format!("{INTRODUCTION}{body}"))
}

fn entry(model: &Model, id: OperationId, alias: &Alias) -> String {
    let mut entry = entry_heading(&alias.name, &alias.name);
    entry.push_str(&format!("{} is now {}.\n\n", code(&alias.name), operation_link(model, id)));
    let ignored: Vec<String> =
        alias.mapping.ignore.iter().map(|path| code(&path.to_string())).collect();
    if !ignored.is_empty() {
        entry.push_str(&format!("Without effect: {}.\n\n", ignored.join(", ")));
    }
    if let Some(OlderCall { older, current }) = older_call(model, &model[id], alias) {
        entry.push_str(&label("Older call"));
        entry.push_str(&call(&alias.name, &older.into()));
        entry.push_str(&label("Now"));
        let (tool, current) = flat_call(model, id, current.into());
        entry.push_str(&call(&tool, &current));
    }
    entry
}

/// The tool on the flat surface that runs an operation, and its arguments.
fn flat_call(model: &Model, id: OperationId, mut arguments: Value) -> (String, Value) {
    let Some((tool, value)) = model.merged_tool_of(&model[id]) else {
        return (tool_name(model, &model[id].wire_name), arguments);
    };
    arguments[&tool.by] = value.into();
    (tool_name(model, &tool.name), arguments)
}

fn call(tool: &str, arguments: &Value) -> String {
    let call = json!({ "name": tool, "arguments": arguments });
    code_block("json", &format!("{call:#}"))
}

/// The names that are gone.
fn removed(model: &Model) -> String {
    if model.removed.is_empty() {
        return String::new();
    }
    let rows = model.removed.iter().map(|tool| {
        let replacement = tool.replacement.map(|id| operation_link(model, id));
        [code(&tool.name), text(&tool.note), or_dash(replacement.unwrap_or_default())]
    });
    let introduction =
        "Calls of these fail with `TOOL_NOT_FOUND`, and the hint says what to do.\n\n";
    let table = table(&["Name", "What to do instead", "Operation"], rows);
    format!("{}{introduction}{table}", heading("Removed", "removed"))
}
