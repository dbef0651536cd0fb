//! Results as they stand in the note.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Ended;
use super::faults;
use super::limits::Limit;
use super::turn::{Halt, Turn};
use crate::format::{
    BlockId, Document, Header, Payload, State, Status, result_note, splice, write,
};
use crate::notebook::NotebookError;
use crate::tools::Outcome;
use serde_json::json;

/// An outcome as a block shows it.
pub(super) struct Shown {
    pub(super) state: State,
    pub(super) result: Option<Payload>,
    /// A note that has the whole result: its path and its text.
    pub(super) note: Option<(String, String)>,
}

impl Shown {
    fn new(state: State, result: Option<Payload>) -> Self {
        Self { state, result, note: None }
    }
}

impl Turn<'_> {
    /// The state and the result that a block shows for an outcome, after writing the note of a result that is too long.
    pub(super) async fn record_outcome(
        &self,
        id: BlockId,
        outcome: Outcome,
        took: Duration,
    ) -> Result<(State, Option<Payload>), Halt> {
        let Shown { state, result, note } = self.show_outcome(id, outcome, took);
        if let Some((path, text)) = note {
            match self.chat.page.create(path, text).await {
                // A process that ended has written it.
                Ok(()) | Err(NotebookError::AlreadyExists(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok((state, result))
    }

    /// An outcome as a block shows it. Writes nothing.
    pub(super) fn show_outcome(&self, id: BlockId, outcome: Outcome, took: Duration) -> Shown {
        let time = format!("{} ms", took.as_millis());
        let failed = |code: &str, error| {
            let state = State::new(Status::Failed(code.to_owned()), time.clone());
            Shown::new(state, Some(Payload::Json(error)))
        };
        match outcome {
            Outcome::Cancelled => Shown::new(State::new(Status::Cancelled, ""), None),
            Outcome::Lost => Shown::new(State::new(Status::Unknown, "its outcome was lost"), None),
            Outcome::Failed { code, error } => {
                failed(if code.is_empty() { "INTERNAL" } else { &code }, error)
            }
            Outcome::Done(result) => {
                let bytes = result.text().len();
                let used = self
                    .used
                    .bytes
                    .fetch_add(bytes.min(self.limits.result_bytes), Ordering::Relaxed);
                if used >= self.limits.turn_bytes {
                    let (code, error) = faults::limit_exceeded(Limit::Bytes, &self.limits);
                    failed(&code, error)
                } else if bytes <= self.limits.result_bytes {
                    Shown::new(State::new(Status::Ok, time), Some(result))
                } else if let Some(folder) = &self.chat.settings.results_folder {
                    let path = format!("{}/{id}.md", folder.trim_end_matches('/'));
                    let state = State::new(Status::Ok, time).with_note(&path);
                    let summary = self.summarize(&result, &path);
                    let note = Some((path, result_note(&result)));
                    Shown { state, result: Some(summary), note }
                } else if let Payload::Text(text) = result {
                    let state = State::new(Status::Ok, format!("shortened, {time}"));
                    Shown::new(state, Some(Payload::Text(self.shorten(&text))))
                } else {
                    let (code, error) = faults::result_too_large(bytes, self.limits.result_bytes);
                    failed(&code, error)
                }
            }
        }
    }

    /// The most bytes that a tool may return.
    pub(super) fn max_bytes(&self) -> usize {
        match self.chat.settings.results_folder {
            Some(_) => self.limits.note_bytes.max(self.limits.result_bytes),
            None => self.limits.result_bytes,
        }
    }

    /// What stands in the block when the result is in a note of its own.
    fn summarize(&self, result: &Payload, note: &str) -> Payload {
        let text = result.text();
        let beginning = text.floor_char_boundary(self.limits.result_bytes / 8);
        Payload::Json(json!({
            "truncated": true,
            "bytes": text.len(),
            "note": note,
            "beginning": &text[..beginning],
            "hint": "The whole result is in the note. Read a part of it, or ask for less.",
        }))
    }

    fn shorten(&self, text: &str) -> String {
        let kept = text.floor_char_boundary(self.limits.result_bytes);
        format!(
            "{}\n(shortened: {kept} of {} bytes. Ask for a part to read the rest.)",
            text[..kept].trim_end(),
            text.len()
        )
    }

    /// Writes a state, and a result, into a block. A block that is gone stays gone.
    pub(super) async fn write_state(
        &self,
        id: BlockId,
        state: &State,
        result: Option<&Payload>,
    ) -> Result<(), Halt> {
        let planned = |text: &str| {
            let range = splice::find(text, id)?;
            let block = &text[range.clone()];
            let document = Document::parse(block);
            let before = &document.blocks().next()?.header;
            let header = Header::new(before.kind, id, &before.name, state.clone());
            Some((
                splice::replace(text, &range, &write::write_finished(block, &header, result)),
                (),
            ))
        };
        self.chat.page.change(planned).await.map(drop).map_err(|error| match error {
            NotebookError::NotFound(_) => Halt::Ended(Ended::Cancelled),
            error => error.into(),
        })
    }
}
