//! Older names: each with a call by it beside the same call by the current name, and the names that are gone.

use serde_json::{Value, json};
use toolwrit_manifest::{Alias, Model, OlderCall, OperationId, older_call};

use super::{calls, operation_link};
use crate::document::{
    Block, Tab, code, heading, join_with_commas, or_dash, paragraph, table, text,
};
use crate::page::Page;

/// The path of the page.
pub(super) const PATH: &str = "reference/older-names";

pub(super) fn page(model: &Model) -> Page {
    let older = model.operation_ids().flat_map(|id| {
        model[id].aliases.iter().flat_map(move |alias| alias_blocks(model, id, alias))
    });
    let entries: Vec<Block> = older.chain(removed_names(model)).collect();
    let mut blocks = vec![paragraph(
        "Calls by older names still work, on every surface. Each is shown as the flat surface has it, beside the same \
         call by the current name. The answer to a call by an older name says how to write it today.",
    )];
    if entries.is_empty() {
        blocks.push(paragraph("This server has none."));
    }
    blocks.extend(entries);
    Page::new(
        PATH,
        "Older names",
        "Older names of operations, and how to write them today.",
        blocks,
    )
}

fn alias_blocks(model: &Model, id: OperationId, alias: &Alias) -> Vec<Block> {
    let mut blocks = vec![
        heading(&alias.name, &anchor(alias)),
        Block::Paragraph(vec![
            code(&alias.name),
            text(" is now "),
            operation_link(model, id),
            text("."),
        ]),
    ];
    if !alias.mapping.ignore.is_empty() {
        let mut words = vec![text("Without effect: ")];
        words.extend(join_with_commas(
            alias.mapping.ignore.iter().map(|path| code(path.to_string())),
        ));
        words.push(text("."));
        blocks.push(Block::Paragraph(words));
    }
    if let Some(OlderCall { mut older, current }) = older_call(model, &model[id], alias) {
        let (tool, argument) = alias.call();
        older.extend(argument.map(|(parameter, value)| (parameter.to_owned(), value.into())));
        let older = json!({ "name": tool, "arguments": older });
        let now = calls::flat_call(model, &model[id], current.into());
        let tab = |name, call: &Value| Tab {
            name,
            blocks: vec![Block::Code { language: "json", text: format!("{call:#}") }],
        };
        blocks.push(Block::Tabs(vec![tab("Now", &now), tab("Older call", &older)]));
    }
    blocks
}

/// The anchor of an older name on this page.
pub(super) fn anchor(alias: &Alias) -> String {
    let words = alias.name.split(['(', ')', ':', ' ', '/']).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// The names that are gone.
fn removed_names(model: &Model) -> Vec<Block> {
    if model.removed.is_empty() {
        return Vec::new();
    }
    let rows = model.removed.iter().map(|tool| {
        let replacement = tool.replacement.map(|id| operation_link(model, id));
        let replacement = or_dash(replacement.into_iter().collect());
        [vec![code(&tool.name)], vec![text(&tool.note)], replacement]
    });
    vec![
        heading("Removed", "removed"),
        Block::Paragraph(vec![
            text("Calls of these fail with "),
            code("TOOL_NOT_FOUND"),
            text(", and the hint says what to do."),
        ]),
        table("Removed names", ["Name", "What to do instead", "Operation"], rows),
    ]
}
