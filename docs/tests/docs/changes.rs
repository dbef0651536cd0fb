//! The page of what changed since an older manifest.

use toolwrit_docs::build;

use crate::book::{Book, load_text, shipped};

const OLDER: &str = "toolwrit: 1
server: { name: small }
focus: { full: { allow: ['*'] } }
roles:
  owner: { allow: ['*'] }
  reader: { allow: [{ effect: read }] }
categories:
  notes: { summary: Keep notes. }
operations:
  notes.list:
    summary: List the notes.
    effect: read
    params: { folder?: string, order?: { enum: [name, time] } }
    returns: { fields: { names: string, total: integer } }
  notes.put: { summary: Write a note., effect: write, params: { path: string } }
  notes.burn: { summary: Burn a note., effect: destroy, confirm: true, params: { path: string } }
";

const NEWER: &str = "toolwrit: 1
server: { name: small }
focus: { full: { allow: ['*'] } }
roles:
  owner: { allow: ['*'] }
  reader: { allow: [{ effect: read }], deny: [notes.list] }
  guest: { allow: [notes.list] }
categories:
  notes: { summary: Keep notes. }
operations:
  notes.list:
    summary: List the notes.
    effect: read
    params: { folder: string, order?: { enum: [name, size] } }
    returns: { fields: { names: string } }
  notes.write: { summary: Write a note., effect: write, params: { path: string, text?: string }, aliases: [notes_put] }
  notes.count: { summary: Count the notes., effect: read }
";

fn changes(older: &str, newer: &str) -> Book {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    build(&load_text(newer), "1.2.3", Some(&load_text(older)), &[], folder.path())
        .unwrap_or_else(|error| panic!("{error}"));
    Book::open(folder.path())
}

#[test]
fn what_callers_notice_is_on_the_page() {
    let book = changes(OLDER, NEWER);
    let page = book.content("reference/changes.html");
    for words in [
        "notes.burn may break calls",
        "notes.put is now notes.write",
        "notes.count",
        "The parameter folder is now required. may break calls",
        "The parameter order no longer has the value time. may break calls",
        "The parameter order has the new value size.",
        "The field total of its result is gone. may break calls",
        "The role reader no longer allows it. may break calls",
        "The parameter text is new.",
        "guest is new.",
    ] {
        assert!(page.contains(words), "{words} in {page}");
    }
    assert!(!page.contains("The parameter path"), "{page}");
    assert!(book.broken_links().is_empty());
}

#[test]
fn the_same_manifest_has_no_changes() {
    let book = changes(NEWER, NEWER);
    assert!(book.content("reference/changes.html").contains("Nothing that callers notice."));
}

#[test]
fn a_site_without_an_older_manifest_has_no_such_page() {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    build(&shipped(), "1.2.3", None, &[], folder.path()).unwrap_or_else(|error| panic!("{error}"));
    assert!(!folder.path().join("reference/changes.html").exists());
}
