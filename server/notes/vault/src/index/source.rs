//! Reading files for the index.

use std::hash::BuildHasher;
use std::time::{Duration, SystemTime};

use cap_fs_ext::MetadataExt;
use cap_std::fs::{Dir, Metadata};
use hashbrown::DefaultHashBuilder;
use serde::{Deserialize, Serialize};

use super::facts::Facts;
use super::words::Words;
use super::{FileKind, Indexed};
use crate::links::FileId;
use crate::note::{Decoded, NOTE_LIMIT};
use crate::path::VaultPath;
use crate::storage::root::{open_file, read_up_to};

/// How old a modification time must be for an unchanged stamp to prove that a file is unchanged.
/// Clocks of file systems are coarse.
const STABLE_AFTER: Duration = Duration::from_secs(2);

/// The metadata that shows whether a file has changed since it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    size: u64,
    modified: Option<SystemTime>,
    inode: u64,
    /// Whether the file was old enough when it was read.
    mtime_is_stable: bool,
}

impl Stamp {
    pub(super) fn from_metadata(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
        let mtime_is_stable = modified.is_some_and(|modified| {
            SystemTime::now().duration_since(modified).is_ok_and(|age| age > STABLE_AFTER)
        });
        Self { size: metadata.len(), modified, inode: metadata.ino(), mtime_is_stable }
    }

    /// Whether this stamp proves that the file is unchanged, given its stamp `now`.
    pub(super) fn proves_unchanged(&self, now: &Self) -> bool {
        self.mtime_is_stable
            && (self.size, self.modified, self.inode) == (now.size, now.modified, now.inode)
    }
}

/// A file as it is on disk. It has no text if it is unreadable, too large or not text.
pub(super) struct FileOnDisk {
    pub(super) stamp: Option<Stamp>,
    bytes: Option<Vec<u8>>,
    pub(super) version: u64,
}

impl FileOnDisk {
    /// Reads a file. `dir` is its folder, if it can be opened.
    pub(super) fn read(dir: Option<&Dir>, path: &VaultPath, hasher: &DefaultHashBuilder) -> Self {
        let opened = dir.and_then(|dir| open_file(dir, path.name()).ok());
        let (bytes, stamp) = match opened {
            Some((mut file, metadata)) => {
                let expected = metadata.len().min(NOTE_LIMIT);
                let bytes = read_up_to(&mut file, NOTE_LIMIT, expected).ok().flatten();
                (bytes, Some(Stamp::from_metadata(&metadata)))
            }
            None => (None, None),
        };
        let version = hasher.hash_one(&bytes);
        Self { stamp, bytes, version }
    }

    /// What the index stores of the file.
    pub(super) fn into_indexed(
        self,
        (file, kind): (FileId, FileKind),
        path: &VaultPath,
        words: &mut Words,
    ) -> Indexed {
        let Self { stamp, bytes, version } = self;
        let text = bytes.and_then(|bytes| Decoded::decode_text(bytes).ok());
        let (facts, entry) = match (text, kind) {
            (Some(text), FileKind::Note) => {
                let (facts, entry) = Facts::from_note(file, path, &text, words);
                (facts, Some(entry))
            }
            (Some(text), FileKind::Canvas) => (Facts::from_canvas(&text), None),
            (None, _) => (Facts::default(), None),
        };
        Indexed { file, kind, stamp, version, entry, facts }
    }
}
