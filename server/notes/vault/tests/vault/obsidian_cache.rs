//! Compares what Obsidian finds in notes, by dumps of its cache, with what the vault finds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toolwrit_requirement::skip;
use toolwrit_vault::document::{Document, Link, LinkKind};
use toolwrit_vault::frontmatter;

use crate::{Sandbox, never, path};

/// Dumps of notes that the vault reads differently on purpose, with the reasons.
const DIFFERENCES: [(&str, &str); 1] = [(
    "numbered_tasks_issue_3481",
    "in `- [ ] 1. text` Obsidian finds a second item behind the checkbox, and CommonMark does not",
)];

/// The folder with the dumps, which is not part of the project.
fn dumps() -> Option<PathBuf> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/obsidian-cache");
    if !folder.is_dir() {
        skip(&format!("there are no dumps of Obsidian's cache in {}", folder.display()));
        return None;
    }
    Some(folder)
}

fn read(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// Each note with a dump, by the name of the dump.
fn notes(folder: &Path) -> BTreeMap<String, Value> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let dumps = files.filter(|file| file.extension().is_some_and(|extension| extension == "json"));
    let named =
        dumps.map(|file| (file.file_stem().unwrap().to_str().unwrap().to_owned(), read(&file)));
    named.filter(|(_, dump)| dump.get("fileContents").is_some()).collect()
}

/// An element of a note: its line from 0, its kind and its text.
type Found = (usize, &'static str, String);

/// The elements that Obsidian found.
fn read_expected(dump: &Value) -> Vec<Found> {
    let cache = &dump["cachedMetadata"];
    let list = |key: &str| cache[key].as_array().cloned().unwrap_or_default();
    let row = |item: &Value| {
        usize::try_from(item["position"]["start"]["line"].as_u64().unwrap()).unwrap()
    };
    let text = |item: &Value, key: &str| item[key].as_str().unwrap().to_owned();
    let link = |item: &Value| format!("{} in {}", text(item, "link"), text(item, "original"));
    let mut found = Vec::new();
    found.extend(list("links").iter().map(|entry| (row(entry), "link", link(entry))));
    found.extend(list("embeds").iter().map(|entry| (row(entry), "embed", link(entry))));
    found.extend(list("frontmatterLinks").iter().map(|entry| (0, "property link", link(entry))));
    let heading = |entry: &Value| format!("{} {}", entry["level"], text(entry, "heading"));
    found.extend(list("headings").iter().map(|entry| (row(entry), "heading", heading(entry))));
    found.extend(list("tags").iter().map(|entry| (row(entry), "tag", text(entry, "tag"))));
    let boxes = list("listItems").into_iter().filter(|entry| entry.get("task").is_some());
    found.extend(boxes.map(|entry| (row(&entry), "task", text(&entry, "task"))));
    let parent = |entry: &Value| format!("in {}", entry["parent"]);
    found.extend(list("listItems").iter().map(|entry| (row(entry), "item", parent(entry))));
    let lists = list("sections").into_iter().filter(|section| section["type"] == "list");
    found.extend(lists.map(|section| (row(&section), "list", String::new())));
    let blocks = cache["blocks"].as_object().cloned().unwrap_or_default();
    found.extend(blocks.values().map(|entry| (row(entry), "block", text(entry, "id"))));
    let tags = dump["parseFrontMatterTags"].as_array().cloned().unwrap_or_default();
    found.extend(tags.iter().map(|tag| (0, "property tag", tag.as_str().unwrap().to_owned())));
    found.sort();
    found
}

/// The elements that the vault finds.
fn found(text: &str) -> Vec<Found> {
    let document = Document::parse(text).unwrap();
    let line = |offset: usize| text[..offset].matches('\n').count();
    let of_link = |link: &Link<'_>| {
        let (line, kind) = match link.kind {
            LinkKind::Property => (0, "property link"),
            LinkKind::Embed | LinkKind::Image => (line(link.span.start), "embed"),
            _ => (line(link.span.start), "link"),
        };
        let subpath = link.subpath.as_ref().map_or(String::new(), |subpath| format!("#{subpath}"));
        (line, kind, format!("{}{subpath} in {}", link.target, link.span.slice(text)))
    };
    let links = document.links.iter().filter(|link| !link.is_external());
    let mut found: Vec<Found> = links.map(of_link).collect();
    let headings = document.headings.iter();
    found.extend(headings.map(|heading| {
        (line(heading.span.start), "heading", format!("{} {}", heading.level, heading.text))
    }));
    found.extend(
        document.tags.iter().map(|tag| (line(tag.span.start), "tag", format!("#{}", tag.name))),
    );
    let tasks = document.items.iter().filter_map(|item| item.task);
    found.extend(tasks.map(|task| (line(task.status_span.start), "task", task.status.to_string())));
    // The parent of an item that is in no other is the first line of its list, negative, and -1 in place of 0.
    found.extend(document.items.iter().map(|item| {
        let parent = match item.parent {
            Some(parent) => line(document.items[parent].span.start).to_string(),
            None => format!("-{}", line(item.list).max(1)),
        };
        (line(item.span.start), "item", format!("in {parent}"))
    }));
    let lists: BTreeSet<usize> = document.items.iter().map(|item| line(item.list)).collect();
    let is_quoted = |row: &usize| text.lines().nth(*row).unwrap().trim_start().starts_with('>');
    let lists = lists.into_iter().filter(|row| !is_quoted(row));
    found.extend(lists.map(|row| (row, "list", String::new())));
    found.extend(
        document
            .blocks
            .iter()
            .map(|block| (line(block.content.start), "block", block.id.to_owned())),
    );
    let properties = frontmatter::read(text).unwrap_or_default();
    let tags = frontmatter::tags(&properties);
    found.extend(tags.iter().map(|tag| (0, "property tag", format!("#{tag}"))));
    found.sort();
    found
}

#[test]
fn the_elements_of_notes_agree_with_obsidian() {
    let Some(folder) = dumps() else { return };
    let mut wrong = Vec::new();
    for (name, dump) in notes(&folder) {
        let (found, expected) =
            (found(dump["fileContents"].as_str().unwrap()), read_expected(&dump));
        let differs = DIFFERENCES.iter().any(|(known, _)| *known == name);
        if (found != expected) != differs {
            let only = |these: &[Found], those: &[Found]| {
                these.iter().filter(|row| !those.contains(row)).cloned().collect::<Vec<_>>()
            };
            wrong.push((name, only(&found, &expected), only(&expected, &found)));
        }
    }
    assert!(wrong.is_empty(), "name, only here, only in Obsidian: {wrong:#?}");
}

#[test]
fn the_targets_of_links_agree_with_obsidian() {
    let Some(folder) = dumps() else { return };
    let resolved = read(&folder.join("resolvedLinks.json"));
    let unresolved = read(&folder.join("unresolvedLinks.json"));
    let sandbox = Sandbox::new();
    let (notes, resolved) = (notes(&folder), resolved.as_object().unwrap());
    let targets = resolved.values().flat_map(|links| links.as_object().unwrap().keys());
    for file in resolved.keys().chain(targets) {
        sandbox.put(file, "");
    }
    let mut sources = BTreeMap::new();
    for dump in notes.values() {
        let source = dump["filePath"].as_str().unwrap();
        sandbox.put(source, dump["fileContents"].as_str().unwrap());
        sources.insert(source.to_owned(), &resolved[source]);
    }
    for (source, links) in unresolved.as_object().unwrap() {
        if !sources.contains_key(source) {
            let links = links.as_object().unwrap().keys().map(|link| format!("[[{link}]]\n"));
            sandbox.put(source, links.collect::<String>());
        }
    }
    for (source, links) in &sources {
        let document = sandbox.bytes(source);
        let document = Document::parse(std::str::from_utf8(&document).unwrap()).unwrap();
        let count = |links: &Value| -> u64 {
            links.as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum()
        };
        let links = count(links) + count(&unresolved[source]);
        let internal = document.links.iter().filter(|link| !link.is_external());
        assert_eq!(u64::try_from(internal.count()).unwrap(), links, "{source}");
    }
    // Each target with the number of links to it, without links of a note to itself.
    for file in sandbox.files() {
        let found = sandbox.vault.backlinks(&path(&file), usize::MAX, &never).unwrap();
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for hit in found.links {
            *counts.entry(hit.path.to_string()).or_default() += 1;
        }
        let expected = sources.iter().filter(|(source, _)| **source != file);
        let expected = expected
            .filter_map(|(source, links)| Some((source.clone(), links.get(&file)?.as_u64()?)));
        assert_eq!(counts, expected.collect(), "{file}");
    }
}
