//! Redirects.

use toolwrit_web::WebError;

use crate::fetch;
use crate::server::{Server, response, send};

/// A server that redirects each path to the one after it in the list, and answers at the end.
fn redirecting(status: &'static str, targets: &'static [(&str, &str)]) -> Server {
    Server::answering(move |path, stream| {
        let target = targets.iter().find(|(from, _)| *from == path);
        let answer = match target {
            Some((_, to)) => response(status, &format!("location: {to}"), b"<a>moved</a>"),
            None if path == "/robots.txt" => response("404 Not Found", "", b""),
            None => response("200 OK", "content-type: text/plain", path.as_bytes()),
        };
        send(stream, &answer);
    })
}

#[test]
fn redirects_are_followed_to_the_page() {
    for status in ["301 x", "302 x", "303 x", "307 x", "308 x"] {
        let server = redirecting(status, &[("/a/b", "../c?d"), ("/c?d", "//HOST/e#f")]);
        let page = fetch(&server.url("/a/b"));
        // The second target names a host that does not exist.
        assert!(matches!(page, Err(WebError::Unreachable { .. })), "{status}: {page:?}");
        let server = redirecting(status, &[("/a/b", "../c?d"), ("/c?d", "/e#f")]);
        let page = fetch(&server.url("/a/b")).unwrap();
        assert_eq!((page.url.as_str(), page.text.as_str()), (server.url("/e").as_str(), "/e"));
    }
}

#[test]
fn redirects_in_a_circle_end() {
    let server = redirecting("302 Found", &[("/a", "/b"), ("/b", "/a")]);
    let host = "127.0.0.1".to_owned();
    let reason = "redirects too often";
    assert_eq!(fetch(&server.url("/a")), Err(WebError::Redirect { host, reason }));
    assert_eq!(server.requests().len(), 11);
}

#[test]
fn redirects_that_lead_nowhere_are_errors() {
    let server = redirecting(
        "302 Found",
        &[
            ("/file", "file:///etc/passwd"),
            ("/user", "http://user:password@example.com/"),
            ("/bad", "http://[::1"),
            ("/empty", "http://"),
        ],
    );
    for path in ["/file", "/user", "/bad", "/empty"] {
        let error = fetch(&server.url(path)).unwrap_err();
        assert!(matches!(error, WebError::Redirect { .. }), "{path}: {error:?}");
    }
    let server = Server::answering(|_, stream| {
        send(stream, &response("302 Found", "", b""));
    });
    // The robots.txt is the first to redirect to nowhere.
    let error = fetch(&server.url("/")).unwrap_err();
    assert!(
        matches!(error, WebError::Redirect { reason: "redirects to nowhere", .. }),
        "{error:?}"
    );
}
