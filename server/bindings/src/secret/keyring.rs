//! Secrets in the keyring of the system.

#[cfg(feature = "keyring")]
use ::keyring::Entry;

/// Returns a password. It is read on a thread of its own, because the keyring may ask the user to unlock it.
///
/// # Errors
/// Why there is none.
#[cfg(feature = "keyring")]
pub(super) async fn password(service: String, user: String) -> Result<String, String> {
    let read = move || Entry::new(&service, &user).and_then(|entry| entry.get_password());
    let read = tokio::task::spawn_blocking(read).await;
    read.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
}

#[cfg(not(feature = "keyring"))]
#[expect(clippy::unused_async, reason = "the same call with and without the feature")]
pub(super) async fn password(_service: String, _user: String) -> Result<String, String> {
    Err("this server is built without the feature `keyring` of the crate toolwrit".to_owned())
}
