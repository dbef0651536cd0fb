//! Confirmation tokens. A caller who must confirm a call gets a token, and sends it back with the
//! confirmation. A token is valid once, for one call. What the replicas share has the valid ones.

use std::time::Duration;

use sha2::{Digest as _, Sha256};

use crate::caller::principal::Principal;
use crate::fault::{Fault, Result};
use toolwrit_text::hex::Hex;

/// Random bytes in a token. Few, because models copy tokens, and each guess needs a request.
const ENTROPY: usize = 10;

/// The call that a token is valid for: where it acts, its principal, operation and arguments, as a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding([u8; 32]);

impl Binding {
    /// Hashes a call. `location` identifies what the handlers change; `arguments` is the canonical text of the arguments.
    pub(crate) fn new(
        location: &str,
        principal: &Principal,
        operation: &str,
        arguments: &str,
    ) -> Self {
        let mut hash = Sha256::new();
        for part in [location, principal.as_str(), operation, arguments] {
            // The length before each part makes the hashed text unambiguous.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// Returns the hash.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A new token.
pub struct ConfirmationToken(String);

impl ConfirmationToken {
    /// How long a token is valid.
    pub const LIFETIME: Duration = Duration::from_mins(10);

    /// Makes a token that nobody can guess.
    ///
    /// # Errors
    /// If the system returns no random bytes.
    pub(crate) fn random() -> Result<Self> {
        let mut bytes = [0; ENTROPY];
        getrandom::fill(&mut bytes)
            .map_err(|error| Fault::internal(format!("no random bytes: {error}")))?;
        Ok(Self(Hex(&bytes).to_string()))
    }

    /// Returns the text that callers send back.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
