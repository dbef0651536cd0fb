//! What this server has changed, so that it can be undone.
//!
//! While the work of a call runs, [`collect`] gathers what each [`Writer`](super::lock::Writer) on the thread changes: the
//! path of each file before and after, its old bytes, and the etag of its new ones. [`store`] keeps that beside the journal,
//! in this user's state folder. Deleted and replaced text stays there until the record is too old.

mod store;

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::journal::Change;
use crate::changes::journal::{Creation, Destination};
use crate::etag::Etag;
use crate::path::VaultPath;
use crate::storage::atomic::FileVersion;

pub(crate) use store::MOST_BYTES;
pub use store::{ChangeId, HistoryLimits};
pub(crate) use store::{History, RecordedChange};

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

/// A file in a trash that it can be moved back from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TrashPlace {
    /// The path below the vault's own trash.
    Vault(VaultPath),
    /// The name of the file in the trash of the user's desktop.
    Desktop(String),
}

/// What the work of a call has changed so far.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    files: Vec<ChangedFile>,
    /// The place in `files` of each file that exists now.
    by_path: HashMap<VaultPath, usize>,
    /// The old bytes, one after another.
    kept: Vec<u8>,
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
pub(crate) fn note_replaced(path: &VaultPath, old: Option<&[u8]>, new: &[u8]) {
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

/// Notes that a file is in a trash now.
pub(crate) fn note_trashed(path: &VaultPath, place: TrashPlace, version: Option<FileVersion>) {
    note(|collected| collected.add_deleted(path, OldContent::Trash { place, version }));
}

/// Notes that a file is gone. `old` is `None` if it was not read.
pub(crate) fn note_gone(path: &VaultPath, old: Option<&[u8]>) {
    note(|collected| {
        let old = old.map_or(OldContent::Lost, |old| collected.keep(old));
        collected.add_deleted(path, old);
    });
}

/// Notes changes that were made as one. `gone` has the bytes of files that were deleted permanently.
pub(crate) fn note_changes(changes: &[Change], gone: &HashMap<VaultPath, Vec<u8>>) {
    for change in changes {
        match change {
            Change::Replace(replaced) => {
                note_replaced(&replaced.path, Some(&replaced.old.bytes), &replaced.bytes);
            }
            Change::Create(Creation { path, bytes }) => note_created(path, bytes),
            Change::Rename { from, to: Destination::Vault(to), .. } => note(|collected| {
                let (before, after) = (Some(from.clone()), Some(to.clone()));
                collected.add(ChangedFile { before, after, etag: None, old: OldContent::Same });
            }),
            Change::Rename { from, to: Destination::Trash(path), version } => {
                note_trashed(from, TrashPlace::Vault(path.clone()), *version);
            }
            Change::Rename { from, to: Destination::Staging(_), .. } => {
                note_gone(from, gone.get(from).map(Vec::as_slice));
            }
        }
    }
}

impl Collected {
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    fn keep(&mut self, bytes: &[u8]) -> OldContent {
        let start = self.kept.len();
        if start + bytes.len() > MOST_BYTES {
            return OldContent::Lost;
        }
        self.kept.extend_from_slice(bytes);
        OldContent::Kept { start, length: bytes.len() }
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

impl fmt::Display for TrashPlace {
    /// The id by which it is restored.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vault(path) => write!(f, "{}/{path}", super::trash::LOCAL_TRASH),
            Self::Desktop(name) => write!(f, "{DESKTOP}{}", crate::path::escape(name)),
        }
    }
}

/// The start of ids of files in the trash of the user's desktop.
const DESKTOP: &str = "trash:";

impl TrashPlace {
    /// The place that an id names; `None` for the id of a change.
    pub(crate) fn from_id(id: &str) -> Option<Self> {
        if let Some(name) = id.strip_prefix(DESKTOP) {
            let path = VaultPath::parse(name).ok().filter(|path| path.segments().count() == 1)?;
            return Some(Self::Desktop(path.as_str().to_owned()));
        }
        let path = id.strip_prefix(super::trash::LOCAL_TRASH)?.strip_prefix('/')?;
        VaultPath::parse(path).ok().map(Self::Vault)
    }
}
