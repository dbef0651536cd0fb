//! Stand-ins for programs of others: a site with one page, and Obsidian's Local REST API.

use toolwrit_test_servers::http::{HttpServer, response};

/// A page of the site.
const PAGE: &str = "<title>Opening hours</title><article><h1>Opening hours</h1><p>The lamp room is open on <b>Sundays</b> \
    from 14:00, if the causeway is dry.</p></article>";

/// What the API says about itself: it has an extension that runs scripts of Dataview.
const ABOUT: &str = r#"{"status": "OK", "authenticated": true, "apiExtensions": [{"id": "scripts", "version": "1.0.0",
    "routes": [{"path": "/dataview-js/", "authenticated": true}]}]}"#;

/// The note that is open.
const ACTIVE: &str = r#"{"path": "Inbox.md", "content": "", "frontmatter": {}, "tags": [],
    "stat": {"ctime": 1, "mtime": 2, "size": 0}}"#;

/// A site with a page at every path.
pub(crate) fn site() -> HttpServer {
    let html = [("content-type", "text/html; charset=utf-8")];
    HttpServer::answering(move |_| response(200, &html, PAGE))
}

/// The API of a running Obsidian, where `Inbox.md` is open and each script returns 2.
pub(crate) fn obsidian() -> HttpServer {
    HttpServer::answering(|request| {
        let body = match &*request.line() {
            "GET /" => ABOUT,
            "GET /active/" => ACTIVE,
            "POST /dataview-js/" => "2",
            _ => "",
        };
        response(200, &[("content-type", "application/json")], body)
    })
}
