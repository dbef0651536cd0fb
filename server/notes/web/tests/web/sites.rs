//! What sites allow and answer.

use std::io::Write as _;

use toolwrit_test_servers::http::{HttpServer, response, write_endlessly};
use toolwrit_web::{Form, WebError};

use crate::{fetch, html_page, never, pages, robots_requests, web};

/// A site with this robots.txt, and a text at every other path.
fn site(status: u16, robots: &'static [u8]) -> HttpServer {
    HttpServer::answering(move |request| {
        let content_type = [("content-type", "text/plain")];
        match &*request.target {
            "/robots.txt" => response(status, &content_type, robots),
            page => response(200, &content_type, page),
        }
    })
}

#[test]
fn a_page_that_robots_txt_disallows_is_not_requested() {
    let robots = b"User-agent: *\nDisallow: /private\nDisallow: /*?secret\nAllow: /x\n";
    let server = site(200, robots);
    let web = web();
    for path in ["/private/a", "/page?secret=1"] {
        let error = web.fetch(&server.url(path), Form::Markdown, &never).unwrap_err();
        let origin = server.url("");
        assert_eq!(error, WebError::Disallowed { origin }, "{path}");
    }
    assert!(web.fetch(&server.url("/page"), Form::Markdown, &never).is_ok());
    assert_eq!(pages(&server), ["/page"]);
    assert_eq!(robots_requests(&server), 1);
}

#[test]
fn a_redirect_to_a_disallowed_page_is_not_followed() {
    let server = HttpServer::answering(|request| match &*request.target {
        "/robots.txt" => response(200, &[], b"User-agent: toolwrit\nDisallow: /private"),
        _ => response(302, &[("location", "/private")], b""),
    });
    assert!(matches!(fetch(&server.url("/a")), Err(WebError::Disallowed { .. })));
    assert_eq!(pages(&server), ["/a"]);
}

#[test]
fn a_site_whose_robots_txt_fails_is_not_fetched() {
    let server = site(503, b"");
    let origin = server.url("");
    assert_eq!(fetch(&server.url("/a")), Err(WebError::RobotsFailed { origin, status: 503 }));
    assert!(pages(&server).is_empty());
    for missing in [404, 403, 410] {
        assert!(fetch(&site(missing, b"Disallow: /").url("/a")).is_ok(), "{missing}");
    }
}

#[test]
fn a_robots_txt_without_end_is_read_as_far_as_the_limit() {
    let server = HttpServer::scripted(|request, stream| {
        if request.target == "/robots.txt" {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /a\n");
            write_endlessly(stream, b"Disallow: /zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\n");
        } else {
            let _ = stream.write_all(&response(200, &[("content-type", "text/plain")], b"x"));
        }
    });
    assert!(matches!(fetch(&server.url("/a")), Err(WebError::Disallowed { .. })));
    assert!(fetch(&server.url("/b")).is_ok());
}

#[test]
fn statuses_of_failure_are_errors() {
    let server = HttpServer::answering(|request| match &*request.target {
        "/busy" => response(429, &[("retry-after", "7")], b""),
        "/down" => response(500, &[("retry-after", "soon")], b"<p>stack trace"),
        _ => response(404, &[], b""),
    });
    let failed = |status, retry_after| {
        Err(WebError::Status { host: "127.0.0.1".to_owned(), status, retry_after })
    };
    assert_eq!(fetch(&server.url("/none")), failed(404, None));
    assert_eq!(fetch(&server.url("/busy")), failed(429, Some(7)));
    assert_eq!(fetch(&server.url("/down")), failed(500, None));
}

#[test]
fn a_host_that_does_not_answer_is_named() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = fetch(&format!("http://{closed}/")).unwrap_err();
    assert_eq!(error.to_string(), "127.0.0.1 cannot be reached: the connection is refused");
    let error = fetch("http://no-such-host.invalid/").unwrap_err();
    assert!(matches!(error, WebError::Unreachable { .. }), "{error:?}");
    let plain = html_page("x");
    let error = fetch(&plain.url("/").replace("http:", "https:")).unwrap_err();
    assert!(matches!(error, WebError::Unreachable { .. }), "{error:?}");
}
