//! MCP prompts.

use toolwrit_manifest::{Cookbook, Model, Prompt, PromptText};

use super::resources::arguments;
use crate::markdown::{code, code_block, entry_heading, label, text};
use crate::page::Chapter;

/// The path of the page.
pub(super) const PATH: &str = "reference/prompts.md";

pub(super) fn page(model: &Model) -> Option<Chapter> {
    if model.prompts.is_empty() {
        return None;
    }
    let mut body =
        "# Prompts\n\nTexts that a person selects in the client and completes with arguments.\n\n"
            .to_owned();
    for prompt in &model.prompts {
        body.push_str(&entry(model, prompt));
    }
    Some(Chapter::new(PATH, "Prompts", body))
}

/// The operations and the text of a cookbook.
fn guide(model: &Model, cookbook: &Cookbook) -> String {
    let uses: Vec<String> = cookbook.operations.iter().map(|id| code(&model[*id].id)).collect();
    let text = code_block("markdown", &cookbook.text);
    format!("It uses {}.\n\n{}{text}", uses.join(", "), label("Cookbook"))
}

fn entry(model: &Model, prompt: &Prompt) -> String {
    let title = prompt.title.as_deref().unwrap_or(&prompt.name);
    let mut entry = entry_heading(title, &prompt.name);
    entry.push_str(&format!("{} Name: {}.\n\n", text(&prompt.summary), code(&prompt.name)));
    entry.push_str(&arguments(&prompt.arguments));
    match &prompt.text {
        Some(PromptText::Template(template)) => {
            entry.push_str(&label("Template"));
            entry.push_str(&code_block("text", template));
        }
        Some(PromptText::Cookbook(id)) => entry.push_str(&guide(model, &model[*id])),
        None => entry.push_str("A handler of the server writes it.\n\n"),
    }
    entry
}
