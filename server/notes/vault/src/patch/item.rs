//! The item of a list whose text is a block with an id.

use crate::document::{Block, Document, parse_checkbox};

/// Where a new text replaces that of a block: at the marker of its item if the text begins with a marker, at its checkbox if the
/// text begins with a checkbox, and otherwise behind both.
pub(super) fn replaced_start(document: &Document<'_>, block: &Block<'_>, new: &str) -> usize {
    let Some(item) = document.item_of(block) else { return block.content.start };
    let begins_with_marker = Document::parse(new)
        .is_ok_and(|new| new.items.first().is_some_and(|item| item.span.start == 0));
    match item.task {
        _ if begins_with_marker => item.span.start,
        Some(task) if parse_checkbox(new).is_some() => task.status_span.start - 1,
        _ => block.content.start,
    }
}
