//! Reading notes.

use cap_std::fs::Metadata;
use jiff::Timestamp;

use super::{Vault, decode};
use crate::document::{Excess, TEXT_LIMIT};
use crate::error::{Result, VaultError};
use crate::etag::Etag;
use crate::large::{self, LARGE};
use crate::note::Note;
use crate::parsed::Parsed;
use crate::part::{Part, lines};
use crate::path::VaultPath;
use crate::root::{Place, Stored};
use crate::target::TargetError;

impl Vault {
    /// Reads a note. With `max_bytes`, at most so many bytes of its content, cut at a character.
    ///
    /// # Errors
    /// `NotFound`, `InvalidPath`, `NotText`, `TooLarge` beyond [`NOTE_LIMIT`], `Crowded`.
    pub fn read(&self, path: &VaultPath, max_bytes: Option<usize>) -> Result<Note> {
        let place = self.root().existing(path)?;
        large::load(place.size(), move || {
            let mut note = load(place)?;
            note.cut(max_bytes);
            Ok(note)
        })
    }

    /// Reads a part of a note, as [`read`](Self::read) does the whole: the etag and the size are
    /// those of the whole file.
    ///
    /// # Errors
    /// `NoSuchPart` if the part is not there or is there twice; `TooComplex` if it is no lines and the
    /// note has too much structure; as [`read`](Self::read) otherwise.
    pub fn read_part(
        &self,
        path: &VaultPath,
        part: &Part,
        max_bytes: Option<usize>,
    ) -> Result<Note> {
        let place = self.root().existing(path)?;
        if let Part::Lines { first, last } = *part {
            return large::load(place.size(), move || {
                let mut note = load(place)?;
                let span = lines(&note.content, first, last);
                note.keep(span.map_err(|reason| no_such_part(&note, reason))?);
                note.cut(max_bytes);
                Ok(note)
            });
        }
        check_length(&place)?;
        let mut note = large::load(place.size(), move || load(place))?;
        let parsed = self.parse(&note.path, std::mem::take(&mut note.content))?;
        let span = part.find(parsed.document());
        let span = span.map_err(|reason| no_such_part(&note, reason))?;
        span.of(parsed.text()).clone_into(&mut note.content);
        note.cut(max_bytes);
        Ok(note)
    }

    /// Reads a note that is to be taken apart: at most so many bytes of its content, else all of it.
    ///
    /// # Errors
    /// `TooComplex` if it is too long for that; as [`read`](Self::read) otherwise.
    pub fn read_structured(&self, path: &VaultPath, max_bytes: Option<usize>) -> Result<Note> {
        if max_bytes.is_none() {
            check_length(&self.root().existing(path)?)?;
        }
        // A byte more than is taken apart shows that there is more.
        let enough = TEXT_LIMIT + 1;
        self.read(path, Some(max_bytes.map_or(enough, |asked| asked.min(enough))))
    }

    /// Takes the text of a note apart. Those who ask for the same text at the same time share one parse.
    ///
    /// # Errors
    /// `TooComplex`, if there is too much in it.
    pub fn parse(&self, path: &VaultPath, text: String) -> Result<Parsed> {
        let parsed = self.0.readings.parse(text);
        parsed.map_err(|reason| VaultError::TooComplex { path: path.clone(), reason })
    }

    /// Whether a note is so large that to read it is no matter of a moment.
    ///
    /// # Errors
    /// `NotFound`, `InvalidPath`, `Io`.
    pub fn is_large(&self, path: &VaultPath) -> Result<bool> {
        Ok(self.root().existing(path)?.size() > LARGE)
    }
}

fn no_such_part(note: &Note, reason: TargetError) -> VaultError {
    VaultError::NoSuchPart { path: note.path.clone(), reason }
}

/// Refuses a file whose text is too long to be taken apart, before it is read. No encoding takes more than
/// two bytes for one of the text.
fn check_length(place: &Place) -> Result<()> {
    if place.size() > 2 * (TEXT_LIMIT as u64 + 1) {
        return Err(VaultError::TooComplex { path: place.path.clone(), reason: Excess::Length });
    }
    Ok(())
}

/// A whole note.
fn load(place: Place) -> Result<Note> {
    let Stored { bytes, metadata } = place.read()?;
    let etag = Etag::of(&bytes);
    let size = bytes.len() as u64;
    let decoded = decode(&place, bytes)?;
    let format = decoded.format;
    let content = decoded.into_content();
    let modified = modified(&metadata);
    Ok(Note { path: place.path, content, truncated: false, etag, size, modified, format })
}

/// When a file last changed, if the file system knows.
pub(crate) fn modified(metadata: &Metadata) -> Option<Timestamp> {
    Timestamp::try_from(metadata.modified().ok()?.into_std()).ok()
}
