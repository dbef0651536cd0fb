//! Addresses that may not be reached.

use toolwrit_web::{Form, Web, WebError, WebOptions};

use crate::server::Server;
use crate::{fetch, never};

fn is_refused(error: &WebError) -> bool {
    matches!(error, WebError::NotPublic { .. })
}

#[test]
fn this_machine_and_its_networks_are_refused_by_default() {
    let server = Server::html("secret");
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
    assert!(server.requests().is_empty());
    assert_eq!(server.robots_requests(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_redirect_to_an_address_that_is_not_allowed_is_refused() {
    let private = Server::on("127.0.0.2", |_, _| {});
    let target = private.url("/admin");
    let server = Server::answering(move |path, stream| {
        let answer = match path {
            "/robots.txt" => "HTTP/1.1 404 Not Found\r\n".to_owned(),
            _ => format!("HTTP/1.1 302 Found\r\nlocation: {target}\r\n"),
        };
        crate::server::send(stream, format!("{answer}content-length: 0\r\n\r\n").as_bytes());
    });
    let address = "127.0.0.2".parse().unwrap();
    let host = "127.0.0.2".to_owned();
    assert_eq!(fetch(&server.url("/")), Err(WebError::NotPublic { host, address }));
    assert!(private.requests().is_empty());
    assert_eq!(private.robots_requests(), 0);
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
