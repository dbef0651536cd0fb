//! Keys in a file, for operators whose database has none. Each line is the time from which a key seals, and its 32 bytes in
//! Base64:
//!
//! ```text
//! 2026-11-29T12:00:00Z 3q2+7w..=
//! ```

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;

/// A file of keys.
#[derive(Debug, Clone)]
pub struct KeyFile(PathBuf);

/// A key of a file.
#[derive(Clone, Copy)]
pub(crate) struct TimedKey {
    /// The time from which it seals. No two keys of a file have the same second.
    pub(crate) seals_from: Timestamp,
    pub(crate) secret: [u8; 32],
}

/// Why a file has no keys that can be used.
#[derive(Debug, thiserror::Error)]
pub enum BadKeyFile {
    /// It cannot be read.
    #[error("{}: {error}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        error: io::Error,
    },
    /// A line is wrong.
    #[error("{}:{line}:{column}: {what}", .path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The number of the character in the line, from 1.
        column: usize,
        /// What was expected.
        what: &'static str,
    },
    /// It has no key.
    #[error("{}: expected a line with the time from which a key seals, such as 2026-11-29T12:00:00Z, and its 32 bytes in Base64", .0.display())]
    Empty(PathBuf),
}

impl KeyFile {
    /// Finds the file, and looks whether it has keys that can be used.
    ///
    /// # Errors
    /// If it has none.
    pub fn open(path: &Path) -> Result<Self, BadKeyFile> {
        let file = Self(path.to_owned());
        file.read().map(|_| file)
    }

    /// Reads the keys.
    ///
    /// # Errors
    /// If a line is wrong, or there is no key.
    pub(crate) fn read(&self) -> Result<Vec<TimedKey>, BadKeyFile> {
        let path = || self.0.clone();
        let text = fs::read_to_string(&self.0);
        let text = text.map_err(|error| BadKeyFile::Unreadable { path: path(), error })?;
        let mut keys: Vec<TimedKey> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong =
                |(column, what)| BadKeyFile::Wrong { path: path(), line: at + 1, column, what };
            let key = key(line).map_err(wrong)?;
            // The second is the id of a key.
            let id = |key: &TimedKey| key.seals_from.as_second();
            if keys.iter().any(|other| id(other) == id(&key)) {
                return Err(wrong((1, "expected another time than those of the lines before")));
            }
            keys.push(key);
        }
        if keys.is_empty() { Err(BadKeyFile::Empty(path())) } else { Ok(keys) }
    }
}

/// Reads a line. An error has a column, and what was expected there. It never has what was found, which may be a secret.
fn key(line: &str) -> Result<TimedKey, (usize, &'static str)> {
    let (time, secret) = line.split_once(' ').unwrap_or((line, ""));
    let time = time.parse().map_err(|_| (1, "expected a time, such as 2026-11-29T12:00:00Z"))?;
    let secret = STANDARD.decode(secret.trim()).ok().and_then(|secret| secret.try_into().ok());
    let column = line.find(' ').map_or(line.len(), |before| before + 1) + 1;
    let expected =
        "expected the 32 bytes of a key in Base64, such as `openssl rand -base64 32` prints";
    Ok(TimedKey { seals_from: time, secret: secret.ok_or((column, expected))? })
}
