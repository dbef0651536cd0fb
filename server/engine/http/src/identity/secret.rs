//! Creates access tokens, and their digests for storage.

use std::fmt;
use std::io;
use std::str::FromStr;

use ctutils::CtEq;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use toolwrit_text::hex::Hex;

/// The prefix of every token, by which people and secret scanners recognize one.
pub(crate) const PREFIX: &str = "twt_";
/// Random bytes in a token.
const ENTROPY: usize = 32;

/// Generates a token: the prefix and 256 random bits in hexadecimal.
///
/// # Errors
/// If the system provides no random bytes.
pub(super) fn generate() -> io::Result<String> {
    let mut bytes = [0; ENTROPY];
    getrandom::fill(&mut bytes)?;
    Ok(format!("{PREFIX}{}", Hex(&bytes)))
}

/// The SHA-256 of a token. With 256 random bits in the token, a fast hash without salt is enough.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) struct Digest([u8; 32]);

impl Digest {
    pub(super) fn hash(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }

    /// Compares in constant time.
    pub(super) fn matches(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).to_bool()
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Digest(..)")
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        Hex(&digest.0).to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = BadDigest;

    fn try_from(text: String) -> Result<Self, BadDigest> {
        text.parse()
    }
}

impl FromStr for Digest {
    type Err = BadDigest;

    fn from_str(text: &str) -> Result<Self, BadDigest> {
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return Err(BadDigest);
        }
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).map_err(|_| BadDigest)?;
        }
        Ok(Self(bytes))
    }
}

/// Text that is not a SHA-256 digest.
#[derive(Debug, thiserror::Error)]
#[error("expected a SHA-256 as 64 hexadecimal digits")]
pub(super) struct BadDigest;

#[cfg(test)]
mod tests {
    use super::{Digest, generate};

    #[test]
    fn digests_round_trip_and_distinguish_tokens() {
        let (one, other) = (generate().unwrap(), generate().unwrap());
        assert_eq!(one.len(), "twt_".len() + 64);
        let kept: Digest = String::from(Digest::hash(&one)).parse().unwrap();
        assert!(kept.matches(&Digest::hash(&one)));
        assert!(!kept.matches(&Digest::hash(&other)));
        // The known SHA-256 of "abc".
        assert!(String::from(Digest::hash("abc")).starts_with("ba7816bf8f01cfea414140de5dae2223"));
        for bad in ["", "00", &"g".repeat(64), &"é".repeat(32)] {
            assert!(bad.parse::<Digest>().is_err());
        }
    }
}
