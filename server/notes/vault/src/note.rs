//! Notes as text: encoding, byte order mark and line endings.
//!
//! A note's *content* is its text with every `\r\n` turned into `\n` and without a byte order mark.
//! Its *format* is what was removed. Writing content to an existing note restores the format: the
//! same encoding and mark, and the ending that most of the old lines had. A `\r\n` in the content
//! is not doubled. Every `\r` right before a `\n` belongs to the ending; any other `\r` is text.
//! Appending changes no existing byte. New notes are stored as given, in UTF-8.

use std::fmt;

use jiff::Timestamp;

use crate::etag::Etag;
use crate::path::VaultPath;
use toolwrit_frontmatter::Span;

/// Largest file that is handled as a note, in bytes (16 MiB).
pub const NOTE_LIMIT: u64 = 16 * 1024 * 1024;

/// A note as read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Its path, under its own name.
    pub path: VaultPath,
    /// Its text with `\n` endings and without a byte order mark; cut at a character if it is longer
    /// than requested.
    pub content: String,
    /// Whether `content` was cut.
    pub truncated: bool,
    /// The version of the whole file, even if the content was cut.
    pub etag: Etag,
    /// Size of the file in bytes.
    pub size: u64,
    /// When it last changed, if the file system knows.
    pub modified: Option<Timestamp>,
    /// How the text is stored.
    pub format: TextFormat,
}

impl Note {
    /// Cuts the content at a character, to at most this many bytes.
    pub(crate) fn truncate(&mut self, max_bytes: Option<usize>) {
        let end = self.content.floor_char_boundary(max_bytes.unwrap_or(usize::MAX));
        self.truncated = end < self.content.len();
        self.keep_part(Span::new(0, end));
    }

    /// Reduces the content to a part of it, and frees the rest.
    pub(crate) fn keep_part(&mut self, part: Span) {
        self.content.truncate(part.end);
        self.content.drain(..part.start);
        self.content.shrink_to_fit();
    }
}

/// How a note's text is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextFormat {
    /// Encoding and byte order mark.
    pub encoding: Encoding,
    /// The ending of most lines; `\n` if there is none; the first one if both are equally frequent.
    pub newline: Newline,
    /// Whether the last line has an ending.
    pub final_newline: bool,
}

/// Text encodings, identified by their byte order mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 without a mark.
    Utf8,
    /// UTF-8 with a mark.
    Utf8Bom,
    /// UTF-16, little-endian, with a mark.
    Utf16Le,
    /// UTF-16, big-endian, with a mark.
    Utf16Be,
}

/// Line endings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newline {
    /// `\n`
    Lf,
    /// `\r\n`
    Crlf,
}

/// Why bytes are not the text of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotText {
    /// Invalid UTF-8; the first invalid byte.
    Utf8 {
        /// Offset in bytes.
        offset: usize,
    },
    /// Marked as UTF-16 but invalid.
    Utf16,
    /// Contains a NUL character, as binary files and UTF-16 without a mark do.
    Nul,
}

impl fmt::Display for NotText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Utf8 { offset } => write!(f, "byte {offset} is not valid UTF-8"),
            Self::Utf16 => f.write_str("it is marked as UTF-16 but is not valid UTF-16"),
            Self::Nul => f.write_str("it contains a NUL character"),
        }
    }
}

/// A file's bytes, decoded: the text with its own line endings, and its format.
pub(crate) struct Decoded {
    pub(crate) text: String,
    pub(crate) format: TextFormat,
}

impl Decoded {
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Result<Self, NotText> {
        let encoding = Encoding::detect(&bytes);
        let text = Self::decode_text(bytes)?;
        let format = TextFormat {
            encoding,
            newline: Newline::detect(&text),
            final_newline: text.ends_with('\n'),
        };
        Ok(Self { text, format })
    }

    /// The text alone, with its own line endings.
    pub(crate) fn decode_text(bytes: Vec<u8>) -> Result<String, NotText> {
        let text = Encoding::detect(&bytes).decode(bytes)?;
        if text.as_bytes().contains(&0) { Err(NotText::Nul) } else { Ok(text) }
    }

    /// The text with `\n` endings.
    pub(crate) fn into_content(self) -> String {
        if self.text.contains('\r') { Newline::Lf.apply(&self.text) } else { self.text }
    }
}

impl TextFormat {
    /// Bytes of a whole note in this format.
    pub(crate) fn encode(self, content: &str) -> Vec<u8> {
        self.encoding.encode(&self.newline.apply(trim_mark(content)))
    }

    /// The bytes to append to a note in this format so that `content` starts on a new line.
    pub(crate) fn encode_appended(self, content: &str, note_is_empty: bool) -> Vec<u8> {
        let separator =
            if self.final_newline || note_is_empty { "" } else { self.newline.as_str() };
        let text = format!("{separator}{}", self.newline.apply(trim_mark(content)));
        self.encoding.encode_units(&text)
    }
}

/// Removes the byte order mark, which belongs to the file and not to the content.
fn trim_mark(content: &str) -> &str {
    content.trim_start_matches('\u{FEFF}')
}

impl Encoding {
    fn detect(bytes: &[u8]) -> Self {
        [Self::Utf8Bom, Self::Utf16Le, Self::Utf16Be]
            .into_iter()
            .find(|encoding| bytes.starts_with(encoding.mark()))
            .unwrap_or(Self::Utf8)
    }

    fn mark(self) -> &'static [u8] {
        match self {
            Self::Utf8 => b"",
            Self::Utf8Bom => b"\xEF\xBB\xBF",
            Self::Utf16Le => b"\xFF\xFE",
            Self::Utf16Be => b"\xFE\xFF",
        }
    }

    /// The text of bytes with a mark.
    fn decode(self, mut bytes: Vec<u8>) -> Result<String, NotText> {
        let unit: fn([u8; 2]) -> u16 = match self {
            Self::Utf8 | Self::Utf8Bom => {
                let mark = self.mark().len();
                bytes.drain(..mark);
                return String::from_utf8(bytes).map_err(|error| NotText::Utf8 {
                    offset: error.utf8_error().valid_up_to() + mark,
                });
            }
            Self::Utf16Le => u16::from_le_bytes,
            Self::Utf16Be => u16::from_be_bytes,
        };
        let (pairs, rest) = bytes[self.mark().len()..].as_chunks::<2>();
        if !rest.is_empty() {
            return Err(NotText::Utf16);
        }
        let units: Vec<u16> = pairs.iter().copied().map(unit).collect();
        String::from_utf16(&units).map_err(|_| NotText::Utf16)
    }

    /// The bytes of a whole file with this text, keeping its line endings.
    pub(crate) fn encode(self, text: &str) -> Vec<u8> {
        let mut bytes = self.mark().to_vec();
        bytes.extend(self.encode_units(text));
        bytes
    }

    /// The bytes of text without a mark.
    fn encode_units(self, text: &str) -> Vec<u8> {
        match self {
            Self::Utf8 | Self::Utf8Bom => text.as_bytes().to_vec(),
            Self::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Self::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        }
    }
}

impl Newline {
    /// The ending itself.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::Crlf => "\r\n",
        }
    }

    fn detect(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = || memchr::memchr_iter(b'\n', bytes);
        let crlf = ends().filter(|&end| bytes[..end].ends_with(b"\r")).count();
        let lf = ends().count() - crlf;
        let first = match text.split_once('\n') {
            Some((line, _)) if line.ends_with('\r') => Self::Crlf,
            _ => Self::Lf,
        };
        match crlf.cmp(&lf) {
            std::cmp::Ordering::Greater => Self::Crlf,
            std::cmp::Ordering::Equal => first,
            std::cmp::Ordering::Less => Self::Lf,
        }
    }

    /// The text with all endings replaced by this one.
    pub(crate) fn apply(self, text: &str) -> String {
        let mut applied = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            match line.strip_suffix('\n') {
                Some(line) => {
                    applied.push_str(line.trim_end_matches('\r'));
                    applied.push_str(self.as_str());
                }
                None => applied.push_str(line),
            }
        }
        applied
    }
}
