//! A site for a server, and what it has beyond one in a folder.

use std::collections::{BTreeMap, BTreeSet};

use scraper::{Html, Selector};
use toolwrit_docs::{ProviderOperations, WithheldOperation, build, operation_address, serve};
use toolwrit_manifest::View;

use crate::book::{self, SMALL, costs, has_extension, load_text, shipped};

type Files = BTreeMap<String, Vec<u8>>;

fn text<'a>(site: &'a Files, path: &str) -> &'a str {
    let bytes = site.get(path).unwrap_or_else(|| panic!("no {path}"));
    std::str::from_utf8(bytes).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn it_has_the_pages_of_a_folder() {
    let served = serve(&shipped(), "1.2.3", &costs(), &ProviderOperations::default());
    let folder = tempfile::tempdir().unwrap();
    build(&shipped(), "1.2.3", None, &costs(), folder.path()).unwrap();
    let mut built: BTreeSet<String> = book::files(folder.path()).into_keys().collect();
    assert!(built.remove(".toolwrit-site"));
    // A server answers for itself.
    assert!(built.remove("404.html"));
    assert_eq!(served.into_keys().collect::<BTreeSet<_>>(), built);
}

/// A strict policy of the server's forbids all of them.
#[test]
fn no_page_has_a_script_or_a_style_of_its_own() {
    let hostile = SMALL.replace("Keep notes.", "</script><script>injected()</script>");
    for authority in [shipped(), load_text(&hostile)] {
        let site = serve(&authority, "1.2.3", &costs(), &ProviderOperations::default());
        let forbidden =
            Selector::parse("script:not([src]), style, [style], [onclick], [onload]").unwrap();
        for path in site.keys().filter(|path| has_extension(path, "html")) {
            let page = Html::parse_document(text(&site, path));
            assert_eq!(page.select(&forbidden).count(), 0, "{path}");
        }
    }
}

#[test]
fn its_search_field_asks_the_server_for_operations() {
    let is_told = |page: &str| page.contains("data-served");
    let page = operation_address("vault.read");
    let served = serve(&shipped(), "1.2.3", &[], &ProviderOperations::default());
    assert!(is_told(text(&served, &page)));
    let index = text(&served, "search-index.js");
    assert!(index.contains("guide/policy.html"));
    assert!(!index.contains(&page), "the index finds operations too");

    let folder = tempfile::tempdir().unwrap();
    build(&shipped(), "1.2.3", None, &[], folder.path()).unwrap();
    let files = book::files(folder.path());
    assert!(!is_told(text(&files, &page)));
    assert!(text(&files, "search-index.js").contains(&page));
}

#[test]
fn operations_whose_provider_is_away_are_named() {
    let withheld = WithheldOperation {
        id: "active.show".to_owned(),
        summary: "Show a note.".to_owned(),
        provider: "Obsidian".to_owned(),
    };
    let now = ProviderOperations { withheld: vec![withheld], ..ProviderOperations::default() };
    let site = serve(&shipped(), "1.2.3", &[], &now);
    let page = text(&site, "reference/unavailable.html");
    assert!(page.contains("active.show") && page.contains("Obsidian"), "{page}");
}

#[test]
fn one_who_may_see_nothing_gets_a_site_too() {
    let shipped = shipped();
    let view = View { operations: BTreeSet::new(), focus: "full", role: Some("reader") };
    let site = serve(&shipped.narrowed(&view), "1.2.3", &[], &ProviderOperations::default());
    assert!(!site.keys().any(|path| path.starts_with("operations/")));
    assert!(text(&site, "reference/policy.html").contains("reader"));
    assert!(!text(&site, "reference/policy.html").contains("owner"));
}
