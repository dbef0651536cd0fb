//! What this server has changed, so that it can be undone: a file for each call, in a folder beside the journal's record.
//! Deleted and replaced text stays there until the record is too old.
//!
//! A file has a seal, the length of its head, the head as JSON, and the old bytes of its files, whose digest is in the head.

use std::fmt;
use std::io::{self, Read, Write};

use jiff::{Span, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use toolwrit_text::hex::Hex;

use super::collected::{Author, ChangedFile, Collected, MOST_BYTES, OldContent};
use super::journal::Store;
use super::trash::TrashPlace;
use crate::path::VaultPath;
use crate::storage::private::PrivateFolder;
use crate::storage::seal::{Purpose, SEAL};

/// The name of the folder.
const FOLDER: &str = "undo";
/// Largest head in bytes, enough for several 10,000 files.
const HEAD_LIMIT: u32 = 1 << 24;
/// How long a record is kept, in days.
const DAYS: i64 = 30;
/// Length of the head's length.
const LENGTH: usize = 4;

/// How much of the past is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryLimits {
    /// How many calls can be undone; 0 keeps nothing.
    pub calls: usize,
}

impl Default for HistoryLimits {
    fn default() -> Self {
        Self { calls: 200 }
    }
}

/// Identifies what a call has changed. Later ids are greater.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangeId(String);

impl ChangeId {
    fn new(now: Timestamp) -> io::Result<Self> {
        let mut random = [0; 3];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        Ok(Self(format!("{}-{}", now.strftime("%Y%m%dT%H%M%S%3f"), Hex(&random))))
    }

    /// Parses an id; `None` if no change has such an id.
    pub fn parse(text: &str) -> Option<Self> {
        let plain = |c: char| c.is_ascii_digit() || matches!(c, 'T' | '-' | 'a'..='f');
        (text.len() == 25 && text.chars().all(plain)).then(|| Self(text.to_owned()))
    }

    /// Whether it was made before a time.
    fn is_before(&self, time: Timestamp) -> bool {
        self.0 < time.strftime("%Y%m%dT%H%M%S%3f").to_string()
    }
}

impl fmt::Display for ChangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a call has changed.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RecordedChange {
    pub(crate) at: Timestamp,
    pub(crate) author: Author,
    pub(crate) files: Vec<ChangedFile>,
    /// The digest of the old bytes, in hexadecimal.
    digest: String,
    /// The vault and the machine that it was written for.
    owner: String,
}

impl RecordedChange {
    /// The deletion that a file in a trash stands for.
    pub(crate) fn of_trashed(path: VaultPath, place: TrashPlace) -> Self {
        let old = OldContent::Trash { place, version: None };
        let file = ChangedFile { before: Some(path), after: None, etag: None, old };
        Self {
            at: Timestamp::default(),
            author: Author { principal: String::new(), operation: String::new() },
            files: vec![file],
            digest: String::new(),
            owner: String::new(),
        }
    }
}

/// The changes of one vault that this user's servers have made.
pub(crate) struct History<'a> {
    store: &'a Store,
    limits: HistoryLimits,
}

impl<'a> History<'a> {
    pub(crate) fn new(store: &'a Store, limits: HistoryLimits) -> Self {
        Self { store, limits }
    }

    /// Whether changes are kept.
    pub(crate) fn is_kept(&self) -> bool {
        self.limits.calls > 0 && self.store.has_folder()
    }

    /// Keeps what a call has changed.
    pub(crate) fn write(&self, author: Author, changed: Collected) -> io::Result<ChangeId> {
        let at = Timestamp::now();
        let id = ChangeId::new(at)?;
        let Collected { files, kept, .. } = changed;
        let digest = kept.iter().fold(Sha256::new(), Sha256::chain_update).finalize();
        let digest = Hex(&digest).to_string();
        let owner = self.store.owner_name();
        let head = serde_json::to_vec(&RecordedChange { at, author, files, digest, owner })?;
        let length = u32::try_from(head.len()).ok().filter(|length| *length <= HEAD_LIMIT);
        let length = length.ok_or_else(|| io::Error::other("the change has too many files"))?;
        let folder = PrivateFolder::create(&self.store.folder(FOLDER)?)?;
        let seal = self.store.key()?.seal(Purpose::Undo, &[&length.to_le_bytes(), &head]);
        folder.replace(&id.0, |mut file| {
            file.write_all(&[&seal[..], &length.to_le_bytes(), &head].concat())?;
            kept.iter().try_for_each(|bytes| file.write_all(bytes))
        })?;
        self.prune(&folder, at)?;
        Ok(id)
    }

    /// The ids of all changes, the last one first.
    pub(crate) fn ids(&self) -> io::Result<Vec<ChangeId>> {
        let Some(folder) = self.open()? else { return Ok(Vec::new()) };
        let mut ids: Vec<_> =
            folder.names()?.iter().filter_map(|name| ChangeId::parse(name)).collect();
        ids.sort_unstable_by(|a, b| b.cmp(a));
        Ok(ids)
    }

    /// What a change was; `None` if there is no record that this user wrote for this vault.
    pub(crate) fn read(&self, id: &ChangeId) -> io::Result<Option<RecordedChange>> {
        Ok(self.read_file(id, false)?.map(|(change, _)| change))
    }

    /// What a change was, and the old bytes of its files.
    pub(crate) fn read_with_content(
        &self,
        id: &ChangeId,
    ) -> io::Result<Option<(RecordedChange, Vec<u8>)>> {
        self.read_file(id, true)
    }

    fn read_file(
        &self,
        id: &ChangeId,
        with_content: bool,
    ) -> io::Result<Option<(RecordedChange, Vec<u8>)>> {
        let Some(folder) = self.open()?.filter(|folder| folder.has(&id.0)) else {
            return Ok(None);
        };
        let (mut file, _) = folder.open_file(&id.0)?;
        let (mut seal, mut length) = ([0; SEAL], [0; LENGTH]);
        file.read_exact(&mut seal)?;
        file.read_exact(&mut length)?;
        let size = u32::from_le_bytes(length).min(HEAD_LIMIT);
        let mut head = Vec::new();
        (&mut file).take(u64::from(size)).read_to_end(&mut head)?;
        if !self.store.key()?.verify(Purpose::Undo, &[&length, &head], &seal) {
            return Ok(None);
        }
        let change: RecordedChange = serde_json::from_slice(&head)?;
        if change.owner != self.store.owner_name() {
            return Ok(None);
        }
        let mut content = Vec::new();
        if with_content {
            file.take(MOST_BYTES as u64).read_to_end(&mut content)?;
            if Hex(&Sha256::digest(&content)).to_string() != change.digest {
                return Ok(None);
            }
        }
        Ok(Some((change, content)))
    }

    fn open(&self) -> io::Result<Option<PrivateFolder>> {
        if !self.is_kept() {
            return Ok(None);
        }
        PrivateFolder::open(&self.store.folder(FOLDER)?)
    }

    /// Removes records that are too old, too many or too large together.
    fn prune(&self, folder: &PrivateFolder, now: Timestamp) -> io::Result<()> {
        let oldest = now.checked_sub(Span::new().hours(24 * DAYS)).map_err(io::Error::other)?;
        let mut bytes = 0;
        for (number, id) in self.ids()?.into_iter().enumerate() {
            bytes += folder.size(&id.0);
            let is_last = number == 0;
            let is_too_much = number >= self.limits.calls || bytes > MOST_BYTES as u64;
            if !is_last && (is_too_much || id.is_before(oldest)) {
                folder.remove(&id.0)?;
            }
        }
        Ok(())
    }
}
