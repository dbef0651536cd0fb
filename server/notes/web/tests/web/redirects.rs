//! Redirects.

use toolwrit_test_servers::http::{HttpServer, response};
use toolwrit_web::WebError;

use crate::{fetch, pages};

/// A server that redirects each path to the one after it in the list, and answers at the end.
fn redirecting(status: u16, targets: &'static [(&str, &str)]) -> HttpServer {
    HttpServer::answering(move |request| {
        let target = targets.iter().find(|(from, _)| *from == request.target);
        match target {
            Some((_, to)) => response(status, &[("location", to)], b"<a>moved</a>"),
            None if request.target == "/robots.txt" => response(404, &[], b""),
            None => response(200, &[("content-type", "text/plain")], &request.target),
        }
    })
}

#[test]
fn redirects_are_followed_to_the_page() {
    for status in [301, 302, 303, 307, 308] {
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
    let server = redirecting(302, &[("/a", "/b"), ("/b", "/a")]);
    let host = "127.0.0.1".to_owned();
    let reason = "redirects too often";
    assert_eq!(fetch(&server.url("/a")), Err(WebError::Redirect { host, reason }));
    assert_eq!(pages(&server).len(), 11);
}

#[test]
fn redirects_that_lead_nowhere_are_errors() {
    let server = redirecting(
        302,
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
    let server = HttpServer::answering(|_| response(302, &[], b""));
    // The robots.txt is the first to redirect to nowhere.
    let error = fetch(&server.url("/")).unwrap_err();
    assert!(
        matches!(error, WebError::Redirect { reason: "redirects to nowhere", .. }),
        "{error:?}"
    );
}
