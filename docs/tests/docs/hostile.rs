//! Text of a manifest stays text, whatever it looks like.

use pulldown_cmark::{Event, Options, Parser, Tag};
use toolwrit_docs::build;

use crate::book::{Book, load_text};

/// What would be a tag, a link, a table cell, an include, a heading, a template or a script.
const HOSTILE: [&str; 9] = [
    "<b id=injected>bold</b>",
    "<script>injected()</script>",
    "<img src=x onerror=injected()>",
    "[link](javascript:injected)",
    "one | two | three",
    "{{#include ../../../../etc/hostname}} {{path}}",
    "# *head* _line_ ~~gone~~ `code` &amp; \\ {#injected}",
    "```` ''' \"quoted\" ${x} --- ... 1. - + >",
    "</script><script>injected()</script>'; injected(); '\\u003cb\\u003e",
];

/// A manifest whose every free text is hostile.
fn manifest(hostile: &str) -> String {
    // A JSON string is a YAML string too.
    let q = serde_json::Value::from(hostile);
    format!(
        "toolwrit: 1
server: {{ name: {q}, title: {q}, instructions: {q} }}
types:
  Path: {{ type: string, description: {q}, pattern: '.', example: {q} }}
categories:
  notes: {{ title: {q}, summary: {q}, keywords: [{q}] }}
focus:
  full: {{ summary: {q}, allow: ['*'] }}
roles:
  owner: {{ summary: {q}, allow: ['*'], persona: {q} }}
contexts:
  writing: {{ keywords: [{q}], include: [notes] }}
providers:
  index: {{ title: {q}, summary: {q} }}
operations:
  notes.read:
    summary: {q}
    description: {q}
    effect: read
    requires: index
    params:
      path: {{ type: Path, description: {q} }}
      other?: {{ type: string, default: {q}, description: {q}, example: {q} }}
      kind?: {{ enum: [{q}] }}
    aliases: [{{ name: old, set: {{ path: {q} }} }}]
    asks: [{q}]
    tags: [{q}]
    deprecated: {{ since: {q}, note: {q} }}
    examples: [{{ args: {{ path: {q} }}, note: {q} }}]
resources:
  inbox: {{ uri: 'notes://{{path}}', title: {q}, summary: {q}, mime_type: text/markdown }}
prompts:
  greet: {{ title: {q}, summary: {q}, arguments: {{ name: {q} }}, template: 'Hello {{{{name}}}} <b>' }}
"
    )
}

#[test]
fn hostile_text_is_shown_and_does_nothing() {
    for hostile in HOSTILE {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("site");
        build(&load_text(&manifest(hostile)), "1.2.3", None, &[], &out).unwrap();
        let book = Book::open(&out);

        let shown = hostile.split_whitespace().collect::<Vec<_>>().join(" ");
        let page = book.content("operations/notes/read.html");
        assert!(page.contains(&shown), "{hostile} in {page}");
        let made: Vec<String> = book
            .paths()
            .filter(|path| !is_the_guides(path))
            .flat_map(|path| book.injected(path))
            .collect();
        assert!(made.is_empty(), "{hostile}: {made:#?}");

        // Every row of every table has as many cells as its head.
        for path in book.paths().filter(|path| !is_the_guides(path)) {
            assert!(book.tables_are_even(path), "{hostile} in {path}");
        }
    }
}

#[test]
fn hostile_titles_do_not_leave_the_navigation() {
    for hostile in HOSTILE {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("site");
        build(&load_text(&manifest(hostile)), "1.2.3", None, &[], &out).unwrap();
        let book = Book::open(&out);
        let shown = hostile.split_whitespace().collect::<Vec<_>>().join(" ");
        let page = book.page("operations/notes/read.html");
        let titles = Book::texts(&page, "#pages a");
        assert!(titles.contains(&shown), "{hostile} in {titles:?}");
        assert!(Book::texts(&page, "a.brand").contains(&shown), "{hostile}");
    }
}

/// The Markdown of a page, read as `CommonMark`, has no more than the page: no HTML, and links to pages only.
#[test]
fn hostile_text_is_text_in_markdown_too() {
    for hostile in HOSTILE {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("site");
        build(&load_text(&manifest(hostile)), "1.2.3", None, &[], &out).unwrap();
        let book = Book::open(&out);
        for path in book.with_extension("md").filter(|path| !path.starts_with("guide/")) {
            let parser = Parser::new_ext(book.file(path), Options::ENABLE_TABLES);
            for event in parser {
                let is_foreign = match &event {
                    Event::Start(Tag::Link { dest_url, .. }) => dest_url.contains(':'),
                    Event::Html(_)
                    | Event::InlineHtml(_)
                    | Event::Start(Tag::Image { .. } | Tag::Emphasis | Tag::Strikethrough) => true,
                    _ => false,
                };
                assert!(!is_foreign, "{hostile} in {path}: {event:?}");
            }
        }
    }
}

/// Pages whose words are not from the manifest.
fn is_the_guides(path: &str) -> bool {
    path.starts_with("guide/") || path.starts_with("reference/errors/")
}
