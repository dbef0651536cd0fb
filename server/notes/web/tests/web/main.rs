//! Fetching from a server on this machine that answers whatever a test wants.
#![allow(missing_docs, reason = "a test crate has no public interface")]
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod addresses;
mod bodies;
mod pages;
mod redirects;
mod server;
mod sites;
mod structures;

use std::sync::Arc;
use std::time::Duration;

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
