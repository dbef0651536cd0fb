//! Fetching from a server on this machine that answers whatever a test wants.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod addresses;
mod bodies;
mod pages;
mod redirects;
mod sites;
mod structures;

use std::sync::Arc;
use std::time::Duration;

use toolwrit_test_servers::http::{HttpServer, response};
use toolwrit_web::{Form, Page, Web, WebError, WebOptions};

/// A client that may reach the servers of the tests, and nothing else on this machine.
fn web() -> Web {
    web_with(Duration::from_mins(1))
}

fn web_with(timeout: Duration) -> Web {
    Web::new(WebOptions { allowed: vec!["127.0.0.1".parse().unwrap()], timeout })
}

fn fetch(url: &str) -> Result<Arc<Page>, WebError> {
    web().fetch(url, Form::Markdown, &never)
}

fn never() -> bool {
    false
}

/// A page of a server: its path, its headers and its body.
type ServedPage<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a [u8]);

fn site(pages: &[ServedPage<'_>]) -> HttpServer {
    HttpServer::with_pages(
        pages.iter().map(|(path, headers, body)| (*path, response(200, headers, body))),
    )
}

/// A server of one page of HTML, without a robots.txt.
fn html_page(body: &str) -> HttpServer {
    site(&[("/", &[("content-type", "text/html; charset=utf-8")], body.as_bytes())])
}

/// The requested paths, except for robots.txt.
fn pages(server: &HttpServer) -> Vec<String> {
    let requests = server.requests().into_iter().map(|request| request.target);
    requests.filter(|path| path != "/robots.txt").collect()
}

/// How often robots.txt was requested.
fn robots_requests(server: &HttpServer) -> usize {
    server.requests().iter().filter(|request| request.target == "/robots.txt").count()
}
