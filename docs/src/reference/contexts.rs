//! Contexts: subjects of messages, and the operations that are then relevant.

use toolwrit_manifest::{DeclaredContext, Model};

use super::covered_links;
use crate::markdown::{code, entry_heading, or_dash, table};
use crate::page::Chapter;

pub(super) fn page(model: &Model) -> Option<Chapter> {
    if model.contexts.is_empty() {
        return None;
    }
    let mut body = "# Contexts\n\n\
        A message is about a context if its confidence reaches the threshold. The confidence is \
        w / (1 + w), where w is the total weight of the keywords and patterns that are found. Each has \
        the weight 1, or the number after it. The operations of these contexts are relevant to the message.\n\n"
        .to_owned();
    for context in &model.contexts {
        body.push_str(&entry(model, context));
    }
    Some(Chapter::new("reference/contexts.md", "Contexts", body))
}

fn entry(model: &Model, context: &DeclaredContext) -> String {
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

/// A keyword or pattern, followed by its weight unless that is 1.
fn weighted(sign: &str, weight: f64) -> String {
    let ordinary = weight.total_cmp(&1.0).is_eq();
    let suffix = if ordinary { String::new() } else { format!(" ({weight})") };
    format!("{}{suffix}", code(sign))
}
