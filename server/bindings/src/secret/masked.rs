//! Texts of others without secrets.

use secrecy::{ExposeSecret as _, SecretString};

/// How long a secret must be to be masked, in bytes. A shorter one is part of many words, which would tell it.
const SHORTEST_MASKED: usize = 4;

/// Removes secrets from a text.
pub(crate) fn masked(text: &str, secrets: &[SecretString]) -> String {
    secrets.iter().fold(text.to_owned(), |text, secret| match secret.expose_secret() {
        secret if secret.len() < SHORTEST_MASKED => text,
        secret => text.replace(secret, "***"),
    })
}
