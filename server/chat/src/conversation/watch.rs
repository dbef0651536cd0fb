//! Waits until the user sends what a note says.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::page::Page;
use crate::format::{Document, Part};
use crate::notebook::{Notebook, NotebookError};

/// The last line of a text that is sent.
const SEND: &str = "/send";

/// Waits until the user's text at the end of a note ends with the line `/send`, and removes the line. Returns whether it was
/// there; it is not if the wait was cancelled.
///
/// # Errors
/// Fails if the note cannot be read or written.
pub async fn wait_for_send(
    notebook: Arc<dyn Notebook>,
    note: &str,
    cancellation: &CancellationToken,
) -> Result<bool, NotebookError> {
    let mut changes = notebook.changes();
    let page = Page { notebook, note: note.into() };
    loop {
        changes.mark_unchanged();
        if page.change(|text| strip_send_command(text).map(|text| (text, ()))).await?.is_some() {
            return Ok(true);
        }
        tokio::select! {
            biased;
            () = cancellation.cancelled() => return Ok(false),
            news = changes.changed() => if news.is_err() { return Ok(false) },
        }
    }
}

fn strip_send_command(text: &str) -> Option<String> {
    let document = Document::parse(text);
    let Some(Part::Text(_)) = document.parts().last() else { return None };
    let written = text.trim_end();
    let rest = written.strip_suffix(SEND)?;
    let alone = rest.is_empty() || rest.ends_with(['\n', '\r']);
    (alone && document.mistakes().is_empty())
        .then(|| format!("{rest}{}", &text[written.len()..]).trim_end().to_owned() + "\n")
}
