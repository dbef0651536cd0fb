//! Reading notes.

use super::{Vault, decode};
use crate::document::{Excess, TEXT_LIMIT};
use crate::error::{Result, VaultError};
use crate::etag::Etag;
use crate::large;
use crate::note::Note;
use crate::parsed::ParsedNote;
use crate::part::{NotePart, find_lines};
use crate::path::VaultPath;
use crate::storage::root::{FileEntry, StoredFile, modified_time};
use crate::target::TargetError;

impl Vault {
    /// Reads a note; with `max_bytes`, at most that many bytes of its content, cut at a character.
    ///
    /// # Errors
    /// `NotFound`, `InvalidPath`, `NotText`, `TooLarge` beyond
    /// [`NOTE_LIMIT`](crate::note::NOTE_LIMIT), `Crowded`.
    pub fn read(&self, path: &VaultPath, max_bytes: Option<usize>) -> Result<Note> {
        let entry = self.root().find_existing(path)?;
        large::load(entry.size(), move || {
            let mut note = load(entry)?;
            note.truncate(max_bytes);
            Ok(note)
        })
    }

    /// Reads a part of a note. The etag and the size are those of the whole file.
    ///
    /// # Errors
    /// `NoSuchPart` if the part is missing or ambiguous; `TooComplex` if the part is not given by
    /// lines and the note is too large to be parsed; otherwise as [`read`](Self::read).
    pub fn read_part(
        &self,
        path: &VaultPath,
        part: &NotePart,
        max_bytes: Option<usize>,
    ) -> Result<Note> {
        let entry = self.root().find_existing(path)?;
        if let NotePart::Lines { first, last } = *part {
            return large::load(entry.size(), move || {
                let mut note = load(entry)?;
                let span = find_lines(&note.content, first, last);
                note.keep_part(span.map_err(|reason| part_error(&note, reason))?);
                note.truncate(max_bytes);
                Ok(note)
            });
        }
        check_length(&entry)?;
        let mut note = large::load(entry.size(), move || load(entry))?;
        let parsed = self.parse(&note.path, std::mem::take(&mut note.content))?;
        let span = part.find(parsed.document());
        let span = span.map_err(|reason| part_error(&note, reason))?;
        span.slice(parsed.text()).clone_into(&mut note.content);
        note.truncate(max_bytes);
        Ok(note)
    }

    /// Reads a note in order to parse it; with `max_bytes`, at most that many bytes of its content.
    ///
    /// # Errors
    /// `TooComplex` if it is too long to be parsed; otherwise as [`read`](Self::read).
    pub fn read_structured(&self, path: &VaultPath, max_bytes: Option<usize>) -> Result<Note> {
        if max_bytes.is_none() {
            check_length(&self.root().find_existing(path)?)?;
        }
        // One byte beyond the limit shows that the text exceeds it.
        let enough = TEXT_LIMIT + 1;
        self.read(path, Some(max_bytes.map_or(enough, |asked| asked.min(enough))))
    }

    /// Parses the text of a note. Concurrent calls with the same text share one parse.
    ///
    /// # Errors
    /// `TooComplex` if it has too much structure.
    pub fn parse(&self, path: &VaultPath, text: String) -> Result<ParsedNote> {
        let parsed = self.0.parses.parse(text);
        parsed.map_err(|reason| VaultError::TooComplex { path: path.clone(), reason })
    }
}

fn part_error(note: &Note, reason: TargetError) -> VaultError {
    VaultError::NoSuchPart { path: note.path.clone(), reason }
}

/// Refuses a file whose text is too long to be parsed, before reading it. Every encoding takes at
/// most two bytes for one byte of the text.
fn check_length(entry: &FileEntry) -> Result<()> {
    if entry.size() > 2 * (TEXT_LIMIT as u64 + 1) {
        return Err(VaultError::TooComplex { path: entry.path.clone(), reason: Excess::Length });
    }
    Ok(())
}

/// Reads a whole note.
fn load(entry: FileEntry) -> Result<Note> {
    let StoredFile { bytes, metadata } = entry.read()?;
    let etag = Etag::from_bytes(&bytes);
    let size = bytes.len() as u64;
    let decoded = decode(&entry, bytes)?;
    let format = decoded.format;
    let content = decoded.into_content();
    let modified = modified_time(&metadata);
    Ok(Note { path: entry.path, content, truncated: false, etag, size, modified, format })
}
