//! Cursors of pages. A caller gets them as opaque text, and cannot make or change one: it is sealed with the
//! operation and the account.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// Bytes of the seal.
const SEAL: usize = 16;

/// The key that seals cursors.
#[derive(Clone, PartialEq, Eq)]
pub struct CursorKey([u8; 32]);

impl CursorKey {
    /// A new key. Cursors of other keys are refused.
    ///
    /// # Panics
    /// If the system has no random numbers, without which nothing can be sealed.
    #[expect(
        clippy::expect_used,
        reason = "a known key would let callers choose what is requested"
    )]
    pub fn random() -> Self {
        let mut key = [0; 32];
        getrandom::fill(&mut key).expect("the system has random numbers");
        Self(key)
    }

    /// A key that the operator keeps.
    pub fn from_bytes(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// Seals where a page begins. `scope` are the texts that must be the same when it is opened.
    pub(crate) fn seal(&self, position: &str, scope: &[&str]) -> String {
        let seal = self.mac(position, scope).finalize().into_bytes();
        BASE64.encode([&seal[..SEAL], position.as_bytes()].concat())
    }

    /// Returns where a page begins; `None` if the cursor was not sealed with this key and scope.
    pub(crate) fn open(&self, cursor: &str, scope: &[&str]) -> Option<String> {
        let bytes = BASE64.decode(cursor).ok()?;
        let (seal, position) = bytes.split_at_checked(SEAL)?;
        let position = std::str::from_utf8(position).ok()?;
        self.mac(position, scope).verify_truncated_left(seal).ok()?;
        Some(position.to_owned())
    }

    #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
    fn mac(&self, position: &str, scope: &[&str]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("any length is valid");
        for text in scope.iter().chain([&position]) {
            mac.update(&(text.len() as u64).to_le_bytes());
            mac.update(text.as_bytes());
        }
        mac
    }
}

impl fmt::Debug for CursorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CursorKey")
    }
}
