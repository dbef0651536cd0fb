//! The text of PDF documents.

use std::ops::RangeInclusive;

use lopdf::{Document, LoadOptions};

use crate::error::{MediaError, decode};

/// Most pages that are read at once.
pub const MOST_PAGES: u32 = 20;
/// Most bytes that a stream of a document may have when it is decompressed.
const MOST_DECOMPRESSED: usize = 16 * 1024 * 1024;

/// The text of pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfText {
    /// Numbers and texts of the pages. A scanned page has an empty text.
    pub pages: Vec<(u32, String)>,
    /// How many pages the document has.
    pub total: u32,
}

/// Reads the text of some pages of a document, at most [`MOST_PAGES`] of them.
///
/// # Errors
/// [`MediaError`] if the document cannot be read, needs a password, or has none of the pages.
pub fn read_pdf(bytes: &[u8], pages: RangeInclusive<u32>) -> Result<PdfText, MediaError> {
    decode(move || {
        let options = LoadOptions::with_max_decompressed_size(MOST_DECOMPRESSED);
        let document = Document::load_mem_with_options(bytes, options)
            .map_err(|error| describe_error(&error))?;
        if document.is_encrypted() && !document.was_encrypted() {
            return Err(MediaError::Encrypted);
        }
        let numbers: Vec<u32> = document.get_pages().into_keys().collect();
        let total = numbers.last().copied().unwrap_or(0);
        let wanted = numbers.into_iter().filter(|number| pages.contains(number));
        let wanted = wanted.take(MOST_PAGES as usize);
        let pages: Vec<_> = wanted.map(|number| (number, page_text(&document, number))).collect();
        if pages.is_empty() {
            return Err(MediaError::NoSuchPages(total));
        }
        Ok(PdfText { pages, total })
    })
}

/// The text of a page. Parts of it that cannot be decoded are left out.
fn page_text(document: &Document, number: u32) -> String {
    let chunks = document.extract_text_chunks_with_limit(&[number], MOST_DECOMPRESSED);
    let text: String = chunks.into_iter().filter_map(Result::ok).collect();
    let is_shown = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    text.trim().chars().filter(is_shown).collect()
}

fn describe_error(error: &lopdf::Error) -> MediaError {
    match error {
        lopdf::Error::Decryption(_) | lopdf::Error::InvalidPassword => MediaError::Encrypted,
        other => MediaError::Unreadable(other.to_string()),
    }
}
