//! Patches of a block with an id.

use super::join::{Passage, ends_with_blank_line, splice};
use super::section::{Section, check_headings};
use super::{Action, IfPresent, Patch, PatchContent, PatchError, PatchScope, item, table};
use crate::document::{Block, BlockKind, Document, ListItem, Span};
use crate::note::Newline;
use crate::target::{BlockId, TargetError};

pub(super) fn apply(
    text: &str,
    newline: Newline,
    id: &BlockId,
    patch: &Patch,
) -> Result<String, PatchError> {
    let document = Document::parse(text)?;
    let block = match id.find(&document) {
        Ok(block) => block,
        Err(TargetError::Missing { .. }) if patch.may_create() => {
            return create(&document, newline, id, &patch.action);
        }
        Err(error) => return Err(error.into()),
    };
    match (patch.scope, &patch.action) {
        (PatchScope::Marker, Action::Replace(PatchContent::Text(new))) => {
            rename(&document, block, new)
        }
        (PatchScope::Marker, Action::Delete) => Ok(splice(text, marker_span(block), "")),
        (PatchScope::MarkerAndContent, Action::Delete) => delete(text, newline, block),
        (PatchScope::MarkerAndContent, Action::Replace(PatchContent::Text(new))) => {
            let new = newline.apply(trim_body(new)?);
            let place = Span::new(item::replaced_start(&document, block, &new), block.marker.end);
            let new = prefix_lines(text, place.start, &new);
            check_headings(&document, place, splice(text, place, &new))
        }
        (PatchScope::Content, Action::Replace(PatchContent::Text(new)))
            if block.kind == BlockKind::Item =>
        {
            let new = newline.apply(trim_body(new)?);
            if patch.if_present == IfPresent::Reject && block.content.slice(text).contains(&*new) {
                return Err(PatchError::AlreadyPresent);
            }
            let place = Span::new(item::replaced_start(&document, block, &new), block.content.end);
            let new = prefix_lines(text, place.start, &new);
            let patched = splice(text, place, &new);
            check_id(&patched, id, &document, block, place.start, &new)?;
            Ok(patched)
        }
        (PatchScope::Content, Action::Delete) => Err(PatchError::Unsupported(
            "an id cannot stand without its block; delete both with the scope marker_and_content",
        )),
        (PatchScope::Content, action) => {
            let new = patch_content(text, newline, block, action, patch.if_present)?;
            let patched = splice(text, block.content, &new);
            check_id(&patched, id, &document, block, block.content.start, &new)?;
            Ok(patched)
        }
        (PatchScope::Marker | PatchScope::MarkerAndContent, _) => Err(PatchError::Unsupported(
            "text can only be added to the content of a block; its id can be replaced or deleted",
        )),
    }
}

/// The content of a block after an action.
fn patch_content(
    text: &str,
    newline: Newline,
    block: &Block<'_>,
    action: &Action,
    if_present: IfPresent,
) -> Result<String, PatchError> {
    let old = block.content.slice(text);
    let is_table = block.kind == BlockKind::Table;
    if let Some(content) = action.content().filter(|_| is_table)
        && let Some(rows) = table::parse_content(content)?
    {
        return table::patch_table(
            old,
            &line_prefix(text, block.content.start),
            newline,
            &rows,
            action,
            if_present,
        );
    }
    let given = match action.content() {
        Some(PatchContent::Text(given)) => newline.apply(given),
        _ => {
            return Err(PatchError::Unsupported(
                "this block is not a table; give text instead of rows",
            ));
        }
    };
    if if_present == IfPresent::Reject && old.contains(given.trim()) {
        return Err(PatchError::AlreadyPresent);
    }
    let replaces = matches!(action, Action::Replace(_));
    if !replaces && matches!(block.kind, BlockKind::Code | BlockKind::Other) {
        return Err(PatchError::Unsupported("this block can only be replaced"));
    }
    if is_table && !replaces {
        table::check_lines(old, &given)?;
    }
    let added = prefix_lines(text, block.content.start, trim_body(&given)?);
    let line = [newline.as_str(), &line_prefix(text, block.content.start)].concat();
    Ok(match action {
        // If either text has a space at the join, the text continues on the same line.
        Action::Append(_) if given.starts_with([' ', '\t']) && is_running(block) => {
            [old, &given[..given.len() - given.trim_start().len()], added.trim_start()].concat()
        }
        Action::Append(_) => [old, &line, &added].concat(),
        Action::Prepend(_) if given.ends_with([' ', '\t']) && is_running(block) => {
            [added.trim_end(), &given[given.trim_end().len()..], old].concat()
        }
        Action::Prepend(_) => [&added, line.as_str(), old].concat(),
        Action::Replace(_) | Action::Delete => added,
    })
}

/// A text without the blank lines at its ends.
fn trim_body(given: &str) -> Result<&str, PatchError> {
    let body = Passage::new(given).body;
    if body.is_empty() {
        Err(PatchError::Unsupported("the content is empty; give the text of the block"))
    } else {
        Ok(body)
    }
}

/// Whether a block is a paragraph, whose lines can be continued.
fn is_running(block: &Block<'_>) -> bool {
    matches!(block.kind, BlockKind::Paragraph | BlockKind::Item | BlockKind::Heading)
}

/// Lines with the prefix that the containers around a place require.
fn prefix_lines(text: &str, start: usize, lines: &str) -> String {
    let margin = line_prefix(text, start);
    lines.split_inclusive('\n').enumerate().fold(String::new(), |written, (index, line)| {
        let margin = if index == 0 || line.trim().is_empty() { "" } else { &margin };
        [&written, margin, line].concat()
    })
}

/// The prefix of a further line of what starts at a place: quote marks, and spaces for the rest.
fn line_prefix(text: &str, start: usize) -> String {
    let line = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let kept = |c: char| if c == '>' || c == '\t' { c } else { ' ' };
    text[line..start].chars().map(kept).collect()
}

/// Checks that after a patch the id still names all of the patched block: the new text from where it starts, behind the marker
/// and the checkbox if it has them.
fn check_id(
    patched: &str,
    id: &BlockId,
    old: &Document<'_>,
    block: &Block<'_>,
    start: usize,
    new: &str,
) -> Result<(), PatchError> {
    let document = Document::parse(patched)?;
    let is_named = id.find(&document).is_ok_and(|found| {
        let start_of = |item: &ListItem| item.span.start;
        let (is_item, now) =
            (old.item_of(block).map(start_of), document.item_of(found).map(start_of));
        let begins_there = if is_item.is_some() {
            is_item == now && found.content.start >= start
        } else {
            found.content.start == start
        };
        begins_there && found.content.end == start + new.trim_end().len()
    });
    if is_named {
        Ok(())
    } else {
        Err(PatchError::Unsupported("with that text, the id would name a different block"))
    }
}

/// Adds a block with an id at the end of the note.
fn create(
    document: &Document<'_>,
    newline: Newline,
    id: &BlockId,
    action: &Action,
) -> Result<String, PatchError> {
    let Some(PatchContent::Text(given)) = action.content() else {
        return Err(PatchError::Unsupported("a new block must be created from text"));
    };
    let added = newline.apply(&format!("{}\n\n^{id}", trim_body(given)?));
    let section = Section { text: document.text, newline, place: document.body };
    let created = section.append(&added, true);
    match id.find(&Document::parse(&created)?) {
        Ok(_) => Ok(created),
        Err(_) => {
            Err(PatchError::Unsupported("that text is not a single block that can have an id"))
        }
    }
}

fn rename(document: &Document<'_>, block: &Block<'_>, new: &str) -> Result<String, PatchError> {
    let new = BlockId::parse(new)?;
    let taken = document.blocks.iter().any(|other| other.id == new.as_str() && other != block);
    if taken {
        return Err(PatchError::Unsupported("another block already has that id"));
    }
    Ok(splice(document.text, block.marker, &format!("^{new}")))
}

/// An id with the space before it.
fn marker_span(block: &Block<'_>) -> Span {
    Span::new(block.content.end, block.marker.end)
}

/// Removes the lines of a block and its id, and one of two blank lines that would become adjacent.
fn delete(text: &str, newline: Newline, block: &Block<'_>) -> Result<String, PatchError> {
    let start = text[..block.content.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[block.marker.end..].find('\n');
    let end = end.map_or(text.len(), |length| block.marker.end + length + 1);
    if block.kind == BlockKind::Item && has_nested(text, block, start, end) {
        return Err(PatchError::Unsupported(
            "other items are nested in this one; delete or move them first",
        ));
    }
    let (before, after) = (&text[..start], &text[end..]);
    if after.trim().is_empty() {
        let before = before.trim_end_matches(['\r', '\n']);
        let ended = text.ends_with('\n') && !before.is_empty();
        return Ok([before, if ended { newline.as_str() } else { "" }].concat());
    }
    let blank = Passage::new(after).before.len();
    Ok([before, if ends_with_blank_line(before) { &after[blank..] } else { after }].concat())
}

/// Whether the lines after an item are indented deeper than its mark.
fn has_nested(text: &str, block: &Block<'_>, start: usize, end: usize) -> bool {
    let depth = |line: &str| line.len() - line.trim_start_matches([' ', '\t', '>']).len();
    let next = text[end..].lines().find(|line| !line.trim().is_empty());
    next.is_some_and(|next| depth(next) > depth(&text[start..block.content.start]))
}
