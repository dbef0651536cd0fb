//! The note of a conversation, which others may change at any moment.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::notebook::{Notebook, NotebookError};

/// A note that a conversation writes to.
#[derive(Clone)]
pub(crate) struct Page {
    pub(crate) notebook: Arc<dyn Notebook>,
    pub(crate) note: Arc<str>,
}

/// How often a change is planned again because another one came first. Each time, somebody else has made progress.
const ATTEMPTS: usize = 1000;

impl Page {
    pub(crate) async fn read_text(&self) -> Result<String, NotebookError> {
        self.run_blocking(|notebook, note| notebook.read(note)).await.map(|reading| reading.text)
    }

    /// Changes the note as planned from its current text. `None` if the plan finds nothing to change.
    pub(crate) async fn change<T>(
        &self,
        mut plan: impl FnMut(&str) -> Option<(String, T)>,
    ) -> Result<Option<T>, NotebookError> {
        for _ in 0..ATTEMPTS {
            let reading = self.run_blocking(|notebook, note| notebook.read(note)).await?;
            let Some((text, planned)) = plan(&reading.text) else { return Ok(None) };
            let version = reading.version;
            if self
                .run_blocking(move |notebook, note| notebook.replace(note, &version, &text))
                .await?
                .is_some()
            {
                return Ok(Some(planned));
            }
        }
        Err(NotebookError::Failed(format!(
            "the note {} changes too often to be written. Try again when it is at rest.",
            self.note
        )))
    }

    pub(crate) async fn create(&self, note: String, text: String) -> Result<(), NotebookError> {
        self.run_blocking(move |notebook, _| notebook.create(&note, &text)).await
    }

    pub(crate) async fn read_attachment(
        &self,
        target: String,
        most: usize,
    ) -> Result<Option<Vec<u8>>, NotebookError> {
        self.run_blocking(move |notebook, note| notebook.read_attachment(note, &target, most)).await
    }

    /// What the tool for reading needs to read what a link names.
    pub(crate) async fn link_arguments(
        &self,
        target: String,
    ) -> Result<Option<Map<String, Value>>, NotebookError> {
        self.run_blocking(move |notebook, note| Ok(notebook.link_arguments(note, &target))).await
    }

    pub(crate) async fn hold(&self) -> Result<Box<dyn Send>, NotebookError> {
        self.run_blocking(|notebook, note| notebook.hold(note)).await
    }

    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Notebook, &str) -> Result<T, NotebookError> + Send + 'static,
    ) -> Result<T, NotebookError> {
        let Self { notebook, note } = self.clone();
        tokio::task::spawn_blocking(move || work(notebook.as_ref(), &note)).await.unwrap_or_else(
            |error| Err(NotebookError::Failed(format!("access to the note failed: {error}"))),
        )
    }
}
