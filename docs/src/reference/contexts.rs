//! Contexts: subjects of messages, and the operations that are then relevant.

use toolwrit_manifest::{DeclaredContext, Model};

use super::covered_links;
use crate::document::{Block, Inline, code, heading, join_with_commas, paragraph, table, text};
use crate::page::Page;

pub(super) fn page(model: &Model) -> Option<Page> {
    if model.contexts.is_empty() {
        return None;
    }
    let summary = "Subjects of messages, and the operations that each needs.";
    let mut blocks = vec![paragraph(
        "A message is about a context if its confidence reaches the threshold. The confidence is w / (1 + w), where w \
         is the total weight of the keywords and patterns that are found. Each has the weight 1, or the number after \
         it.",
    )];
    blocks.extend(model.contexts.iter().flat_map(|context| context_blocks(model, context)));
    Some(Page::new("reference/contexts", "Contexts", summary, blocks))
}

fn context_blocks(model: &Model, context: &DeclaredContext) -> [Block; 2] {
    let keywords =
        context.keywords.iter().map(|keyword| format_sign(&keyword.sign, keyword.weight));
    let patterns =
        context.patterns.iter().map(|pattern| format_sign(pattern.sign.as_str(), pattern.weight));
    let rows = [
        [vec![text("Keywords")], join_with_commas(keywords)],
        [vec![text("Patterns")], join_with_commas(patterns)],
        [vec![text("Threshold")], vec![text(context.threshold.to_string())]],
        [vec![text("Operations")], covered_links(model, &context.include)],
    ];
    [heading(&context.name, &context.name), table("Context", ["Part", "Value"], rows)]
}

/// A keyword or pattern, followed by its weight unless that is 1.
fn format_sign(sign: &str, weight: f64) -> Inline {
    let is_one = weight.total_cmp(&1.0).is_eq();
    code(if is_one { sign.to_owned() } else { format!("{sign} ({weight})") })
}
