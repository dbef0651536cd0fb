//! The id of a block.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The id of a block: nine characters of `[a-z0-9]`. It is also the id of the call in requests to models.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct BlockId([u8; 9]);

const ALPHABET: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";

impl BlockId {
    /// A new id. Ids need to be different, not secret: only local state decides what an id may do.
    #[must_use]
    pub fn random() -> Self {
        Self::from_number(RandomState::new().hash_one(0_u8))
    }

    /// The id that stands for a number. Numbers below 36^9 have different ids.
    #[must_use]
    pub fn from_number(mut number: u64) -> Self {
        let mut id = [0; 9];
        for digit in id.iter_mut().rev() {
            *digit = ALPHABET[usize::try_from(number % 36).unwrap_or(0)];
            number /= 36;
        }
        Self(id)
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl FromStr for BlockId {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, BadId> {
        let id: [u8; 9] = text.as_bytes().try_into().map_err(|_| BadId)?;
        if id.iter().all(|byte| ALPHABET.contains(byte)) { Ok(Self(id)) } else { Err(BadId) }
    }
}

/// A text that is not the id of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected nine characters of a-z and 0-9")]
pub struct BadId;

impl TryFrom<String> for BlockId {
    type Error = BadId;

    fn try_from(text: String) -> Result<Self, BadId> {
        text.parse()
    }
}

impl From<BlockId> for String {
    fn from(id: BlockId) -> Self {
        id.as_str().to_owned()
    }
}

impl fmt::Display for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
