//! Writing single notes.

use super::syntax::{check_markdown, check_syntax};
use super::{Vault, decode};
use crate::changes::lock::Writer;
use crate::error::{Result, VaultError};
use crate::etag::Etag;
use crate::large;
use crate::note::{NOTE_LIMIT, NotText};
use crate::patch::{self, Patch};
use crate::path::VaultPath;
use crate::storage::root::{FileEntry, StoredFile};

/// What a write does when the note exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteMode {
    /// Replace its content.
    Overwrite,
    /// Refuse with [`VaultError::AlreadyExists`].
    CreateOnly,
}

/// What an append does when the note does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfMissing {
    Create,
    /// Refuse with [`VaultError::NotFound`].
    Fail,
}

/// A note after a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its path, under its own name.
    pub path: VaultPath,
    /// Its new version.
    pub etag: Etag,
    /// Its new size in bytes.
    pub size: u64,
    /// Whether it did not exist before.
    pub created: bool,
}

impl Vault {
    /// Writes a whole note. Creates it and its folders if they do not exist. An existing note keeps
    /// its encoding, byte order mark, line endings and permissions; see [`note`](crate::note).
    ///
    /// # Errors
    /// `AlreadyExists` in [`WriteMode::CreateOnly`], `Conflict` if `if_match` is stale, `NotFound`
    /// if it is given and there is no note, `NotText` if the old file or the new content is not
    /// text, `Malformed` for a canvas, a base or a JSON file that would not be one, `TooLarge`,
    /// `InvalidPath`, `ReadOnly`, `Busy`, `Io`.
    pub fn write(
        &self,
        path: &VaultPath,
        content: &str,
        mode: WriteMode,
        if_match: Option<&Etag>,
    ) -> Result<Written> {
        check_content(path, content)?;
        let (_awaited, writer) = self.lock_writer_for(path)?;
        let Some(entry) = self.root().find(path)? else {
            check_syntax(path, content)?;
            return self.create(&writer, path, content, if_match);
        };
        check_syntax(&entry.path, content)?;
        if mode == WriteMode::CreateOnly {
            return Err(VaultError::AlreadyExists { path: entry.path });
        }
        let content = content.to_owned();
        rewrite(&writer, entry, if_match, move |entry, bytes| {
            let new = decode(entry, bytes.clone())?.format.encode(&content);
            Ok((new != bytes).then_some(new))
        })
    }

    /// Appends `content` to a note, starting on a new line, in the note's encoding and with its
    /// line endings. Existing bytes do not change.
    ///
    /// # Errors
    /// As [`write`](Self::write); `NotFound` with [`IfMissing::Fail`]; `NotMarkdown`.
    pub fn append(
        &self,
        path: &VaultPath,
        content: &str,
        if_missing: IfMissing,
        if_match: Option<&Etag>,
    ) -> Result<Written> {
        check_content(path, content)?;
        let (_awaited, writer) = self.lock_writer_for(path)?;
        let entry = match (self.root().find(path)?, if_missing) {
            (Some(entry), _) => entry,
            (None, IfMissing::Create) => {
                // A name that no new file can have is the first fault.
                self.root().check_new_names(path, false)?;
                check_markdown(&path.or_note()?)?;
                return self.create(&writer, path, content, if_match);
            }
            (None, IfMissing::Fail) => return Err(self.root().not_found_error(path)),
        };
        check_markdown(&entry.path)?;
        let content = content.to_owned();
        rewrite(&writer, entry, if_match, move |entry, bytes| {
            if content.is_empty() {
                return Ok(None);
            }
            let old = decode(entry, bytes.clone())?;
            let added = old.format.encode_appended(&content, old.text.is_empty());
            drop(old);
            let mut new = bytes;
            new.extend(added);
            check_size(&entry.path, new.len())?;
            Ok(Some(new))
        })
    }

    /// Changes one place in a note: a section, a block or a property. Every other byte stays; see
    /// [`patch`].
    ///
    /// # Errors
    /// `NotPatched` if the place is missing or ambiguous, or the change does not fit it; `NotMarkdown`; otherwise
    /// as [`write`](Self::write). A missing note is not created.
    pub fn patch(
        &self,
        path: &VaultPath,
        change: &Patch,
        if_match: Option<&Etag>,
    ) -> Result<Written> {
        let (_awaited, writer) = self.lock_writer_for(path)?;
        let entry = self.root().find_existing(path)?;
        check_markdown(&entry.path)?;
        let change = change.clone();
        rewrite(&writer, entry, if_match, move |entry, bytes| {
            let old = decode(entry, bytes)?;
            let new = patch::apply(&old.text, old.format.newline, &change)
                .map_err(|reason| VaultError::NotPatched { path: entry.path.clone(), reason })?;
            if new == old.text {
                return Ok(None);
            }
            check_content(&entry.path, &new)?;
            Ok(Some(old.format.encoding.encode(&new)))
        })
    }

    /// Creates a file; a name without an extension gets `.md`.
    fn create(
        &self,
        writer: &Writer<'_>,
        path: &VaultPath,
        content: &str,
        if_match: Option<&Etag>,
    ) -> Result<Written> {
        if if_match.is_some() {
            return Err(self.root().not_found_error(path));
        }
        self.root().check_new_names(path, false)?;
        let entry = self.root().entry_for_new(&path.or_note()?)?;
        writer.create(&entry, content.as_bytes())?;
        Ok(to_written(entry.path, content.as_bytes(), true))
    }
}

/// Replaces the bytes of a note by what `edit` makes of them; `None` leaves them as they are. A
/// large note is read and edited on the thread for large texts.
pub(super) fn rewrite(
    writer: &Writer<'_>,
    entry: FileEntry,
    if_match: Option<&Etag>,
    edit: impl FnOnce(&FileEntry, Vec<u8>) -> Result<Option<Vec<u8>>> + Send + 'static,
) -> Result<Written> {
    let edit = move |entry: &FileEntry, bytes| edit(entry, bytes).map(|new| (new, ()));
    rewrite_and_tell(writer, entry, if_match, edit).map(|(written, ())| written)
}

/// The same, and returns what else `edit` has found.
pub(super) fn rewrite_and_tell<T: Send + 'static>(
    writer: &Writer<'_>,
    entry: FileEntry,
    if_match: Option<&Etag>,
    edit: impl FnOnce(&FileEntry, Vec<u8>) -> Result<(Option<Vec<u8>>, T)> + Send + 'static,
) -> Result<(Written, T)> {
    let (size, if_match) = (entry.size(), if_match.cloned());
    let read_and_edit = move || -> Result<_> {
        let StoredFile { bytes, metadata } = entry.read()?;
        let etag = check_version(&entry, &bytes, if_match.as_ref())?;
        let (new, found) = edit(&entry, bytes)?;
        Ok((entry, etag, metadata, new, found))
    };
    let (entry, etag, metadata, new, found) = large::offload(size, read_and_edit)?;
    let written = match new {
        Some(bytes) => {
            writer.replace(&entry, &bytes, &metadata)?;
            to_written(entry.path, &bytes, false)
        }
        None => Written { path: entry.path, etag, size: metadata.len(), created: false },
    };
    Ok((written, found))
}

pub(super) fn to_written(path: VaultPath, bytes: &[u8], created: bool) -> Written {
    Written { path, etag: Etag::from_bytes(bytes), size: bytes.len() as u64, created }
}

/// Refuses a file that is no longer the expected version. A large file is read on the thread for
/// large texts.
pub(crate) fn check_current(entry: FileEntry, if_match: Option<&Etag>) -> Result<FileEntry> {
    let Some(expected) = if_match.cloned() else { return Ok(entry) };
    large::offload(entry.size(), move || {
        check_version(&entry, &entry.read()?.bytes, Some(&expected))?;
        Ok(entry)
    })
}

/// The etag of the bytes on disk, if it is the expected one.
pub(super) fn check_version(
    entry: &FileEntry,
    bytes: &[u8],
    if_match: Option<&Etag>,
) -> Result<Etag> {
    let current = Etag::from_bytes(bytes);
    match if_match {
        Some(expected) if *expected != current => {
            Err(VaultError::Conflict { path: entry.path.clone(), current })
        }
        _ => Ok(current),
    }
}

/// Refuses content that could not be read back.
pub(super) fn check_content(path: &VaultPath, content: &str) -> Result<()> {
    if content.contains('\0') {
        return Err(VaultError::NotText { path: path.clone(), reason: NotText::Nul });
    }
    check_size(path, content.len())
}

fn check_size(path: &VaultPath, size: usize) -> Result<()> {
    let size = size as u64;
    if size > NOTE_LIMIT {
        return Err(VaultError::TooLarge { path: path.clone(), size, limit: NOTE_LIMIT });
    }
    Ok(())
}
