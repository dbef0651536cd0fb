//! The page of the operations that providers add while a server runs.

use serde_json::Value;
use toolwrit_manifest::Effect;

use super::effect_badge;
use crate::document::{Block, Line, code, heading, link, paragraph, paragraphs, table, text};
use crate::entry::{Entry, Kind};
use crate::page::Page;

const PATH: &str = "reference/joined";

/// An operation that no manifest declares: a provider added it to a running server.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinedOperation {
    /// Such as `plugin.templater.execute:meeting`.
    pub id: String,
    /// One sentence.
    pub summary: String,
    /// More about it.
    pub description: Option<String>,
    /// What it may do.
    pub effect: Effect,
    /// Its parameters on one line.
    pub signature: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
    /// Arguments that show its use.
    pub examples: Vec<Value>,
    /// The name of the provider for people.
    pub provider: String,
}

/// An operation whose provider is not available at this moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WithheldOperation {
    /// Such as `active.show`.
    pub id: String,
    /// One sentence.
    pub summary: String,
    /// The name of the provider for people.
    pub provider: String,
}

/// What providers add to a running server and withhold from it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProviderOperations {
    /// Operations that providers have added.
    pub joined: Vec<JoinedOperation>,
    /// Operations that cannot be used.
    pub withheld: Vec<WithheldOperation>,
}

/// The path of the page in a site. The entry of an operation there has the operation's id as its anchor.
pub fn joined_address() -> String {
    format!("{PATH}.html")
}

/// The page; `None` without such operations.
pub(super) fn joined_page(operations: &[JoinedOperation]) -> Option<Page> {
    if operations.is_empty() {
        return None;
    }
    let summary = "Operations that providers add and remove while the server runs.";
    let overview = operations.iter().map(|operation| -> [Line; 4] {
        let link = link(format!("{PATH}#{}", operation.id), code(&operation.id));
        [
            vec![link],
            vec![effect_badge(operation.effect)],
            vec![text(&operation.provider)],
            vec![text(&operation.summary)],
        ]
    });
    let columns = ["Operation", "Effect", "Provider", "Summary"];
    let mut blocks = vec![paragraph(summary), table("Added operations", columns, overview)];
    blocks.extend(operations.iter().flat_map(operation_blocks));
    let entries = operations.iter().map(|operation| Entry {
        kind: Kind::Operation,
        title: operation.id.clone(),
        summary: operation.summary.clone(),
        anchor: operation.id.clone(),
        ..Entry::default()
    });
    Some(Page::new(PATH, "Added by providers", summary, blocks).with_entries(entries.collect()))
}

/// The page of the operations that cannot be used; `None` if all can.
pub(super) fn withheld_page(operations: &[WithheldOperation]) -> Option<Page> {
    if operations.is_empty() {
        return None;
    }
    let summary = "Operations whose provider is not available.";
    let rows = operations.iter().map(|operation| -> [Line; 3] {
        [vec![code(&operation.id)], vec![text(&operation.provider)], vec![text(&operation.summary)]]
    });
    let blocks = vec![
        paragraph(
            "These operations need software that is not available at this moment. They appear when it is.",
        ),
        table("Operations that cannot be used now", ["Operation", "Needs", "Summary"], rows),
    ];
    Some(Page::new("reference/unavailable", "Not available now", summary, blocks))
}

fn operation_blocks(operation: &JoinedOperation) -> Vec<Block> {
    let json = |value: &Value| Block::Code { language: "json", text: format!("{value:#}") };
    let mut blocks = vec![
        heading(&operation.id, &operation.id),
        paragraph(&operation.summary),
        Block::Paragraph(vec![effect_badge(operation.effect)]),
    ];
    blocks.extend(operation.description.iter().flat_map(|words| paragraphs(words)));
    blocks.push(Block::Code { language: "text", text: operation.signature.clone() });
    blocks.extend([paragraph("Schema of the arguments:"), json(&operation.input_schema)]);
    if !operation.examples.is_empty() {
        blocks.push(paragraph("Examples:"));
        blocks.extend(operation.examples.iter().map(json));
    }
    blocks
}
