//! What a message is about, and which operations are then offered.

use toolwrit_manifest::{Context, Model};

use super::covered_links;
use crate::markdown::{codes, entry_heading, table};
use crate::page::Page;

pub(super) fn page(model: &Model) -> Option<Page> {
    if model.contexts.is_empty() {
        return None;
    }
    let mut body = "# Contexts\n\n\
        A message that holds a keyword, or matches a pattern, is about the context; the operations \
        of all contexts found are what the message needs.\n\n"
        .to_owned();
    for context in &model.contexts {
        body.push_str(&entry(model, context));
    }
    Some(Page::new("reference/contexts.md", "Contexts", body))
}

fn entry(model: &Model, context: &Context) -> String {
    let patterns = context.patterns.iter().map(toolwrit_manifest::Pattern::as_str);
    let rows = [
        ["Keywords".to_owned(), codes(context.keywords.iter().map(String::as_str))],
        ["Patterns".to_owned(), codes(patterns)],
        ["Operations".to_owned(), covered_links(model, &context.include)],
    ];
    let title = entry_heading(&context.name, &context.name);
    format!("{title}{}", table(&["Part", "Value"], rows))
}
