//! A site for a server, and what it has beyond one in a folder.
#![allow(missing_docs, reason = "a test binary has no public items")]

mod book;

use std::collections::BTreeSet;

use book::{SMALL, costs, has_extension, load_text, shipped};
use scraper::{Html, Selector};
use toolwrit_docs::{ServedSite, address, build, serve};
use toolwrit_manifest::View;

fn text<'a>(site: &'a ServedSite, path: &str) -> &'a str {
    let bytes = site.files.get(path).unwrap_or_else(|| panic!("no {path}"));
    std::str::from_utf8(bytes).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The text of the one file whose name has a hash in it.
fn hashed<'a>(site: &'a ServedSite, start: &str) -> Option<&'a str> {
    let path = site.files.keys().find(|path| path.starts_with(start) && has_extension(path, "js"));
    path.map(|path| text(site, path))
}

#[test]
fn it_has_the_pages_of_a_folder() {
    let served = serve(&shipped(), &costs(), &[]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    build(&shipped(), &costs(), folder.path()).unwrap();
    let pages = |paths: Vec<&String>| -> BTreeSet<String> {
        paths.into_iter().filter(|path| has_extension(path, "html")).cloned().collect()
    };
    let mut built = pages(book::files(folder.path()).keys().collect());
    assert!(built.remove("404.html"), "the server answers wrong addresses itself");
    assert_eq!(pages(served.files.keys().collect()), built);
    assert!(served.files.keys().all(|path| !path.contains("/.") && !path.starts_with('.')));
}

#[test]
fn no_page_has_a_script_that_is_not_listed() {
    let hostile = SMALL.replace("Keep notes.", "</script><script>injected()</script>");
    for authority in [shipped(), load_text(&hostile)] {
        let site = serve(&authority, &[], &[]).unwrap();
        assert!(!site.scripts.is_empty());
        let script = Selector::parse("script:not([src])").unwrap();
        for path in site.files.keys().filter(|path| has_extension(path, "html")) {
            for found in Html::parse_document(text(&site, path)).select(&script) {
                let found: String = found.text().collect();
                assert!(site.scripts.contains(&found), "{path}: {found}");
            }
        }
    }
}

#[test]
fn its_search_field_asks_the_server_for_operations() {
    let served = serve(&shipped(), &[], &[]).unwrap();
    assert!(text(&served, "operations/vault.html").contains("theme/search-"));
    assert!(hashed(&served, "theme/search-").is_some());
    let index = hashed(&served, "searchindex-").unwrap();
    assert!(index.contains("guide/policy.html"));
    assert!(!index.contains(&address("vault")), "mdBook finds operations too");

    let folder = tempfile::tempdir().unwrap();
    build(&shipped(), &[], folder.path()).unwrap();
    let files = book::files(folder.path());
    assert!(!files.keys().any(|path| path.starts_with("theme/search")));
    let index = files.iter().find(|(path, _)| path.starts_with("searchindex-")).unwrap().1;
    assert!(String::from_utf8_lossy(index).contains(&address("vault")));
}

#[test]
fn one_who_may_see_nothing_gets_a_site_too() {
    let shipped = shipped();
    let view = View { operations: BTreeSet::new(), focus: "full", role: Some("reader") };
    let site = serve(&shipped.narrowed(&view), &[], &[]).unwrap();
    assert!(!site.files.keys().any(|path| path.starts_with("operations/")));
    assert!(text(&site, "reference/policy.html").contains("reader"));
    assert!(!text(&site, "reference/policy.html").contains("owner"));
}
