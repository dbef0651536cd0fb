//! Names of files and folders in the vault.
//!
//! A [`VaultPath`] names a file, a [`Folder`] names a folder or the vault's root. Both are checked
//! once, when parsed. Operations check what depends on the disk (a symbolic link in the path, a
//! folder where a file is expected, a new name that is not portable) and report it as the same
//! [`PathError`].

mod escape;
mod fault;
mod segment;

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

pub(crate) use escape::escape;
pub use fault::{PathError, PathFault};

/// Longest path in bytes.
pub const PATH_LIMIT: usize = 1024;
/// Longest name of one file or folder in bytes, the limit of common file systems.
pub const NAME_LIMIT: usize = 255;

/// A vault-relative file path: `/` separated, nothing hidden.
///
/// A name that Windows does not allow, such as `What is X?.md`, or with characters that nobody sees,
/// can name an existing file. No operation gives a file or folder such a name. Characters that nobody
/// sees, and the backslash, are shown as `\u{200B}`, and parsed in this form or as they are.
///
/// The extension `.md` is optional: reading `Inbox` finds `Inbox.md` unless a file named exactly
/// `Inbox` exists, and writing `Inbox` creates `Inbox.md`.
///
/// Paths are ordered segment by segment, so the files of a folder are next to each other.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VaultPath(String);

impl VaultPath {
    /// Parses a path as a caller gives it, with characters escaped or not.
    ///
    /// # Errors
    /// A [`PathError`] that says which rule is broken and what is expected.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        Self::from_disk(&escape::unescape(text))
    }

    /// The path with names as they are on disk, or in a link. Nothing in it is an escape.
    ///
    /// # Errors
    /// A [`PathError`] that says which rule is broken and what is expected.
    pub fn from_disk(text: &str) -> Result<Self, PathError> {
        segment::check_path(text).map_err(|fault| PathError::new(text, fault))?;
        Ok(Self(text.to_owned()))
    }

    /// Refuses a path with a name that no new file or folder may have.
    pub(crate) fn check_new(&self) -> Result<(), PathError> {
        segment::check_new(&self.0).map_err(|fault| PathError::new(&self.0, fault))
    }

    /// Refuses a path with characters that are shown escaped.
    pub(crate) fn check_visible(&self) -> Result<(), PathError> {
        segment::check_visible(&self.0).map_err(|fault| PathError::new(&self.0, fault))
    }

    /// The path as on disk. The path as shown, with characters escaped, is its `Display`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path as Obsidian spells it, in canonical composition (NFC).
    pub fn to_nfc(&self) -> String {
        normal_form(&self.0)
    }

    /// The names of the folders in the path, then of the file.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// The file's name: the last segment.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The file's name without its extension.
    pub fn stem(&self) -> &str {
        match self.extension() {
            Some(extension) => &self.name()[..self.name().len() - extension.len() - 1],
            None => self.name(),
        }
    }

    /// The text after the last dot of the name if it looks like an extension: a letter, then up to
    /// nine letters or digits. `Release v1.2` and `Dr. Who` have none.
    pub fn extension(&self) -> Option<&str> {
        let (stem, extension) = self.name().rsplit_once('.')?;
        let plausible = extension.len() <= 10
            && extension.starts_with(|c: char| c.is_ascii_alphabetic())
            && extension.chars().all(|c| c.is_ascii_alphanumeric());
        (plausible && !stem.is_empty()).then_some(extension)
    }

    /// Whether a file with the extension `current` may be renamed to this name: the name ends with `current`
    /// or with another type that Obsidian opens. `Node.js` and `Mr.Smith` end with no such type, so a
    /// note needs `.md` after them. A file of any other type may get any extension.
    pub(crate) fn has_type_for(&self, current: &str) -> bool {
        self.extension().is_some_and(|extension| {
            extension.eq_ignore_ascii_case(current)
                || is_known_type(extension)
                || !is_known_type(current)
        })
    }

    /// Whether the extension is `.md`, in any case.
    pub fn is_note(&self) -> bool {
        self.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
    }

    /// Whether the file is in a folder or somewhere below it.
    pub fn is_below(&self, folder: &Folder) -> bool {
        let folder = folder.as_str();
        let rest = self.0.strip_prefix(folder);
        folder.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
    }

    /// The folder that holds the file.
    pub fn folder(&self) -> Folder {
        Folder(self.0.rsplit_once('/').map(|(folder, _)| Self(folder.to_owned())))
    }

    /// The same path, with `.md` added to a name that has no extension.
    pub(crate) fn or_note(&self) -> Result<Self, PathError> {
        if self.extension().is_some() { Ok(self.clone()) } else { self.with_extension("md") }
    }

    /// The same path with `.extension` added to the name.
    pub(crate) fn with_extension(&self, extension: &str) -> Result<Self, PathError> {
        Self::from_disk(&format!("{}.{extension}", self.0))
    }
}

impl Ord for VaultPath {
    fn cmp(&self, other: &Self) -> Ordering {
        self.segments().cmp(other.segments())
    }
}

impl PartialOrd for VaultPath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl FromStr for VaultPath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for VaultPath {
    type Error = PathError;

    fn try_from(text: String) -> Result<Self, PathError> {
        Self::parse(&text)
    }
}

impl fmt::Display for VaultPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escape::escape(&self.0))
    }
}

impl From<VaultPath> for String {
    /// The path as shown, which [`VaultPath::parse`] reads.
    fn from(path: VaultPath) -> Self {
        path.to_string()
    }
}

/// Whether Obsidian opens files with this extension, see "Accepted file formats" in its documentation.
fn is_known_type(extension: &str) -> bool {
    const KNOWN: [&str; 23] = [
        "md", "canvas", "base", "pdf", "avif", "bmp", "gif", "jpeg", "jpg", "png", "svg", "webp",
        "flac", "m4a", "mp3", "ogg", "wav", "webm", "3gp", "mkv", "mov", "mp4", "ogv",
    ];
    KNOWN.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// A folder of the vault, or its root.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Folder(Option<VaultPath>);

impl Folder {
    /// The vault's root.
    pub const ROOT: Self = Self(None);

    /// Parses a folder: empty text for the root, otherwise a path as in [`VaultPath`] with an
    /// optional trailing `/`.
    ///
    /// # Errors
    /// A [`PathError`] that says which rule is broken and what is expected.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        if text.is_empty() {
            return Ok(Self::ROOT);
        }
        VaultPath::parse(text.strip_suffix('/').filter(|rest| !rest.is_empty()).unwrap_or(text))
            .map(|path| Self(Some(path)))
    }

    /// As [`VaultPath::check_new`].
    pub(crate) fn check_new(&self) -> Result<(), PathError> {
        self.0.as_ref().map_or(Ok(()), VaultPath::check_new)
    }

    /// The folder's path as on disk, empty for the root.
    pub fn as_str(&self) -> &str {
        self.0.as_ref().map_or("", VaultPath::as_str)
    }

    /// The path of something directly in this folder, by its name on disk.
    ///
    /// # Errors
    /// A [`PathError`] if the name breaks a rule of [`VaultPath`].
    pub fn child(&self, name: &str) -> Result<VaultPath, PathError> {
        match &self.0 {
            Some(folder) => VaultPath::from_disk(&format!("{}/{name}", folder.as_str())),
            None => VaultPath::from_disk(name),
        }
    }

    /// The names of the folders from the root to here.
    pub(crate) fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(VaultPath::segments)
    }
}

impl From<VaultPath> for Folder {
    fn from(path: VaultPath) -> Self {
        Self(Some(path))
    }
}

impl fmt::Display for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_ref().map_or(Ok(()), |path| path.fmt(f))
    }
}

/// The form in which links are compared with names: [`normal_form`] in lower case.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { normal_form(text).to_lowercase() }
}

/// The form in which names are compared: canonical composition (NFC).
pub(crate) fn normal_form(text: &str) -> String {
    composed(text).unwrap_or_else(|| text.to_owned())
}

/// The composed form of a text; `None` if the text has it already, as nearly all texts have.
pub(crate) fn composed(text: &str) -> Option<String> {
    // No character below U+0300, the first that joins another, begins with a larger byte.
    if text.bytes().all(|byte| byte < 0xCC) || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return None;
    }
    Some(text.nfc().collect::<String>()).filter(|composed| composed != text)
}
