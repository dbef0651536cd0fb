//! Cookbooks: guides of the manifest to common tasks.

use toolwrit_manifest::{Cookbook, Model};

use super::operation_link;
use crate::address::PROMPTS;
use crate::document::{Block, code, heading, link, listed, paragraph, text};
use crate::page::Page;

/// The folder of the pages.
const PATH: &str = "reference/cookbooks";

/// The place of a cookbook.
pub(super) fn place(name: &str) -> String {
    format!("{PATH}#{name}")
}

pub(super) fn page(model: &Model) -> Option<Page> {
    if model.cookbooks.is_empty() {
        return None;
    }
    let mut blocks = vec![paragraph("How to do common tasks. Each cookbook is also a prompt.")];
    blocks.extend(model.cookbooks.iter().flat_map(|own| entry(model, own)));
    Some(Page::new(PATH, "Cookbooks", "How to do common tasks.", blocks))
}

fn entry(model: &Model, own: &Cookbook) -> Vec<Block> {
    let mut uses = vec![text("Uses ")];
    uses.extend(listed(own.operations.iter().map(|id| operation_link(model, *id))));
    uses.extend([
        text(". Prompt: "),
        link(format!("{}#{}", PROMPTS, own.name), code(&own.name)),
        text("."),
    ]);
    vec![
        heading(&own.name, &own.name),
        paragraph(&own.summary),
        Block::Paragraph(uses),
        Block::Code { language: "markdown", text: own.text.clone() },
    ]
}
