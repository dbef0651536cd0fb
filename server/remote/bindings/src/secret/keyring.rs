//! Secrets in the keyring of the system.

/// Returns a password. It is read on a thread of its own, because the keyring may ask the user to unlock it.
///
/// # Errors
/// Why there is none.
#[cfg(feature = "keyring")]
pub(super) async fn password(service: String, user: String) -> Result<String, String> {
    let read = tokio::task::spawn_blocking(move || read(&service, &user)).await;
    read.unwrap_or_else(|error| Err(error.to_string()))
}

#[cfg(feature = "keyring")]
fn read(service: &str, user: &str) -> Result<String, String> {
    // The first call opens the keyring of this system.
    let opened = keyring::Entry::store_status();
    let entry = keyring_core::Entry::new(service, user);
    match (entry.and_then(|entry| entry.get_password()), opened) {
        (Ok(password), _) => Ok(password),
        (Err(keyring_core::Error::NoDefaultStore), Err(why)) => Err(why.to_string()),
        (Err(why), _) => Err(why.to_string()),
    }
}

#[cfg(not(feature = "keyring"))]
#[expect(clippy::unused_async, reason = "the same call with and without the feature")]
pub(super) async fn password(_service: String, _user: String) -> Result<String, String> {
    Err("this server is built without the feature `keyring` of the crate toolwrit".to_owned())
}
