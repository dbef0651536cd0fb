//! Addresses that may not be reached.

use toolwrit_test_servers::http::{HttpServer, response};
use toolwrit_web::{Form, Web, WebError, WebOptions};

use crate::{fetch, html_page, never, pages, robots_requests};

fn is_refused(error: &WebError) -> bool {
    matches!(error, WebError::NotPublic { .. })
}

#[test]
fn this_machine_and_its_networks_are_refused_by_default() {
    let server = html_page("secret");
    let port = server.url("").rsplit(':').next().unwrap().to_owned();
    let web = Web::new(WebOptions::default());
    for host in [
        "127.0.0.1",
        "127.1",
        "0x7f000001",
        "2130706433",
        "0177.0.0.1",
        "0.0.0.0",
        "localhost",
        "LocalHost",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "10.0.0.1",
        "169.254.169.254",
        "192.168.0.1",
        "\u{ff11}27.0.0.1",
    ] {
        let url = format!("http://{host}:{port}/");
        let error = web.fetch(&url, Form::Markdown, &never).unwrap_err();
        assert!(is_refused(&error), "{host}: {error:?}");
    }
    assert!(pages(&server).is_empty());
    assert_eq!(robots_requests(&server), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_redirect_to_an_address_that_is_not_allowed_is_refused() {
    let private = HttpServer::scripted_on("127.0.0.2", |_, _| {});
    let target = private.url("/admin");
    let server = HttpServer::answering(move |request| match &*request.target {
        "/robots.txt" => response(404, &[], ""),
        _ => response(302, &[("location", &target)], ""),
    });
    let address = "127.0.0.2".parse().unwrap();
    let host = "127.0.0.2".to_owned();
    assert_eq!(fetch(&server.url("/")), Err(WebError::NotPublic { host, address }));
    assert!(private.requests().is_empty());
}

#[test]
fn what_is_not_the_url_of_a_page_is_refused() {
    let long = format!("https://example.com/{}", "x".repeat(2048));
    for url in [
        "",
        "example.com",
        "/page",
        "file:///etc/passwd",
        "ftp://example.com/",
        "gopher://example.com/",
        "data:text/html,x",
        "javascript:alert(1)",
        "http://",
        "http://user@example.com/",
        "http://user:password@example.com/",
        "http://[::1",
        "http://exa mple.com/",
        "http://example.com:99999/",
        long.as_str(),
    ] {
        let error = fetch(url).unwrap_err();
        assert!(matches!(error, WebError::BadUrl(_)), "{url}: {error:?}");
    }
}
