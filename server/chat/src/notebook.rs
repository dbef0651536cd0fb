//! Where notes are. The program that has the vault implements it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};
use tokio::sync::watch;

/// The notes of a vault. All methods may block; a conversation calls them on blocking threads.
pub trait Notebook: Send + Sync {
    /// The name of a note, which is the same however a person writes it.
    ///
    /// # Errors
    /// Fails if no note can have this name.
    fn name(&self, note: &str) -> Result<String, NotebookError> {
        Ok(note.to_owned())
    }

    /// The name of the note that a file is; `None` if it is none of these notes. Notes in memory are no files.
    fn find_by_file(&self, file: &Path) -> Option<String> {
        let _ = file;
        None
    }

    /// Reads a note.
    ///
    /// # Errors
    /// Fails if there is no such note, or if it cannot be read.
    fn read(&self, note: &str) -> Result<Reading, NotebookError>;

    /// Replaces the text of a note that has not changed since it was read. `None` if it has changed.
    ///
    /// # Errors
    /// Fails if there is no such note, or if it cannot be written.
    fn replace(
        &self,
        note: &str,
        unchanged: &Version,
        text: &str,
    ) -> Result<Option<Version>, NotebookError>;

    /// Creates a note.
    ///
    /// # Errors
    /// Fails if there is one already, or if it cannot be written.
    fn create(&self, note: &str, text: &str) -> Result<(), NotebookError>;

    /// The bytes of a file that a note embeds; `None` if there is none. Notes in memory have none.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or has more than `most` bytes.
    fn read_attachment(
        &self,
        note: &str,
        target: &str,
        most: usize,
    ) -> Result<Option<Vec<u8>>, NotebookError> {
        let _ = (note, target, most);
        Ok(None)
    }

    /// The arguments with which the tool for reading reads what a link in a note names; `None` if that is not known.
    fn link_arguments(&self, note: &str, target: &str) -> Option<Map<String, Value>> {
        let _ = (note, target);
        None
    }

    /// Keeps the tools of the conversation from changing its note until the result is dropped. Only
    /// [`replace`](Self::replace) changes it then. Notes in memory are not changed by tools.
    ///
    /// # Errors
    /// Fails if there is no such note.
    fn hold(&self, note: &str) -> Result<Box<dyn Send>, NotebookError> {
        let _ = note;
        Ok(Box::new(()))
    }

    /// Changes whenever a note may have changed.
    fn changes(&self) -> watch::Receiver<u64>;
}

/// The text of a note at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The text.
    pub text: String,
    /// What identifies this text.
    pub version: Version,
}

/// Identifies a text of a note, such as its `etag`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version(pub String);

/// Why a note cannot be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotebookError {
    /// There is no such note.
    #[error("there is no note {0}")]
    NotFound(String),
    /// There is a note already.
    #[error("the note {0} exists already")]
    AlreadyExists(String),
    /// Anything else.
    #[error("{0}")]
    Failed(String),
}

/// Notes in memory: for tests, and for requests that are only shown.
#[derive(Debug)]
pub struct MemoryNotebook {
    notes: Mutex<BTreeMap<String, (String, u64)>>,
    changed: watch::Sender<u64>,
}

impl Default for MemoryNotebook {
    fn default() -> Self {
        Self { notes: Mutex::default(), changed: watch::Sender::new(0) }
    }
}

impl MemoryNotebook {
    /// Writes a note, whatever it was.
    pub fn write(&self, note: &str, text: &str) {
        self.edit(note, |_| text.to_owned());
    }

    /// Changes a note as a person does, between two changes of others. A note that does not exist is empty.
    pub fn edit(&self, note: &str, edit: impl FnOnce(&str) -> String) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = notes.entry(note.to_owned()).or_default();
        *entry = (edit(&entry.0), entry.1 + 1);
        drop(notes);
        self.changed.send_modify(|count| *count += 1);
    }

    /// Removes a note.
    pub fn remove(&self, note: &str) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).remove(note);
        self.changed.send_modify(|count| *count += 1);
    }
}

impl Notebook for MemoryNotebook {
    fn read(&self, note: &str) -> Result<Reading, NotebookError> {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let (text, version) =
            notes.get(note).ok_or_else(|| NotebookError::NotFound(note.to_owned()))?;
        Ok(Reading { text: text.clone(), version: Version(version.to_string()) })
    }

    fn replace(
        &self,
        note: &str,
        unchanged: &Version,
        text: &str,
    ) -> Result<Option<Version>, NotebookError> {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = notes.get_mut(note).ok_or_else(|| NotebookError::NotFound(note.to_owned()))?;
        if entry.1.to_string() != unchanged.0 {
            return Ok(None);
        }
        *entry = (text.to_owned(), entry.1 + 1);
        let version = Version(entry.1.to_string());
        drop(notes);
        self.changed.send_modify(|count| *count += 1);
        Ok(Some(version))
    }

    fn create(&self, note: &str, text: &str) -> Result<(), NotebookError> {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.contains_key(note) {
            return Err(NotebookError::AlreadyExists(note.to_owned()));
        }
        notes.insert(note.to_owned(), (text.to_owned(), 1));
        drop(notes);
        self.changed.send_modify(|count| *count += 1);
        Ok(())
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }
}
