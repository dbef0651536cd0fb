//! Texts that only those can read who know the secret under which they are kept. The database alone does not.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use sha2::{Digest as _, Sha256};

use crate::database::Failed;

/// What is derived from a secret. The texts must stay the same.
const KEY: &str = "toolwrit kept text";
const NAME: &str = "toolwrit kept name";

/// The key of a secret that cannot be guessed, such as a cookie of 256 random bits.
#[derive(Clone)]
pub(crate) struct Sealing([u8; 32]);

impl Sealing {
    /// Derives the key of a secret.
    pub(crate) fn of(secret: &str) -> Self {
        Self(derived(KEY, secret))
    }

    /// Returns the name under which the texts of a secret are found, which does not reveal it.
    pub(crate) fn name(secret: &str) -> String {
        STANDARD_NO_PAD.encode(derived(NAME, secret))
    }

    /// Seals a text.
    ///
    /// # Errors
    /// If the system returns no random numbers.
    pub(crate) fn seal(&self, text: &str) -> Result<String, Failed> {
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(|_| Failed::NoRandomNumbers)?;
        let key = self.key().ok_or(Failed::NotSealed)?;
        let mut sealed = text.as_bytes().to_vec();
        let unique = Nonce::assume_unique_for_key(nonce);
        key.seal_in_place_append_tag(unique, Aad::empty(), &mut sealed)
            .map_err(|_| Failed::NotSealed)?;
        Ok(STANDARD_NO_PAD.encode([&nonce[..], &sealed].concat()))
    }

    /// Returns a text; `None` if it was not sealed with this key.
    pub(crate) fn open(&self, sealed: &str) -> Option<String> {
        let bytes = STANDARD_NO_PAD.decode(sealed).ok()?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut text = sealed.to_vec();
        let text = self.key()?.open_in_place(nonce, Aad::empty(), &mut text).ok()?;
        String::from_utf8(text.to_vec()).ok()
    }

    fn key(&self) -> Option<LessSafeKey> {
        UnboundKey::new(&CHACHA20_POLY1305, &self.0).ok().map(LessSafeKey::new)
    }
}

/// Derives bytes from a secret. One that cannot be guessed needs no slow hash.
fn derived(purpose: &str, secret: &str) -> [u8; 32] {
    Sha256::new().chain_update(purpose).chain_update([0]).chain_update(secret).finalize().into()
}

impl std::fmt::Debug for Sealing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sealing").finish_non_exhaustive()
    }
}
