//! Cookbooks: guides of the manifest to common tasks.

use toolwrit_manifest::{Cookbook, Model};

use super::operation_link;
use crate::address::PROMPTS;
use crate::document::{Block, code, heading, join_with_commas, link, paragraph, text};
use crate::page::Page;

/// The folder of the pages.
const PATH: &str = "reference/cookbooks";

/// The page and the anchor of a cookbook.
pub(super) fn cookbook_path(name: &str) -> String {
    format!("{PATH}#{name}")
}

pub(super) fn page(model: &Model) -> Option<Page> {
    if model.cookbooks.is_empty() {
        return None;
    }
    let mut blocks = vec![paragraph("How to do common tasks. Each cookbook is also a prompt.")];
    blocks.extend(model.cookbooks.iter().flat_map(|cookbook| cookbook_blocks(model, cookbook)));
    Some(Page::new(PATH, "Cookbooks", "How to do common tasks.", blocks))
}

fn cookbook_blocks(model: &Model, cookbook: &Cookbook) -> Vec<Block> {
    let mut uses = vec![text("Uses ")];
    uses.extend(join_with_commas(cookbook.operations.iter().map(|id| operation_link(model, *id))));
    uses.extend([
        text(". Prompt: "),
        link(format!("{}#{}", PROMPTS, cookbook.name), code(&cookbook.name)),
        text("."),
    ]);
    vec![
        heading(&cookbook.name, &cookbook.name),
        paragraph(&cookbook.summary),
        Block::Paragraph(uses),
        Block::Code { language: "markdown", text: cookbook.text.clone() },
    ]
}
