//! MCP prompts.

use toolwrit_manifest::{Model, Prompt, PromptText};

use super::cookbooks;
use super::resources::arguments_table;
use crate::address::PROMPTS;
use crate::document::{Block, code, heading, link, paragraph, text};
use crate::page::Page;

pub(super) fn page(model: &Model) -> Option<Page> {
    if model.prompts.is_empty() {
        return None;
    }
    let summary = "Texts that a person selects in the client and completes with arguments.";
    let mut blocks = vec![paragraph(summary)];
    blocks.extend(model.prompts.iter().flat_map(|prompt| prompt_blocks(model, prompt)));
    Some(Page::new(PROMPTS, "Prompts", summary, blocks))
}

fn prompt_blocks(model: &Model, prompt: &Prompt) -> Vec<Block> {
    let title = prompt.title.as_deref().unwrap_or(&prompt.name);
    let mut blocks = vec![
        heading(title, &prompt.name),
        Block::Paragraph(vec![
            text(format!("{} Name: ", prompt.summary)),
            code(&prompt.name),
            text("."),
        ]),
    ];
    blocks.extend(arguments_table(&prompt.arguments));
    match &prompt.text {
        Some(PromptText::Template(template)) => {
            blocks.push(paragraph("Template:"));
            blocks.push(Block::Code { language: "text", text: template.clone() });
        }
        Some(PromptText::Cookbook(id)) => {
            let name = &model[*id].name;
            let cookbook = link(cookbooks::cookbook_path(name), text("the cookbook"));
            blocks.push(Block::Paragraph(vec![text("Its text is "), cookbook, text(".")]));
        }
        None => blocks.push(paragraph("The server writes its text.")),
    }
    blocks
}
