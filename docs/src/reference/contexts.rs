//! What a message is about, and which operations are then offered.

use toolwrit_manifest::{Context, Model};

use super::covered_links;
use crate::markdown::{code, entry_heading, or_dash, table};
use crate::page::Page;

pub(super) fn page(model: &Model) -> Option<Page> {
    if model.contexts.is_empty() {
        return None;
    }
    let mut body = "# Contexts\n\n\
        Keywords and patterns speak for a context, each with its weight: 1, or the number behind it. \
        Signs of the weight w make a confidence of w / (1 + w); from the threshold on, a message is \
        about the context. The operations of all contexts found are what the message needs.\n\n"
        .to_owned();
    for context in &model.contexts {
        body.push_str(&entry(model, context));
    }
    Some(Page::new("reference/contexts.md", "Contexts", body))
}

fn entry(model: &Model, context: &Context) -> String {
    let keywords = context.keywords.iter().map(|k| weighted(&k.sign, k.weight));
    let patterns = context.patterns.iter().map(|p| weighted(p.sign.as_str(), p.weight));
    let rows = [
        ["Keywords".to_owned(), or_dash(keywords.collect::<Vec<_>>().join(", "))],
        ["Patterns".to_owned(), or_dash(patterns.collect::<Vec<_>>().join(", "))],
        ["Threshold".to_owned(), context.threshold.to_string()],
        ["Operations".to_owned(), covered_links(model, &context.include)],
    ];
    let title = entry_heading(&context.name, &context.name);
    format!("{title}{}", table(&["Part", "Value"], rows))
}

/// The weight stands behind what does not count 1.
fn weighted(sign: &str, weight: f64) -> String {
    let ordinary = weight.total_cmp(&1.0).is_eq();
    let behind = if ordinary { String::new() } else { format!(" ({weight})") };
    format!("{}{behind}", code(sign))
}
