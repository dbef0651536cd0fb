//! Providers: what they are, what the operator sets, and which operations need them.

use toolwrit_manifest::{Model, Provider, Setting};

use super::{category_link, effect_badge, operation_link};
use crate::document::{Block, Line, Term, badge, code, heading, join_with_commas, paragraph, text};
use crate::page::Page;

/// The path of the page.
pub(super) const PATH: &str = "reference/providers";

pub(super) fn page(model: &Model) -> Option<Page> {
    if model.providers.is_empty() {
        return None;
    }
    let summary = "Other software that operations need.";
    let mut blocks = vec![paragraph(
        "A provider is other software that operations need. While it is not available, calls of these operations \
         fail and say so.",
    )];
    blocks.extend(model.providers.iter().flat_map(|provider| provider_blocks(model, provider)));
    Some(Page::new(PATH, "Providers", summary, blocks))
}

fn provider_blocks(model: &Model, provider: &Provider) -> Vec<Block> {
    let mut blocks = vec![heading(&provider.title, &provider.name), paragraph(&provider.summary)];
    let needs = |id: &toolwrit_manifest::OperationId| {
        model[*id].requires.is_some_and(|id| model[id].name == provider.name)
    };
    let users = model.governed_ids().filter(needs).map(|id| operation_link(model, id));
    let mut line = vec![text("Operations that need it: ")];
    line.extend(join_with_commas(users));
    blocks.push(Block::Paragraph(line));
    for joining in model.joining().filter(|joining| model[joining.provider].name == provider.name) {
        blocks.push(Block::Paragraph(vec![
            text("It adds operations to "),
            category_link(model, joining.category),
            text(" while the server runs, with the effect "),
            effect_badge(joining.most),
            text(" or a weaker one."),
        ]));
    }
    if !provider.settings.is_empty() {
        blocks.push(paragraph("Settings, in the configuration file:"));
        blocks.push(Block::Terms(
            provider.settings.iter().map(|setting| setting_term(provider, setting)).collect(),
        ));
    }
    blocks
}

fn setting_term(provider: &Provider, setting: &Setting) -> Term {
    let mut name: Line = vec![code(&setting.name), text(" "), text(setting.ty.as_str()), text(" ")];
    name.push(if setting.optional {
        badge("flag", "optional")
    } else {
        badge("required", "required")
    });
    for (on, words) in [(setting.sensitive, "secret"), (setting.per_account, "per account")] {
        if on {
            name.extend([text(" "), badge("flag", words)]);
        }
    }
    let mut meaning: Vec<Block> = setting.description.iter().map(paragraph).collect();
    if let Some(example) = &setting.example {
        meaning.push(Block::Paragraph(vec![text("Example: "), code(example.to_string())]));
    }
    Term { anchor: Some(format!("{}.{}", provider.name, setting.name)), name, meaning }
}
