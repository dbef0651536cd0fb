//! Pages of other sites, by the headers of browsers: `Sec-Fetch-Site`, also without `Origin`.

use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::program::lab;

const PATHS: [&str; 8] = [
    "/tools?context=echo",
    "/tools/metrics",
    "/metrics",
    "/docs/search?q=echo",
    "/docs/",
    "/docs/index.html",
    "/healthz",
    "/mcp",
];

fn status(server: &Server, path: &str, headers: &[(&str, &str)]) -> u16 {
    server.get(path, headers).status
}

#[test]
fn pages_of_other_sites_are_refused() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    for path in PATHS {
        let plain = status(&server, path, &[]);
        assert_ne!(plain, 403, "{path}");
        for site in ["cross-site", "same-site", "Cross-Site", "other", ""] {
            let refused = server.get(path, &[("sec-fetch-site", site)]);
            assert_eq!(refused.status, 403, "{path} {site}: {refused:?}");
            let message = &refused.error()["message"];
            assert_eq!(*message, "requests from pages of other sites are not allowed");
        }
        // The page itself, and an address that the user typed.
        for site in ["same-origin", "none"] {
            assert_eq!(status(&server, path, &[("sec-fetch-site", site)]), plain, "{path} {site}");
        }
        let twice = [("sec-fetch-site", "none"), ("sec-fetch-site", "cross-site")];
        assert_eq!(status(&server, path, &twice), 403, "{path}");
    }
    let refused = server.post_to("/mcp", &[("sec-fetch-site", "cross-site")], "{}");
    assert_eq!(refused.status, 403, "{refused:?}");
}

#[test]
fn pages_of_allowed_origins_are_accepted() {
    let home = Home::new();
    let allowed = "https://app.example";
    let server = home.serve(lab(), &["--allowed-origin", allowed]);
    let foreign = ("sec-fetch-site", "cross-site");
    let cors = ("sec-fetch-mode", "cors");
    for path in ["/tools", "/docs/search?q=echo", "/docs/"] {
        assert_eq!(status(&server, path, &[foreign, cors, ("origin", allowed)]), 200, "{path}");
        let same_origin = ("sec-fetch-site", "same-origin");
        let own = format!("http://{}", server.address());
        assert_eq!(status(&server, path, &[same_origin, cors, ("origin", &own)]), 200, "{path}");
        // Any program of this machine may serve pages, also one that shows files of others.
        let address = server.address();
        for local in [
            "http://localhost:3000".to_owned(),
            "http://localhost".to_owned(),
            "null".to_owned(),
            format!("ftp://{address}"),
            format!("moz-extension://{address}"),
            "vscode-webview://localhost".to_owned(),
        ] {
            let headers = [("sec-fetch-site", "same-site"), cors, ("origin", local.as_str())];
            assert_eq!(status(&server, path, &headers), 403, "{path} {local}");
        }
        let other = ("origin", "https://evil.example");
        assert_eq!(status(&server, path, &[foreign, cors, other]), 403, "{path}");
    }
    let question = [foreign, cors, ("origin", allowed), ("access-control-request-method", "GET")];
    let told = server.without_body("OPTIONS", "/tools", &question);
    assert_eq!(told.headers["access-control-allow-origin"], allowed);
}

#[test]
fn links_from_other_sites_reach_only_the_documentation() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    let link = |dest| {
        [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", dest)]
    };
    for path in ["/docs/", "/docs/index.html", "/docs"] {
        assert_eq!(status(&server, path, &link("document")), 200, "{path}");
        // A frame would show it within the other page.
        assert_eq!(status(&server, path, &link("iframe")), 403, "{path}");
    }
    for path in PATHS.iter().filter(|path| !path.starts_with("/docs/") || path.contains("search")) {
        assert_eq!(status(&server, path, &link("document")), 403, "{path}");
    }
    let posted = server.post_to("/docs/", &link("document"), "");
    assert_eq!(posted.status, 403, "{posted:?}");
}
