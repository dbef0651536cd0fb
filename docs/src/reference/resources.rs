//! MCP resources and resource templates.

use toolwrit_manifest::{Argument, Model, Resource};

use super::codes;
use crate::document::{Block, code, heading, or_dash, paragraph, table, text};
use crate::page::Page;

/// The path of the page.
pub(super) const PATH: &str = "reference/resources";

pub(super) fn page(model: &Model) -> Option<Page> {
    if model.resources.is_empty() {
        return None;
    }
    let summary = "What a client can read without calling a tool.";
    let mut blocks =
        vec![paragraph(format!("{summary} An address with names in braces is a template."))];
    blocks.extend(model.resources.iter().flat_map(resource_blocks));
    Some(Page::new(PATH, "Resources", summary, blocks))
}

fn resource_blocks(resource: &Resource) -> Vec<Block> {
    let title = resource.title.as_deref().unwrap_or(&resource.name);
    let subscribe = if resource.subscribe { "yes" } else { "no" };
    let rows = [
        [vec![text("Name")], vec![code(&resource.name)]],
        [vec![text("URI")], vec![code(&resource.uri)]],
        [vec![text("Type")], codes(resource.mime_type.as_deref())],
        [vec![text("Reports changes")], vec![text(subscribe)]],
    ];
    let mut blocks = vec![
        heading(title, &resource.name),
        paragraph(&resource.summary),
        table("Resource", ["Part", "Value"], rows),
    ];
    blocks.extend(arguments_table(&resource.variables));
    blocks
}

/// The arguments of a prompt, or the variables of a URI.
pub(super) fn arguments_table(arguments: &[Argument]) -> Option<Block> {
    if arguments.is_empty() {
        return None;
    }
    let rows = arguments.iter().map(|argument| {
        let required = if argument.required { "required" } else { "optional" };
        let values = codes(argument.values.iter().map(String::as_str));
        let meaning = or_dash(argument.description.iter().map(text).collect());
        [vec![code(&argument.name)], vec![text(required)], values, meaning]
    });
    Some(table("Arguments", ["Argument", "Required", "Values", "Meaning"], rows))
}
