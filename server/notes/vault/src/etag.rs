//! Strong validators of a file's content.

use std::fmt;

use sha2::{Digest, Sha256};

/// The version of a file: the first 64 bits of the SHA-256 of its bytes, in hexadecimal.
///
/// Equal bytes have equal etags. A change with `if_match` is refused if the file no longer has that
/// etag.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Etag(String);

impl Etag {
    /// The version of a file with these bytes.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let digest = Sha256::digest(bytes);
        let start = digest.iter().take(8).fold(0_u64, |start, &byte| start << 8 | u64::from(byte));
        Self(format!("{start:016x}"))
    }

    /// The sixteen hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Parses what a client sends back. The quotes that HTTP puts around an etag are removed.
impl From<&str> for Etag {
    fn from(text: &str) -> Self {
        Self(text.trim().trim_matches('"').to_owned())
    }
}

impl fmt::Display for Etag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
