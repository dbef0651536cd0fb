//! The shipped authority's site, read back as a browser would.
#![allow(missing_docs, reason = "a test binary has no public items")]

mod book;

use std::fs;
use std::path::Path;

use book::{Book, build_shipped, costs, load_text, shipped};
use toolwrit_docs::{DocsError, build};
use toolwrit_manifest::policy::{focus_allows, role_allows};
use toolwrit_manifest::signature::signature;
use toolwrit_manifest::{Operation, Served};

#[test]
fn every_operation_has_an_entry_with_its_signature_aliases_and_examples() {
    let (book, authority) = build_shipped();
    let is_tool = |operation: &&Operation| operation.served == Served::Tool;
    assert!(authority.operations.iter().any(|operation| is_tool(&operation)));
    for operation in authority.operations.iter().filter(is_tool) {
        let page = format!("operations/{}.html", authority[operation.category].name);
        let entry = book.entry(&page, &operation.id);
        assert!(entry.contains(&operation.summary), "{}", operation.id);
        assert!(entry.contains(&signature(&authority, operation)), "{}", operation.id);
        assert!(entry.contains(operation.effect.as_str()), "{}", operation.id);
        for alias in &operation.aliases {
            assert!(entry.contains(&alias.name), "{} in {}", alias.name, operation.id);
        }
        for ask in &operation.asks {
            assert!(entry.contains(ask), "`{ask}` in {}", operation.id);
        }
        for field in authority.inputs(operation) {
            assert!(entry.contains(&field.name), "{} in {}", field.name, operation.id);
        }
        for example in &operation.examples {
            let json = serde_json::to_string_pretty(&example.args).unwrap();
            assert!(entry.contains(&json), "{json} in {}", operation.id);
        }
    }
}

#[test]
fn cookbooks_are_shown_with_the_operations_that_they_use() {
    let (book, authority) = build_shipped();
    let page = book.page("reference/prompts.html").root_element().text().collect::<String>();
    assert!(!authority.cookbooks.is_empty());
    for cookbook in &authority.cookbooks {
        assert!(page.contains(&cookbook.summary), "{}", cookbook.name);
        for id in &cookbook.operations {
            assert!(page.contains(&authority[*id].id), "{}", cookbook.name);
        }
    }
}

#[test]
fn examples_are_shown_as_commands_too() {
    let (book, _) = build_shipped();
    let entry = book.entry("operations/vault.html", "vault.read");
    assert!(entry.contains("toolwrit call vault.read --path Inbox.md"), "{entry}");
    // Text of several lines is no flag.
    let entry = book.entry("operations/vault.html", "vault.write");
    assert!(entry.contains("toolwrit call vault.write --args '{"), "{entry}");
}

#[test]
fn the_matrix_says_what_the_policy_says() {
    let (book, authority) = build_shipped();
    let page = book.page("reference/policy.html");
    let rows = Book::table(&page, ".matrix.wide tbody tr");
    let mut seen = 0;
    for row in rows.iter().filter(|row| row.len() > 1) {
        let (first, cells) = row.split_first().unwrap();
        let id = first.split_whitespace().next().unwrap();
        let operation = authority.operation_ids().find(|at| authority[*at].id == id).unwrap();
        let expected: Vec<&str> = authority
            .focus_ids()
            .flat_map(|focus| authority.role_ids().map(move |role| (focus, role)))
            .map(|(focus, role)| {
                let allowed = focus_allows(&authority, focus, operation)
                    && role_allows(&authority, role, operation);
                if allowed { "yes" } else { "no" }
            })
            .collect();
        assert_eq!(cells, expected, "{id}");
        seen += 1;
    }
    assert_eq!(seen, authority.operations.len());
}

#[test]
fn an_entry_says_who_may_call_it() {
    let (book, _) = build_shipped();
    let read = book.entry("operations/vault.html", "vault.read");
    assert!(read.contains("Every role, in every focus mode."), "{read}");
    let page = book.page("operations/vault.html");
    let delete: Vec<Vec<String>> = Book::table(&page, ".matrix tbody tr")
        .into_iter()
        .filter(|row| row[0] == "owner")
        .collect();
    assert!(delete.contains(&["owner", "yes", "no", "no"].map(str::to_owned).to_vec()));
}

#[test]
fn surfaces_show_their_cost_against_flat() {
    let (book, _) = build_shipped();
    let rows = Book::table(&book.page("reference/surfaces.html"), ".costs tbody tr");
    let expected = [
        ["full", "flat", "–", "9", "19,432", "4,120", "–"],
        ["full", "dispatch", "effect", "4", "2,900", "812", "80.2%"],
        ["full", "meta", "none", "5", "1,700", "400", "90.2%"],
    ];
    for row in expected {
        assert!(rows.contains(&row.map(str::to_owned).to_vec()), "{row:?} in {rows:?}");
    }
}

#[test]
fn all_links_inside_the_site_resolve() {
    let (book, _) = build_shipped();
    let broken = book.broken_links();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn nothing_is_fetched_from_elsewhere() {
    let (book, _) = build_shipped();
    let loaded = book.loaded_from_elsewhere();
    assert!(loaded.is_empty(), "{loaded:#?}");
}

#[test]
fn pages_and_index_are_counted_and_there() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("deep/site");
    let site = build(&shipped(), &costs(), &out).unwrap();
    assert_eq!(site.index, out.join("index.html"));
    let book = Book::open(&out);
    // mdBook adds a page for wrong addresses and one for the navigation.
    assert_eq!(site.pages, book.paths().filter(|path| !is_mdbooks_own(path)).count());
    assert!(book.page("index.html").html().contains("Markdown vault"));
}

#[test]
fn every_page_of_the_guide_is_in_the_book() {
    let (book, _) = build_shipped();
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/guide");
    let mut written = 0;
    for path in book::files(&guide).keys() {
        let page = format!("guide/{}", path.replace(".md", ".html"));
        assert!(book.paths().any(|path| path == page), "{page}: name it in src/guide.rs");
        written += 1;
    }
    assert!(written >= 8);
}

/// The codes of failures stand in the engine, which this crate must not know.
#[test]
fn the_guide_explains_every_code_of_the_design() {
    let (book, _) = build_shipped();
    let page = book.page("guide/errors.html");
    let headings = Book::headings(&page);
    for code in [
        "TOOL_NOT_FOUND",
        "VALIDATION_ERROR",
        "WRITES_DISABLED",
        "FOCUS_RESTRICTED",
        "PROVIDER_UNAVAILABLE",
        "CONFIRMATION_REQUIRED",
        "NOT_FOUND",
        "ALREADY_EXISTS",
        "CONFLICT",
        "INVALID_PATH",
        "TIMEOUT",
        "CANCELLED",
        "LIMIT_EXCEEDED",
        "RESULT_TOO_LARGE",
        "UPSTREAM_ERROR",
        "UPSTREAM_FORBIDDEN",
        "INTERNAL",
    ] {
        assert!(headings.iter().any(|heading| heading == code), "{code}");
    }
}

/// YAML that the guide shows is the language as it is checked.
#[test]
fn the_manifests_of_the_guide_load() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/guide");
    let mut loaded = 0;
    for text in book::files(&guide).into_values() {
        let text = String::from_utf8(text).unwrap();
        for block in text.split("```yaml\n").skip(1) {
            let yaml = block.split("```").next().unwrap();
            if yaml.contains("toolwrit: 1") && yaml.contains("operations:") {
                assert!(load_text(yaml).warnings().is_empty());
                loaded += 1;
            }
        }
    }
    assert_eq!(loaded, 5);
}

fn is_mdbooks_own(path: &str) -> bool {
    ["404.html", "toc.html"].contains(&path)
}

#[test]
fn the_same_authority_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| {
        let out = folder.path().join(name);
        build(&shipped(), &costs(), &out).unwrap();
        book::files(&out)
    });
    assert!(first.len() > 10);
    assert!(first == second, "two builds differ");
}

#[test]
fn building_again_replaces_the_site_and_leaves_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("site");
    build(&shipped(), &costs(), &out).unwrap();
    fs::write(out.join("stale.html"), "old").unwrap();
    build(&load_text(book::SMALL), &[], &out).unwrap();
    assert!(!out.join("stale.html").exists());
    assert!(!out.join("operations/vault.html").exists());
    assert!(out.join("operations/notes.html").exists());
    let left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["site"]);
}

#[test]
fn an_empty_folder_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    build(&load_text(book::SMALL), &[], folder.path()).unwrap();
    assert!(folder.path().join("index.html").exists());
}

#[test]
fn what_is_not_ours_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("precious.md");
    fs::write(&note, "mine").unwrap();
    for out in [folder.path(), note.as_path()] {
        let error = build(&load_text(book::SMALL), &[], out).unwrap_err();
        assert!(matches!(&error, DocsError::Foreign(path) if path == out), "{error}");
        assert!(error.to_string().contains("name an empty or new folder"), "{error}");
    }
    assert_eq!(fs::read_to_string(&note).unwrap(), "mine");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_site_stays_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    build(&load_text(book::SMALL), &[], &real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    build(&shipped(), &[], &link).unwrap();
    assert!(link.is_symlink());
    assert!(Path::new(&real).join("operations/vault.html").exists());
}
