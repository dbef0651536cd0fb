//! Completes the operation of a block, by meaning, and its parameters.

use std::ops::Range;

use gen_lsp_types::{CompletionItem, CompletionItemKind};
use serde_json::Value;
use toolwrit_core::authority::Operation;
use toolwrit_mcp::endpoint::SearchQuery;

use super::{Block, Notes, hover, is_tool, parameters};
use crate::answers::{documentation, key_edit, new_choice, value_edit};
use crate::outline::{Cursor, Step, Typing, entries, find_cursor};
use crate::schema::{Key, Spot};
use crate::text::Lines;

/// Operations that are offered, at most.
const MOST: usize = 50;
/// Closes a fence that is still open.
const END: &str = "\n``````````\n";

/// A note, and what is being typed in it.
#[derive(Clone, Copy)]
struct NoteText<'t> {
    text: &'t str,
    lines: &'t Lines<'t>,
}

impl Notes {
    /// What can be typed at an offset of a note.
    pub(crate) fn complete(
        &self,
        text: &str,
        lines: &Lines<'_>,
        offset: usize,
    ) -> Vec<CompletionItem> {
        if let Some(items) = self.complete_in_block(text, text, lines, offset) {
            return items;
        }
        // A fence that is not closed yet, as if it ended after this line.
        let line = lines.line(lines.position(offset).line as usize);
        let closed = format!("{}{END}", text.get(..line.end).unwrap_or_default());
        self.complete_in_block(&closed, text, lines, offset).unwrap_or_default()
    }

    fn complete_in_block(
        &self,
        parsed: &str,
        text: &str,
        lines: &Lines<'_>,
        offset: usize,
    ) -> Option<Vec<CompletionItem>> {
        let blocks = self.blocks(parsed);
        let block = blocks.iter().find(|block| block.is_at(offset))?;
        let note = NoteText { text, lines };
        let cursor = find_cursor(block.yaml, offset - block.fence.body.start)?;
        let typed = block.range_in_note(&cursor.typed);
        if cursor.typing == Typing::Value && is_tool(&cursor.path) {
            let category = block.fence.category.as_deref();
            return Some(self.complete_operations(note, &typed, category));
        }
        let operation = self.find_operation(block);
        let schema = operation.map(parameters).unwrap_or_default();
        let mut items = Vec::new();
        if cursor.typing == Typing::Start {
            items.extend(complete_keys(&schema, operation, block, &cursor, (note, &typed)));
        }
        if cursor.typing == Typing::Value || matches!(cursor.path.last(), Some(Step::Item(_))) {
            items.extend(complete_values(&schema, operation, &cursor.path, (note, &typed)));
        }
        Some(items)
    }

    /// The operations of the fence's category whose names begin as typed, then those whose ids do, then those that mean it,
    /// best first.
    fn find_operations(&self, query: &str, category: Option<&str>) -> Vec<&Operation> {
        let visible = || self.endpoint.policy.visible().map(|(_, operation)| operation);
        let is_within = |operation: &&Operation| {
            name_within(operation, category).is_some_and(|name| name.starts_with(query))
        };
        let mut found: Vec<&Operation> = visible().filter(is_within).collect();
        let begins = visible().filter(|operation| operation.id.starts_with(query));
        let others: Vec<&Operation> =
            begins.filter(|other| found.iter().all(|known| known.id != other.id)).collect();
        found.extend(others);
        // A query that is too long finds nothing.
        let meant = self.endpoint.find(SearchQuery { query: Some(query), category: None });
        for matched in meant.map(|meant| meant.found).unwrap_or_default() {
            if found.iter().all(|operation| operation.id != matched.operation.id) {
                found.push(matched.operation);
            }
        }
        found
    }

    /// The operations that are offered for what was typed.
    fn complete_operations(
        &self,
        note: NoteText<'_>,
        typed: &Range<usize>,
        category: Option<&str>,
    ) -> Vec<CompletionItem> {
        let query = note.text.get(typed.clone()).unwrap_or_default();
        let line = note.lines.line(note.lines.position(typed.end).line as usize);
        let whole = typed.start..line.end.max(typed.end);
        let item = |(rank, operation): (usize, &Operation)| {
            let name = name_within(operation, category).unwrap_or(&operation.id);
            CompletionItem {
                detail: Some(format!("{}: {}", operation.effect.as_str(), operation.summary)),
                documentation: documentation(hover::describe_operation(operation)),
                sort_text: Some(format!("{rank:03}")),
                // The client must not drop what was found by its meaning.
                filter_text: Some(format!("{query} {}", operation.id).trim().to_owned()),
                ..new_choice(
                    name,
                    CompletionItemKind::Function,
                    value_edit(note.lines, note.text, &whole, name),
                )
            }
        };
        self.find_operations(query, category).into_iter().take(MOST).enumerate().map(item).collect()
    }
}

/// The name of an operation within the category of a fence, if it is one of it.
fn name_within<'o>(operation: &'o Operation, category: Option<&str>) -> Option<&'o str> {
    operation.id.strip_prefix(category?)?.strip_prefix('.')
}

impl Block<'_> {
    pub(super) fn is_at(&self, offset: usize) -> bool {
        (self.fence.body.start..=self.fence.body.end).contains(&offset)
    }
}

/// The keys that a block or one of its mappings may have, and does not have yet.
fn complete_keys(
    schema: &Value,
    operation: Option<&Operation>,
    block: &Block<'_>,
    cursor: &Cursor,
    (note, typed): (NoteText<'_>, &Range<usize>),
) -> Vec<CompletionItem> {
    let is_sibling =
        |path: &[Step]| path.split_last().is_some_and(|(_, parent)| parent == cursor.path);
    let entries = entries(block.yaml);
    let siblings = entries
        .iter()
        .filter(|entry| is_sibling(&entry.path) && entry.key.start != cursor.typed.start);
    let present: Vec<&str> =
        siblings.filter_map(|entry| block.yaml.get(entry.key.clone())).collect();
    let edit = |name: &str| key_edit(note.lines, note.text, typed, name);
    let item = |key: Key<'_>| {
        let order = if key.is_required { '1' } else { '2' };
        let about =
            hover::describe_parameter(operation, &cursor.path, key.name, Spot::root(key.schema));
        CompletionItem {
            detail: Some(hover::describe_kind(key.schema, key.is_required)),
            documentation: documentation(about),
            sort_text: Some(format!("{order}{}", key.name)),
            ..new_choice(key.name, CompletionItemKind::Property, edit(key.name))
        }
    };
    let spots = Spot::root(schema).descend(&Value::Null, &cursor.path);
    let keys = spots.into_iter().flat_map(|spot| spot.keys(&Value::Null));
    let mut items: Vec<CompletionItem> =
        keys.filter(|key| !present.contains(&key.name)).map(item).collect();
    if cursor.path.is_empty() && !present.contains(&"tool") {
        items.push(CompletionItem {
            detail: Some("the operation to call".to_owned()),
            sort_text: Some("0tool".to_owned()),
            ..new_choice("tool", CompletionItemKind::Property, edit("tool"))
        });
    }
    items
}

fn complete_values(
    schema: &Value,
    operation: Option<&Operation>,
    path: &[Step],
    (note, typed): (NoteText<'_>, &Range<usize>),
) -> Vec<CompletionItem> {
    let spots = Spot::root(schema).descend(&Value::Null, path);
    let values = spots.into_iter().flat_map(|spot| spot.values(&Value::Null));
    let item = |value: String| CompletionItem {
        detail: hover::describe_value(operation, path, &value).map(str::to_owned),
        ..new_choice(
            &value,
            CompletionItemKind::EnumMember,
            value_edit(note.lines, note.text, typed, &value),
        )
    };
    values.map(item).collect()
}
