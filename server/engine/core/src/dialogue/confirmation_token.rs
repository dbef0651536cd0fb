//! Confirmation tokens. A caller who must confirm a call gets a token, and sends it back with the
//! confirmation. A token is valid once, for one call. Tokens are kept in memory: after a restart the caller
//! must confirm again.

use std::time::Duration;

use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use sha2::{Digest as _, Sha256};

use crate::caller::principal::Principal;
use crate::dialogue::confirmed::Confirmed;
use crate::fault::{Fault, Result};
use toolwrit_text::hex::Hex;

/// How long a token is valid.
const LIFETIME: Duration = Duration::from_mins(10);
/// Tokens to keep. Beyond that the least recently used become invalid, and their callers must confirm again.
const KEPT: u64 = 10_000;
/// Random bytes in a token. Few, because models copy tokens, and each guess needs a request.
const ENTROPY: usize = 10;

/// The call that a token is valid for: its principal, operation and arguments, as a hash.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Binding([u8; 32]);

impl Binding {
    /// Hashes a call. `arguments` is their canonical text.
    pub(crate) fn new(principal: &Principal, operation: &str, arguments: &str) -> Self {
        let mut hash = Sha256::new();
        for part in [principal.as_str(), operation, arguments] {
            // The length before each part makes the hashed text unambiguous.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }
}

/// The valid tokens, each with what it confirms.
pub(crate) struct ConfirmationTokens(Cache<String, (Binding, Confirmed)>);

impl ConfirmationTokens {
    pub(crate) fn new() -> Self {
        let cache = Cache::builder()
            .max_capacity(KEPT)
            .time_to_live(LIFETIME)
            .eviction_policy(EvictionPolicy::lru());
        Self(cache.build())
    }

    /// Issues a new token.
    ///
    /// # Errors
    /// If the system returns no random bytes.
    pub(crate) fn issue(&self, binding: Binding, confirmed: Confirmed) -> Result<String> {
        let mut bytes = [0; ENTROPY];
        getrandom::fill(&mut bytes)
            .map_err(|error| Fault::internal(format!("no random bytes: {error}")))?;
        let token = Hex(&bytes).to_string();
        self.0.insert(token.clone(), (binding, confirmed));
        Ok(token)
    }

    /// Returns what was confirmed, and invalidates the token; `None` if it is not valid for this call.
    pub(crate) fn redeem(&self, token: &str, binding: Binding) -> Option<Confirmed> {
        // A token that is sent with a different call stays valid for its own.
        self.0.get(token).filter(|(bound, _)| *bound == binding)?;
        self.0.remove(token).map(|(_, confirmed)| confirmed)
    }
}

#[cfg(test)]
mod tests {
    use super::{Binding, ConfirmationTokens};
    use crate::caller::principal::Principal;
    use crate::dialogue::confirmed::Confirmed;

    #[test]
    fn a_token_is_valid_once_and_for_one_call() {
        let ada = Principal::new("ada");
        let binding = |who: &Principal, what, how| Binding::new(who, what, how);
        let mine = binding(&ada, "vault.delete", "{}");
        let tokens = ConfirmationTokens::new();
        let token = tokens.issue(mine, Confirmed::default()).unwrap();
        for other in [
            binding(&Principal::new("bob"), "vault.delete", "{}"),
            binding(&ada, "vault.bulk_delete", "{}"),
            binding(&ada, "vault.delete", "{\"path\":\"a\"}"),
            binding(&ada, "vault.delet", "e{}"),
        ] {
            assert!(tokens.redeem(&token, other).is_none());
        }
        assert!(tokens.redeem("", mine).is_none());
        assert!(tokens.redeem(&token, mine).is_some());
        assert!(tokens.redeem(&token, mine).is_none(), "a second time");
    }
}
