//! From answers to results and failures.

mod refused;
mod shape;

use std::cell::RefCell;

use reqwest::header::HeaderMap;
use serde_json::Value;
use toolwrit_text::shorten::visible_line;

use crate::client::Received;
use crate::failure::{Failure, Result};
use crate::model::NamedShape;
use crate::render::Scope;

pub(crate) use refused::Refusals;

/// Reads values from one answer.
pub(crate) struct AnswerReader<'a> {
    pub(crate) provider: &'a str,
    /// The types that the provider reads in its own way.
    pub(crate) shapes: &'a [NamedShape],
    pub(crate) headers: &'a HeaderMap,
    pub(crate) scope: &'a Scope<'a>,
    /// What could not be read, if the rest counts: the answer of a change that has been made. `None` if all must be as
    /// declared.
    pub(crate) unread: Option<&'a RefCell<Option<Box<Failure>>>>,
}

/// Returns the body of an answer; null if it is empty.
///
/// # Errors
/// `UPSTREAM_ERROR` if it is not JSON.
pub(crate) fn json<'r>(provider: &str, received: &'r Received) -> Result<&'r Value> {
    received.json().ok_or_else(|| {
        let media_type = visible_line(received.header("content-type").unwrap_or("unknown"), 100);
        Failure::upstream(format!(
            "The answer of {provider} is not JSON: status {}, type {media_type}.",
            received.status
        ))
        .sent()
        .permanent()
    })
}

/// Returns the body of an answer as text.
///
/// # Errors
/// `UPSTREAM_ERROR` if it is not UTF-8.
pub(crate) fn text<'r>(provider: &str, received: &'r Received) -> Result<&'r str> {
    received.text().ok_or_else(|| {
        Failure::upstream(format!("The answer of {provider} is not text in UTF-8."))
            .sent()
            .permanent()
    })
}
