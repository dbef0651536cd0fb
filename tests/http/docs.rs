//! `/docs/`: the site, with only what the caller may see.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolwrit_tests::drivers::http::{Answer, Home, Server};
use toolwrit_tests::program::{lab, toolwrit};
use toolwrit_tests::vaults;

const ROLES: [&str; 3] = ["owner", "editor", "reader"];
const FOCUS: [&str; 3] = ["full", "content-editing", "read-only"];

fn page(server: &Server, path: &str, headers: &[(&str, &str)]) -> String {
    let answer = server.get(&format!("/docs/{path}"), headers);
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.body
}

fn header<'a>(answer: &'a Answer, name: &str) -> &'a str {
    let value = answer.headers.get(name).unwrap_or_else(|| panic!("no {name}: {answer:?}"));
    value.to_str().unwrap()
}

/// The texts between two marks, anywhere.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    text.split(start).skip(1).map(|rest| rest.split(end).next().unwrap()).collect()
}

/// The index of the site's search.
const INDEX: &str = "search-index.js";

/// The pages of the site.
fn linked(server: &Server, headers: &[(&str, &str)]) -> Vec<String> {
    let list = page(server, "llms.txt", headers);
    between(&list, "](", ")").into_iter().map(|path| path.replace(".md", ".html")).collect()
}

/// The operations that have a page in the site.
fn documented(server: &Server, headers: &[(&str, &str)]) -> BTreeSet<String> {
    let pages = linked(server, headers).into_iter();
    let pages = pages.filter(|path| path.matches('/').count() > 1);
    let ids = pages.filter_map(|path| {
        let id = path.strip_prefix("operations/")?.strip_suffix(".html")?.replace('/', ".");
        assert!(page(server, &path, headers).contains(&format!("<h1>{id}</h1>")), "{path}");
        Some(id)
    });
    ids.collect()
}

/// The operations that `discover` lists.
fn discovered(server: &Server, headers: &[(&str, &str)]) -> BTreeSet<String> {
    let client = server.client("/dispatch");
    let client = headers.iter().fold(client, |client, (name, value)| client.with(name, value));
    let listed = client.call("discover", &json!({})).ok();
    let id = |category: &str, name: &Value| format!("{category}.{}", name.as_str().unwrap());
    let categories = listed.as_object().unwrap().iter();
    categories
        .flat_map(|(category, names)| {
            names.as_array().unwrap().iter().map(move |name| id(category, name))
        })
        .collect()
}

fn search(server: &Server, query: &str, headers: &[(&str, &str)]) -> Value {
    let answer = server.get(&format!("/docs/search?q={query}"), headers);
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(header(&answer, "x-content-type-options"), "nosniff");
    answer.json()
}

fn ids(answer: &Value) -> Vec<&str> {
    let operations = answer["operations"].as_array().unwrap().iter();
    operations.map(|operation| operation["id"].as_str().unwrap()).collect()
}

#[test]
fn the_documentation_has_what_each_role_and_focus_mode_can_discover() {
    let (home, vault) = (Home::new(), vaults::empty());
    let server = home.serve(toolwrit(), &["--vault", vault.path().to_str().unwrap()]);
    let all = documented(&server, &[]);
    assert!(all.contains("vault.delete"), "{all:?}");
    for role in ROLES {
        for focus in FOCUS {
            let headers = [("toolwrit-role", role), ("toolwrit-focus", focus)];
            let shown = documented(&server, &headers);
            assert_eq!(shown, discovered(&server, &headers), "{role}, {focus}");
            nothing_else_is_written(&server, &headers, &shown, &all);
        }
    }
}

/// Checks that no page of the reference, file name or search entry names a hidden operation. The guide is
/// the same for every caller.
fn nothing_else_is_written(
    server: &Server,
    headers: &[(&str, &str)],
    shown: &BTreeSet<String>,
    all: &BTreeSet<String>,
) {
    let pages = linked(server, headers);
    let index = page(server, INDEX, headers);
    let hidden: Vec<&String> = all.difference(shown).collect();
    let reference = pages.iter().filter(|path| !path.starts_with("guide/"));
    for path in reference {
        let text = page(server, path, headers);
        for id in &hidden {
            let anchors = [format!("#{id}\""), format!("<code>{id}</code>"), format!("\"{id}\"")];
            assert!(
                anchors.iter().all(|anchor| !text.contains(anchor)),
                "{headers:?}: {id} in {path}"
            );
            let path = format!("operations/{}.html", id.replace('.', "/"));
            assert!(!index.contains(&path) && !text.contains(&path), "{headers:?}: {id} in {path}");
        }
    }
    let categories = |ids: &BTreeSet<String>| -> BTreeSet<String> {
        ids.iter().map(|id| id.split('.').next().unwrap().to_owned()).collect()
    };
    let list = page(server, "llms.txt", headers);
    assert!(hidden.iter().all(|id| !list.contains(&format!("[{id}]"))), "{headers:?}: {list}");
    for category in categories(all).difference(&categories(shown)) {
        assert!(!pages.iter().any(|path| path.ends_with(&format!("/{category}.html"))));
    }
}

#[test]
fn the_credential_and_the_operators_flags_apply_to_the_documentation() {
    let home = Home::new();
    let token = home.token(lab(), "onlooker");
    let server = home.serve(lab(), &["--exclude", "lab.echo"]);
    for path in ["/docs", "/docs/", "/docs/index.html", "/docs/nope", "/docs/search?q=echo"] {
        assert_eq!(server.get(path, &[]).status, 401, "{path}");
    }
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str())];
    let shown = documented(&server, &headers);
    assert_eq!(shown, discovered(&server, &headers));
    assert!(shown.contains("lab.text"), "{shown:?}");
    for hidden in ["lab.touch", "lab.scrap", "lab.echo"] {
        assert!(!shown.contains(hidden), "{hidden}");
    }
    assert!(!ids(&search(&server, "scrap", &headers)).contains(&"lab.scrap"));
    // It does not show other roles and the types of hidden operations.
    let policy = page(&server, "reference/policy.html", &headers);
    assert!(policy.contains("onlooker") && !policy.contains("owner"));
    let types = page(&server, "reference/types.html", &headers);
    assert!(types.contains("\"Colour\"") && !types.contains("\"Echo\""));
}

#[test]
fn pages_have_the_headers_that_browsers_need() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    let front = server.get("/docs/", &[]);
    assert_eq!(front.status, 200);
    assert!(front.body.contains("<title>Laboratory - Laboratory</title>"), "{}", front.body);
    assert_eq!(front.body, page(&server, "index.html", &[]));
    assert_eq!(header(&front, "content-type"), "text/html; charset=utf-8");
    assert_eq!(header(&front, "x-content-type-options"), "nosniff");
    assert_eq!(header(&front, "cache-control"), "private, no-cache");
    assert!(header(&front, "vary").contains("authorization"));
    let policy = header(&front, "content-security-policy");
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'; "),
        "{policy}"
    );
    assert!(!policy.contains("unsafe") && policy.contains("require-trusted-types-for"), "{policy}");
    for style in between(&front.body, "<link rel=\"stylesheet\" href=\"", "\"") {
        let answer = server.get(&format!("/docs/{style}"), &[]);
        assert_eq!(header(&answer, "content-type"), "text/css; charset=utf-8", "{style}");
    }
    for script in between(&front.body, " src=\"", "\"") {
        let answer = server.get(&format!("/docs/{script}"), &[]);
        assert_eq!(header(&answer, "content-type"), "text/javascript; charset=utf-8", "{script}");
    }
}

#[test]
fn cached_pages_are_answered_with_304() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    let front = server.get("/docs/", &[]);
    let tag = header(&front, "etag");
    let weak = format!("\"other\", W/{tag}");
    for known in [tag, weak.as_str(), "*"] {
        let again = server.get("/docs/", &[("if-none-match", known)]);
        assert_eq!((again.status, again.body.as_str()), (304, ""), "{known}");
        assert_eq!(header(&again, "etag"), tag);
    }
    assert_eq!(server.get("/docs/", &[("if-none-match", "\"other\"")]).status, 200);
    // For a caller with another site, the page and its tag differ.
    let narrow = [("if-none-match", tag), ("toolwrit-role", "onlooker")];
    assert_eq!(server.get("/docs/operations/lab.html", &narrow).status, 200);
    let head = server.without_body("HEAD", "/docs/", &[]);
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert_eq!(header(&head, "etag"), tag);
    assert_eq!(header(&head, "content-length"), front.body.len().to_string());
}

#[test]
fn unknown_pages_are_refused() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    for path in [
        "nope.html",
        "operations/nope.html",
        "operations/",
        "404.html",
        ".nojekyll",
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e/index.html",
        "operations/..%5clab.html",
        "index.html%00",
        "%ff",
        "//index.html",
    ] {
        let answer = server.get(&format!("/docs/{path}"), &[]);
        assert_eq!(answer.status, 404, "{path}: {answer:?}");
        assert!(answer.error()["message"].is_string(), "{path}");
    }
    let wrong = server.post_to("/docs/", &[], "");
    assert_eq!((wrong.status, header(&wrong, "allow")), (405, "GET,HEAD"));
    assert_eq!(server.get("/docs/", &[("toolwrit-role", "nobody")]).status, 400);
    let nothing = server.get("/nope", &[]);
    assert!(nothing.error()["expected"].as_array().unwrap().contains(&json!("/docs")));
}

#[test]
fn the_root_and_the_path_without_a_slash_redirect_to_the_front_page() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    for path in ["/docs", "/"] {
        let front = server.get(path, &[]);
        // The client follows the redirect.
        assert_eq!(front.status, 200, "{path}");
        assert_eq!(front.body, page(&server, "", &[]), "{path}");
    }
}

#[test]
fn the_sites_search_equals_search_tools() {
    let (home, vault) = (Home::new(), vaults::empty());
    let server = home.serve(toolwrit(), &["--vault", vault.path().to_str().unwrap()]);
    for (query, headers) in [
        ("throw away a note", vec![]),
        ("change a line", vec![]),
        ("throw away a note", vec![("toolwrit-role", "reader")]),
        ("vault.move", vec![]),
        ("effect:destroy", vec![]),
    ] {
        let found = search(&server, &query.replace(' ', "+"), &headers);
        let client = server.client("/meta");
        let client = headers.iter().fold(client, |client, (name, value)| client.with(name, value));
        let same = client.call("search_tools", &json!({ "query": query, "limit": 8 })).ok();
        let lines = same["results"].as_array().unwrap();
        assert_eq!(ids(&found).len(), lines.len(), "{query}");
        for (operation, line) in found["operations"].as_array().unwrap().iter().zip(lines) {
            let line = line.as_str().unwrap();
            let text = |key: &str| operation[key].as_str().unwrap();
            let start = format!("{}  # {}", text("signature"), text("summary"));
            assert!(line.starts_with(&start), "{operation} is not {line}");
            let marks = line.rsplit_once('(').unwrap().1;
            assert!(query.contains(':') || marks.contains(text("relevance")), "{line}");
            // It leads to the operation's page.
            let title = format!("<h1>{}</h1>", text("id"));
            assert!(page(&server, text("page"), &headers).contains(&title));
        }
    }
}

#[test]
fn a_search_without_results_lists_the_categories() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    let nothing = search(&server, "zzyzx", &[]);
    assert_eq!(nothing["reason"], "nothing_matches");
    assert_eq!((&nothing["operations"], &nothing["total"]), (&json!([]), &json!(0)));
    let lab = json!({
        "name": "lab",
        "summary": "Handlers that misbehave in known ways.",
        "page": "operations/lab.html",
    });
    assert_eq!(nothing["categories"], json!([lab]));
    assert_eq!(search(&server, "", &[])["categories"], json!([lab]));
    for bad in ["", "?query=x", "?q=x&q=y", "?q=x&limit=3"] {
        let answer = server.get(&format!("/docs/search{bad}"), &[]);
        assert_eq!((answer.status, &answer.error()["expected"]), (400, &json!(["q"])), "{bad}");
    }
}

/// What a browser accepts.
const VISIT: (&str, &str) = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8");

#[test]
fn a_browser_gets_a_refusal_as_a_page() {
    let home = Home::new();
    home.token(lab(), "owner");
    let server = home.serve(lab(), &[]);
    for (path, link) in
        [("/", "browser/"), ("/docs/", "../browser/"), ("/docs/guide/web.html", "../../browser/")]
    {
        let answer = server.get(path, &[VISIT]);
        assert_eq!(
            (answer.status, header(&answer, "content-type")),
            (401, "text/html; charset=utf-8"),
            "{path}"
        );
        assert!(answer.headers.contains_key("www-authenticate"));
        assert!(answer.body.contains(&format!("href=\"{link}\"")), "{path}: {}", answer.body);
        let policy = header(&answer, "content-security-policy");
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        // Programs get JSON, as before.
        assert_eq!(header(&server.get(path, &[]), "content-type"), "application/json", "{path}");
    }
}

#[test]
fn a_browser_gets_a_missing_page_as_a_page() {
    let home = Home::new();
    let server =
        Server::start(home.command(toolwrit(), &["docs", "serve", "--http", "127.0.0.1:0"]));
    for (path, link) in [("/nope", "docs/"), ("/docs/nope.html", "../docs/")] {
        let answer = server.get(path, &[VISIT]);
        assert_eq!(
            (answer.status, header(&answer, "content-type")),
            (404, "text/html; charset=utf-8"),
            "{path}"
        );
        assert!(answer.body.contains(&format!("href=\"{link}\"")), "{path}: {}", answer.body);
        assert_eq!(header(&server.get(path, &[]), "content-type"), "application/json", "{path}");
    }
}

#[test]
fn docs_serve_shows_the_site_and_nothing_else() {
    let home = Home::new();
    let flags = ["docs", "serve", "--http", "127.0.0.1:0", "--exclude", "vault.delete"];
    let server = Server::start(home.command(toolwrit(), &flags));
    let shown = documented(&server, &[]);
    assert!(shown.contains("vault.read") && !shown.contains("vault.delete"), "{shown:?}");
    assert!(ids(&search(&server, "read+a+note", &[])).contains(&"vault.read"));
    for path in ["/mcp", "/tools", "/metrics", "/docs/nope.html"] {
        let refused = server.get(path, &[]);
        assert_eq!(refused.status, 404, "{path}");
        assert!(refused.body.contains("/docs/"), "{refused:?}");
    }
    let called = server.post_to("/mcp", &[("content-type", "application/json")], "{}");
    assert_eq!(called.status, 404, "{called:?}");
    let refused = server.get("/docs/", &[("host", "evil.example")]);
    assert!((400..500).contains(&refused.status), "{refused:?}");
    // It opens no vault, so it creates none.
    assert!(!home.path().join("data").exists());
}

#[test]
fn docs_serve_listens_only_on_this_machine() {
    let home = Home::new();
    let run = home.command(lab(), &["docs", "serve", "--http", "0.0.0.0:0"]).output().unwrap();
    assert_eq!(run.status.code(), Some(3), "{run:?}");
    assert!(String::from_utf8_lossy(&run.stderr).contains("127.0.0.1:8080"), "{run:?}");
}
