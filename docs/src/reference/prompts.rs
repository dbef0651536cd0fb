//! MCP prompts.

use toolwrit_manifest::{Model, Prompt, PromptText};

use super::cookbooks;
use super::resources::arguments;
use crate::address::PROMPTS;
use crate::document::{Block, code, heading, link, paragraph, text};
use crate::page::Page;

pub(super) fn page(model: &Model) -> Option<Page> {
    if model.prompts.is_empty() {
        return None;
    }
    let summary = "Texts that a person selects in the client and completes with arguments.";
    let mut blocks = vec![paragraph(summary)];
    blocks.extend(model.prompts.iter().flat_map(|own| entry(model, own)));
    Some(Page::new(PROMPTS, "Prompts", summary, blocks))
}

fn entry(model: &Model, own: &Prompt) -> Vec<Block> {
    let title = own.title.as_deref().unwrap_or(&own.name);
    let mut blocks = vec![
        heading(title, &own.name),
        Block::Paragraph(vec![text(format!("{} Name: ", own.summary)), code(&own.name), text(".")]),
    ];
    blocks.extend(arguments(&own.arguments));
    match &own.text {
        Some(PromptText::Template(template)) => {
            blocks.push(paragraph("Template:"));
            blocks.push(Block::Code { language: "text", text: template.clone() });
        }
        Some(PromptText::Cookbook(id)) => {
            let name = &model[*id].name;
            let cookbook = link(cookbooks::place(name), text("the cookbook"));
            blocks.push(Block::Paragraph(vec![text("Its text is "), cookbook, text(".")]));
        }
        None => blocks.push(paragraph("The server writes its text.")),
    }
    blocks
}
