//! The shipped authority's site, read back as a browser would.

use std::fs;
use std::path::Path;

use toolwrit_docs::{DocsError, build, category_address, operation_address};
use toolwrit_manifest::interface::signature::lines;
use toolwrit_manifest::policy::{focus_allows, role_allows};
use toolwrit_manifest::{Operation, Served, Shape};
use toolwrit_words::Code;

use crate::book::{self, Book, SMALL, build_shipped, costs, load_text, shipped};

#[test]
fn every_operation_has_a_page_with_what_the_manifest_says() {
    let (book, authority) = build_shipped();
    let is_tool = |operation: &&Operation| operation.served == Served::Tool;
    assert!(authority.operations.iter().any(|operation| is_tool(&operation)));
    for operation in authority.operations.iter().filter(is_tool) {
        let path = operation_address(&operation.id);
        // The page and its twin have the same facts; Markdown has backslashes between them.
        let twin = book.file(&path.replace(".html", ".md")).replace('\\', "");
        for content in [book.content(&path), twin] {
            let has = |words: &str| assert!(content.contains(words), "{words} in {content}");
            has(&operation.summary);
            has(&lines(&authority, operation));
            has(operation.effect.as_str());
            // The results of others are content, such as pictures.
            if operation.returns.word() != Some("content") {
                has("Example result");
            }
            operation.aliases.iter().for_each(|alias| has(&alias.name));
            operation.asks.iter().for_each(|ask| has(ask));
            for field in authority.inputs(operation) {
                has(&field.name);
                if let Shape::Enum(values) = authority.resolve(&field.shape) {
                    for value in values {
                        has(&value.name);
                        value.description.iter().for_each(|words| has(words));
                    }
                }
            }
            operation.errors.iter().for_each(|error| has(&authority[*error].name));
        }
    }
}

/// Older addresses of operations led there.
#[test]
fn the_page_of_a_category_names_the_place_of_each_operation() {
    let (book, authority) = build_shipped();
    for operation in
        authority.operations.iter().filter(|operation| operation.served == Served::Tool)
    {
        let page = book.page(&category_address(&authority[operation.category].name));
        let rows = Book::texts(&page, &format!("tr[id=\"{}\"]", operation.id));
        assert!(rows.concat().contains(&operation.summary), "{}", operation.id);
    }
}

#[test]
fn everything_that_is_declared_has_a_page() {
    let (book, authority) = build_shipped();
    let mut expected = Vec::new();
    expected.extend(
        authority.types.iter().map(|declared| format!("reference/types/{}", declared.name)),
    );
    expected.extend(authority.focus.iter().map(|mode| format!("reference/focus/{}", mode.name)));
    expected.extend(authority.roles.iter().map(|role| format!("reference/roles/{}", role.name)));
    expected
        .extend(authority.errors.iter().map(|error| format!("reference/errors/{}", error.name)));
    expected.extend(Code::built_in_names().map(|name| format!("reference/errors/{name}")));
    for path in expected {
        book.page(&format!("{path}.html"));
        book.file(&format!("{path}.md"));
    }
    let providers = book.content("reference/providers.html");
    assert!(!authority.providers.is_empty());
    for provider in &authority.providers {
        assert!(providers.contains(&provider.summary), "{}", provider.name);
        provider.settings.iter().for_each(|setting| assert!(providers.contains(&setting.name)));
    }
}

#[test]
fn every_page_has_a_twin_that_llms_txt_names() {
    let (book, _) = build_shipped();
    let list = book.file("llms.txt");
    assert!(list.starts_with("# Markdown vault\n\n> "), "{list}");
    for path in book.paths().filter(|path| *path != "index.html") {
        let twin = path.replace(".html", ".md");
        assert!(book.file(&twin).starts_with("# "), "{twin}");
        assert!(list.contains(&format!("]({twin})")), "{twin}");
    }
}

#[test]
fn links_of_the_twins_resolve() {
    let (book, _) = build_shipped();
    let broken: Vec<String> =
        book.with_extension("md").flat_map(|path| book.broken_in(path)).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn cookbooks_are_shown_with_the_operations_that_they_use() {
    let (book, authority) = build_shipped();
    let page = book.content("reference/cookbooks.html");
    assert!(!authority.cookbooks.is_empty());
    for cookbook in &authority.cookbooks {
        assert!(page.contains(&cookbook.summary), "{}", cookbook.name);
        assert!(page.contains(cookbook.text.trim()), "{}", cookbook.name);
        for id in &cookbook.operations {
            assert!(page.contains(&authority[*id].id), "{}", cookbook.name);
        }
    }
}

#[test]
fn a_call_is_shown_in_every_form() {
    let (book, _) = build_shipped();
    let page = book.content("operations/vault/read.html");
    for form in [
        "\"name\": \"vault_read\"",
        "\"operation\": \"read\"",
        "\"tool\": \"vault.read\"",
        "toolwrit call vault.read --path Inbox.md",
        "curl http://127.0.0.1:8080/mcp/flat",
    ] {
        assert!(page.contains(form), "{form} in {page}");
    }
    // Text of several lines is no flag.
    let page = book.content("operations/vault/write.html");
    assert!(page.contains("toolwrit call vault.write --args '{"), "{page}");
}

#[test]
fn the_matrix_says_what_the_policy_says() {
    let (book, authority) = build_shipped();
    let page = book.page("reference/policy.html");
    let rows = Book::table(&page, ".matrix tbody tr");
    for row in &rows {
        let (first, cells) = row.split_first().unwrap();
        let id = first.split_whitespace().next().unwrap();
        let operation = authority.operation_ids().find(|at| authority[*at].id == id).unwrap();
        let by_focus =
            authority.focus_ids().map(|focus| focus_allows(&authority, focus, operation));
        let by_role = authority.role_ids().map(|role| role_allows(&authority, role, operation));
        let answers = by_focus.chain(by_role);
        let expected: Vec<&str> = answers.map(|allows| if allows { "yes" } else { "no" }).collect();
        assert_eq!(cells, expected, "{id}");
    }
    assert_eq!(rows.len(), authority.operations.len());
}

#[test]
fn a_page_says_who_may_call_the_operation() {
    let (book, _) = build_shipped();
    let read = book.content("operations/vault/read.html");
    assert!(read.contains("Every role.") && read.contains("Every focus mode."), "{read}");
    let delete = book.content("operations/vault/delete.html");
    assert!(delete.contains("Roles: owner.") && delete.contains("Focus modes: full."), "{delete}");
    assert!(delete.contains("Not while the server is read-only."), "{delete}");
}

#[test]
fn surfaces_show_their_cost_against_flat() {
    let (book, _) = build_shipped();
    let rows = Book::table(&book.page("reference/surfaces.html"), "table tbody tr");
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
    let site = build(&shipped(), "1.2.3", None, &costs(), &out).unwrap();
    assert_eq!(site.index, out.join("index.html"));
    let book = Book::open(&out);
    assert_eq!(site.pages, book.paths().count());
    assert!(book.content("index.html").contains("Markdown vault"));
}

#[test]
fn the_front_page_says_what_one_gains_and_how_to_begin() {
    let folder = tempfile::tempdir().unwrap();
    build(&shipped(), "1.2.3", None, &costs(), folder.path()).unwrap();
    let page = Book::open(folder.path()).page("index.html");
    let lead = Book::texts(&page, "main p").into_iter().next().unwrap();
    assert!(lead.starts_with("Ask any MCP client about your notes"), "{lead}");
    let commands = Book::texts(&page, "main pre").into_iter().next().unwrap();
    assert!(commands.contains("toolwrit install"), "{commands}");
    let footer = Book::texts(&page, "footer").concat();
    assert!(footer.contains("Markdown vault 1.2.3"), "{footer}");
}

/// Hosts show it at any address, so it can name no file of the site.
#[test]
fn a_missing_page_leads_to_the_front_page() {
    let (book, _) = build_shipped();
    let page = book.page("404.html");
    assert_eq!(Book::texts(&page, "h1"), ["Not found"]);
    assert_eq!(Book::texts(&page, "a[href='/']"), ["To the front page"]);
    assert!(Book::texts(&page, "link[rel=stylesheet], script[src]").is_empty());
    assert!(book.file("404.html").contains("--ground"), "it has no style");
}

#[test]
fn only_the_shipped_server_shows_its_session() {
    let note = "The examples on this page are of the Markdown vault server";
    for (authority, is_shipped) in [(shipped(), true), (load_text(SMALL), false)] {
        let folder = tempfile::tempdir().unwrap();
        build(&authority, "1.2.3", None, &[], folder.path()).unwrap();
        let book = Book::open(folder.path());
        assert_eq!(book.content("index.html").contains("vault.search"), is_shipped);
        for page in ["guide/quick-start.html", "guide/introduction.html"] {
            assert_eq!(book.content(page).contains(note), !is_shipped, "{page}");
        }
        assert!(!book.content("guide/handlers.html").contains(note));
    }
}

#[test]
fn every_column_has_a_name() {
    let (book, _) = build_shipped();
    for path in book.paths() {
        let heads = Book::texts(&book.page(path), "thead th");
        assert!(heads.iter().all(|head| !head.trim().is_empty()), "{path}: {heads:?}");
    }
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

#[test]
fn the_same_authority_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| {
        let out = folder.path().join(name);
        build(&shipped(), "1.2.3", None, &costs(), &out).unwrap();
        book::files(&out)
    });
    assert!(first.len() > 10);
    assert!(first == second, "two builds differ");
}

#[test]
fn building_again_replaces_the_site_and_leaves_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("site");
    build(&shipped(), "1.2.3", None, &costs(), &out).unwrap();
    fs::write(out.join("stale.html"), "old").unwrap();
    build(&load_text(book::SMALL), "1.2.3", None, &[], &out).unwrap();
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
    build(&load_text(book::SMALL), "1.2.3", None, &[], folder.path()).unwrap();
    assert!(folder.path().join("index.html").exists());
}

#[test]
fn what_is_not_ours_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("precious.md");
    fs::write(&note, "mine").unwrap();
    for out in [folder.path(), note.as_path()] {
        let error = build(&load_text(book::SMALL), "1.2.3", None, &[], out).unwrap_err();
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
    build(&load_text(book::SMALL), "1.2.3", None, &[], &real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    build(&shipped(), "1.2.3", None, &[], &link).unwrap();
    assert!(link.is_symlink());
    assert!(Path::new(&real).join("operations/vault.html").exists());
}
