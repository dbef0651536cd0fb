//! Completes keys, values and names in manifests.

use std::ops::Range;

use gen_lsp_types::{CompletionItem, CompletionItemKind};
use toolwrit_manifest::editor::Reference;

use super::files::{Declared, Manifest};
use super::language::{Language, Spots};
use crate::answers::{documentation, key_edit, new_choice, value_edit};
use crate::outline::{Step, Typing, entries, find_cursor};
use crate::schema::Spot;
use crate::text::Lines;

/// What can be typed at an offset of a file of a manifest.
pub(crate) fn complete(
    language: &Language,
    manifest: &Manifest,
    is_root: bool,
    (text, lines, offset): (&str, &Lines<'_>, usize),
) -> Vec<CompletionItem> {
    let Some(cursor) = find_cursor(text, offset) else { return Vec::new() };
    let spots = language.schemas_at(is_root, &cursor.path);
    let mut items = Vec::new();
    if cursor.typing == Typing::Start {
        let present = present_keys(text, &cursor.path, &cursor.typed);
        let place = (text, lines, &cursor.typed);
        items.extend(complete_keys(&spots, &present, place));
        items.extend(complete_names(&spots, manifest, &present, place));
    }
    let is_scalar =
        cursor.typing == Typing::Value || matches!(cursor.path.last(), Some(Step::Item(_)));
    if is_scalar {
        items.extend(complete_values(&spots, manifest, (text, lines, &cursor.typed)));
    }
    items
}

/// The keys that a collection has already, without the one that is being typed.
fn present_keys<'t>(text: &'t str, path: &[Step], typed: &Range<usize>) -> Vec<&'t str> {
    let is_sibling = |entry: &[Step]| matches!(entry.split_last(), Some((Step::Key(_), parent)) if parent == path);
    let entries = entries(text).into_iter();
    let siblings =
        entries.filter(|entry| is_sibling(&entry.path) && entry.key.start != typed.start);
    siblings.filter_map(|entry| text.get(entry.key)).collect()
}

fn complete_keys(
    spots: &Spots<'_>,
    present: &[&str],
    (text, lines, typed): (&str, &Lines<'_>, &Range<usize>),
) -> Vec<CompletionItem> {
    let keys = spots.keys().into_iter().filter(|key| !present.contains(&key.name));
    let item = |key: crate::schema::Key<'_>| {
        let spot = Spot::root(key.schema);
        let order = if key.is_required { '0' } else { '1' };
        CompletionItem {
            detail: Some(spot.kind(spots.definitions())),
            documentation: documentation(spot.description().unwrap_or_default().replace('\n', " ")),
            sort_text: Some(format!("{order}{}", key.name)),
            ..new_choice(
                key.name,
                CompletionItemKind::Property,
                key_edit(lines, text, typed, key.name),
            )
        }
    };
    keys.map(item).collect()
}

/// The names that are keys of the mapping.
fn complete_names(
    spots: &Spots<'_>,
    manifest: &Manifest,
    present: &[&str],
    (text, lines, typed): (&str, &Lines<'_>, &Range<usize>),
) -> Vec<CompletionItem> {
    let Some(reference) = spots.key_reference() else { return Vec::new() };
    let declared = manifest.declarations();
    let names = declared_names(&declared, reference);
    let names = names.filter(|declared| !present.contains(&declared.name.as_str()));
    let item = |Declared { name, summary, .. }: &Declared<'_>| CompletionItem {
        detail: summary.map(str::to_owned),
        ..new_choice(name, CompletionItemKind::Reference, key_edit(lines, text, typed, name))
    };
    names.map(item).collect()
}

fn complete_values(
    spots: &Spots<'_>,
    manifest: &Manifest,
    (text, lines, typed): (&str, &Lines<'_>, &Range<usize>),
) -> Vec<CompletionItem> {
    let reference = spots.reference();
    let typed = match reference {
        Some(Reference::Type) => find_last_word(text, typed),
        _ => typed.clone(),
    };
    let item = |label: &str, kind| new_choice(label, kind, value_edit(lines, text, &typed, label));
    let written = spots.values().into_iter();
    let mut items: Vec<CompletionItem> =
        written.map(|value| item(&value, CompletionItemKind::EnumMember)).collect();
    let Some(reference) = reference else { return items };
    items.extend(reference.known().iter().map(|name| item(name, CompletionItemKind::Keyword)));
    for Declared { name, summary, .. } in declared_names(&manifest.declarations(), reference) {
        let detail = summary.map(|summary| (*summary).to_owned());
        items.push(CompletionItem { detail, ..item(name, CompletionItemKind::Reference) });
    }
    if reference == Reference::Selector {
        items.push(item("\"*\"", CompletionItemKind::Keyword));
    }
    items
}

/// The declared names that a reference may have.
pub(super) fn declared_names<'d, 'm>(
    declared: &'d [Declared<'m>],
    reference: Reference,
) -> impl Iterator<Item = &'d Declared<'m>> {
    declared.iter().filter(move |declared| {
        reference.list() == Some(&declared.list)
            || (reference == Reference::Selector && declared.list == "categories")
    })
}

/// The word at the end of a type expression.
fn find_last_word(text: &str, typed: &Range<usize>) -> Range<usize> {
    let written = text.get(typed.clone()).unwrap_or_default();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    typed.start + written.trim_end_matches(is_word).len()..typed.end
}
