//! What a key or a name in a manifest means, and where it is declared.

use std::ops::Range;

use gen_lsp_types::{Hover, Location};
use toolwrit_manifest::editor::Reference;

use super::completion::declared_names;
use super::files::{Declared, Manifest, join_path};
use super::language::Language;
use crate::answers;
use crate::documents::Documents;
use crate::outline::{Entry, find_entry};
use crate::text::{Encoding, Lines};

/// What is said about the key or the name at an offset.
pub(crate) fn hover(
    language: &Language,
    manifest: &Manifest,
    is_root: bool,
    (text, lines, offset): (&str, &Lines<'_>, usize),
) -> Option<Hover> {
    let entry = find_entry(text, offset)?;
    let spots = language.schemas_at(is_root, &entry.path);
    let declared = manifest.declarations();
    if let Some((word, reference)) = find_name(language, is_root, text, &entry, offset)
        && let Some(found) = find_declaration(&declared, reference, text.get(word.clone())?)
    {
        let Declared { list, name, summary, .. } = found;
        let summary = summary.map(|summary| format!("\n\n{summary}")).unwrap_or_default();
        return Some(answers::hover(format!("`{name}` of `{list}`{summary}"), lines.range(&word)));
    }
    let about = spots.description()?;
    let name = text.get(entry.key.clone()).filter(|key| !key.is_empty());
    let head = name.map(|name| format!("`{name}`: {}\n\n", spots.kind())).unwrap_or_default();
    let range = if entry.key.is_empty() { &entry.value } else { &entry.key };
    Some(answers::hover(format!("{head}{about}"), lines.range(range)))
}

/// Where the name at an offset is declared.
pub(crate) fn define(
    language: &Language,
    manifest: &Manifest,
    documents: &Documents,
    (path, text, offset): (&str, &str, usize),
    encoding: Encoding,
) -> Option<Location> {
    let entry = find_entry(text, offset)?;
    let is_root = manifest.root() == path;
    let (word, reference) = find_name(language, is_root, text, &entry, offset)?;
    let name = text.get(word)?;
    if reference == Reference::File {
        let uri = documents.uri(&join_path(path, name)?)?;
        return Some(Location { uri, range: gen_lsp_types::Range::default() });
    }
    let declared = manifest.declarations();
    let found = find_declaration(&declared, reference, name)?;
    let lines = Lines::new(&found.file.text, encoding);
    let uri = documents.uri(&found.file.path)?;
    Some(Location { uri, range: lines.range(&found.entry.key) })
}

/// The name at an offset, and what it names.
fn find_name(
    language: &Language,
    is_root: bool,
    text: &str,
    entry: &Entry,
    offset: usize,
) -> Option<(Range<usize>, Reference)> {
    let is_within =
        |range: &Range<usize>| !range.is_empty() && (range.start..=range.end).contains(&offset);
    if is_within(&entry.key) {
        let (_, parent) = entry.path.split_last()?;
        let reference = language.schemas_at(is_root, parent).key_reference()?;
        return Some((entry.key.clone(), reference));
    }
    if !is_within(&entry.value) {
        return None;
    }
    let reference = language.schemas_at(is_root, &entry.path).reference()?;
    let word = match reference {
        Reference::Type => find_word(text, &entry.value, offset),
        _ => entry.value.clone(),
    };
    Some((word, reference))
}

fn find_word(text: &str, value: &Range<usize>, offset: usize) -> Range<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = text.get(value.start..offset).unwrap_or_default();
    let after = text.get(offset..value.end).unwrap_or_default();
    let start = value.start + before.trim_end_matches(is_word).len();
    start..value.end - after.trim_start_matches(is_word).len()
}

fn find_declaration<'d, 'm>(
    declared: &'d [Declared<'m>],
    reference: Reference,
    name: &str,
) -> Option<&'d Declared<'m>> {
    let name = name.strip_suffix(".*").unwrap_or(name);
    declared_names(declared, reference).find(|declared| declared.name == name)
}
