//! What a call has changed so far. While its work runs, [`collect`] gathers what each writer on the thread changes: the path
//! of each file before and after, its old bytes, and the etag of its new ones.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::trash::TrashPlace;
use crate::etag::Etag;
use crate::path::VaultPath;
use crate::storage::atomic::FileVersion;

/// Most bytes of old content of all recorded changes together.
pub(crate) const MOST_BYTES: usize = 64 << 20;
/// Largest file in bytes that is kept when it goes where it cannot be moved back from.
pub(crate) const KEPT_DELETED: u64 = 5 << 20;

/// On whose behalf a change is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Author {
    /// The account.
    pub principal: String,
    /// The operation, such as `vault.write`.
    pub operation: String,
}

/// A file that a call has changed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ChangedFile {
    /// `None` if it did not exist.
    pub(crate) before: Option<VaultPath>,
    /// `None` if it was deleted.
    pub(crate) after: Option<VaultPath>,
    /// The etag of its bytes after the change; `None` if it was only moved or deleted.
    pub(crate) etag: Option<String>,
    pub(crate) old: OldContent,
}

impl ChangedFile {
    /// The path that people know it by.
    pub(crate) fn path(&self) -> Option<&VaultPath> {
        self.before.as_ref().or(self.after.as_ref())
    }

    pub(crate) fn has_path(&self, path: &VaultPath) -> bool {
        let is_it = |known: &VaultPath| {
            known == path || known.as_str().strip_suffix(".md") == Some(path.as_str())
        };
        [&self.before, &self.after].into_iter().flatten().any(is_it)
    }
}

/// Where the content of a file before a change is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OldContent {
    /// There was no file.
    None,
    /// In the file itself, which was only moved.
    Same,
    /// In the record, at this place.
    Kept { start: usize, length: usize },
    /// In a trash, as this version; any version if it is not known.
    Trash { place: TrashPlace, version: Option<FileVersion> },
    /// It was too large to be kept.
    Lost,
}

/// What the work of a call has changed so far.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(super) files: Vec<ChangedFile>,
    /// The place in `files` of each file that exists now.
    by_path: HashMap<VaultPath, usize>,
    /// The old bytes of files, which follow one another in the record.
    pub(super) kept: Vec<Vec<u8>>,
}

thread_local! {
    /// What is collected on this thread.
    static CURRENT: RefCell<Option<Collected>> = const { RefCell::new(None) };
}

/// Runs work, and returns what it changed on this thread. Within work that is collected already, nothing is returned.
pub(crate) fn collect<T>(work: impl FnOnce() -> T) -> (T, Collected) {
    /// Ends collecting, also if the work panics.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            CURRENT.take();
        }
    }
    if is_collecting() {
        return (work(), Collected::default());
    }
    CURRENT.set(Some(Collected::default()));
    let _end = End;
    let done = work();
    (done, CURRENT.take().unwrap_or_default())
}

/// Whether changes on this thread are collected.
pub(crate) fn is_collecting() -> bool {
    CURRENT.with_borrow(Option::is_some)
}

fn note(change: impl FnOnce(&mut Collected)) {
    CURRENT.with_borrow_mut(|current| current.as_mut().map(change));
}

/// Notes that a file was replaced. `old` is `None` if it could not be read.
pub(crate) fn note_replaced(path: &VaultPath, old: Option<Cow<'_, [u8]>>, new: &[u8]) {
    note(|collected| {
        let old = old.map_or(OldContent::Lost, |old| collected.keep(old));
        collected.add(ChangedFile {
            before: Some(path.clone()),
            after: Some(path.clone()),
            etag: Some(Etag::from_bytes(new).to_string()),
            old,
        });
    });
}

/// Notes that a file was created, or restored.
pub(crate) fn note_created(path: &VaultPath, bytes: &[u8]) {
    note(|collected| {
        let etag = Some(Etag::from_bytes(bytes).to_string());
        let after = Some(path.clone());
        collected.add(ChangedFile { before: None, after, etag, old: OldContent::None });
    });
}

/// Notes that a file was moved.
pub(crate) fn note_moved(from: &VaultPath, to: &VaultPath) {
    note(|collected| {
        let (before, after) = (Some(from.clone()), Some(to.clone()));
        collected.add(ChangedFile { before, after, etag: None, old: OldContent::Same });
    });
}

/// Notes that a file is in a trash now.
pub(crate) fn note_trashed(path: &VaultPath, place: TrashPlace, version: Option<FileVersion>) {
    note(|collected| collected.add_deleted(path, OldContent::Trash { place, version }));
}

/// Notes that a file is gone. `old` is `None` if it was not read.
pub(crate) fn note_gone(path: &VaultPath, old: Option<Cow<'_, [u8]>>) {
    note(|collected| {
        let old = old.map_or(OldContent::Lost, |old| collected.keep(old));
        collected.add_deleted(path, old);
    });
}

impl Collected {
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    fn keep(&mut self, bytes: Cow<'_, [u8]>) -> OldContent {
        let start = self.kept.iter().map(Vec::len).sum::<usize>();
        let length = bytes.len();
        if start + length > MOST_BYTES {
            return OldContent::Lost;
        }
        self.kept.push(bytes.into_owned());
        OldContent::Kept { start, length }
    }

    fn add_deleted(&mut self, path: &VaultPath, old: OldContent) {
        self.add(ChangedFile { before: Some(path.clone()), after: None, etag: None, old });
    }

    /// Adds a change. Several changes of a file become one, from its first state to its last.
    fn add(&mut self, change: ChangedFile) {
        let known = change.before.as_ref().and_then(|before| self.by_path.remove(before));
        let at = known.unwrap_or(self.files.len());
        if let Some(after) = &change.after {
            self.by_path.insert(after.clone(), at);
        }
        let Some(first) = self.files.get_mut(at) else { return self.files.push(change) };
        if first.old == OldContent::Same {
            first.old = change.old;
        }
        first.etag = change.etag.or_else(|| first.etag.take().filter(|_| change.after.is_some()));
        first.after = change.after;
    }
}
