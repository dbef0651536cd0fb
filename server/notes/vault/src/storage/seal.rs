//! Keyed digests, by which the engine recognises what it wrote itself.
//!
//! The key is random. It is created once for each user of a machine and never leaves the user's own
//! folder. Without it nobody can write anything that the engine accepts as its own.

use std::io;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::private::PrivateFolder;

/// Name of the file that holds the key.
const NAME: &str = "key";
const LENGTH: usize = 32;

/// Length of a seal, in bytes.
pub(crate) const SEAL: usize = 32;

/// The user's key.
pub(crate) struct SealKey([u8; LENGTH]);

/// What is sealed. A seal for one purpose is invalid for another.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    /// The record of a change of several files.
    Record,
    /// A saved index.
    Index,
    /// The name of the folder where changes are staged.
    Staging,
    /// A change that can be undone.
    Undo,
}

impl Purpose {
    fn purpose_tag(self) -> &'static [u8] {
        match self {
            Self::Record => b"toolwrit record\0",
            Self::Index => b"toolwrit index\0",
            Self::Staging => b"toolwrit staging\0",
            Self::Undo => b"toolwrit undo\0",
        }
    }
}

impl SealKey {
    /// The key in a folder; `None` if there is no key yet.
    ///
    /// # Errors
    /// `InvalidData` if the file is not a key.
    pub(crate) fn load(folder: &PrivateFolder) -> io::Result<Option<Self>> {
        let Some(bytes) = folder.read(NAME, LENGTH as u64)? else { return Ok(None) };
        let key = bytes.try_into().map(Self);
        key.map(Some).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not a key"))
    }

    /// The key in a folder. It is created if it does not exist.
    ///
    /// # Errors
    /// `InvalidData` if the file is not a key.
    pub(crate) fn load_or_create(folder: &PrivateFolder) -> io::Result<Self> {
        if let Some(key) = Self::load(folder)? {
            return Ok(key);
        }
        let mut bytes = [0; LENGTH];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        match folder.write_new(NAME, &bytes) {
            Ok(()) => Ok(Self(bytes)),
            // Another process created it first.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Self::load(folder)?.ok_or(error)
            }
            Err(error) => Err(error),
        }
    }

    /// The seal of the concatenated parts.
    pub(crate) fn seal(&self, purpose: Purpose, parts: &[&[u8]]) -> [u8; SEAL] {
        self.digest(purpose, parts).finalize().into_bytes().into()
    }

    /// Whether this is the seal of the concatenated parts.
    pub(crate) fn verify(&self, purpose: Purpose, parts: &[&[u8]], seal: &[u8]) -> bool {
        self.digest(purpose, parts).verify_slice(seal).is_ok()
    }

    fn digest(&self, purpose: Purpose, parts: &[&[u8]]) -> Hmac<Sha256> {
        // The algorithm pads a shorter key with zeros.
        let mut block = [0; 64];
        block[..LENGTH].copy_from_slice(&self.0);
        let mut digest = Hmac::new(&block.into());
        digest.update(purpose.purpose_tag());
        for part in parts {
            digest.update(part);
        }
        digest
    }
}
