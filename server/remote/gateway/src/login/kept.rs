//! Secrets of a login that outlive its access token: in the keyring of the system if there is one, else in the file.

use serde::{Deserialize, Serialize};

/// A secret, or where it is.
#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Kept {
    Here(String),
    /// In the keyring, under this name.
    Keyring {
        keyring: String,
    },
}

impl Kept {
    /// Keeps a secret.
    pub(super) async fn keep(name: String, secret: String) -> Self {
        match keyring::write(name.clone(), secret.clone()).await {
            Ok(()) => Self::Keyring { keyring: name },
            Err(why) => {
                tracing::debug!(why, "a login is kept in its file");
                Self::Here(secret)
            }
        }
    }

    /// Returns the secret.
    ///
    /// # Errors
    /// If the keyring does not return it, as a sentence.
    pub(super) async fn read(&self) -> Result<String, String> {
        match self {
            Self::Here(secret) => Ok(secret.clone()),
            Self::Keyring { keyring } => keyring::read(keyring.clone())
                .await
                .map_err(|why| format!("The keyring does not return the login: {why}.")),
        }
    }

    /// Removes it from the keyring.
    pub(super) async fn forget(self) {
        if let Self::Keyring { keyring } = self {
            // The user may have removed it.
            let _ = keyring::remove(keyring).await;
        }
    }
}

/// The keyring of the system. It is used on a thread of its own, because it may ask the user to unlock it.
#[cfg(feature = "keyring")]
mod keyring {
    use keyring_core::{Entry, Error};

    const SERVICE: &str = "toolwrit login";

    pub(super) async fn write(name: String, secret: String) -> Result<(), String> {
        with(name, move |entry| entry.set_password(&secret)).await
    }

    pub(super) async fn read(name: String) -> Result<String, String> {
        with(name, |entry| entry.get_password()).await
    }

    pub(super) async fn remove(name: String) -> Result<(), String> {
        with(name, |entry| entry.delete_credential()).await
    }

    async fn with<T: Send + 'static>(
        name: String,
        act: impl FnOnce(Entry) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, String> {
        let done = tokio::task::spawn_blocking(move || {
            // The first call opens the keyring of this system.
            let opened = keyring::Entry::store_status();
            match (Entry::new(SERVICE, &name).and_then(act), opened) {
                (Err(Error::NoDefaultStore), Err(why)) => Err(why.to_string()),
                (done, _) => done.map_err(|why| why.to_string()),
            }
        });
        done.await.unwrap_or_else(|error| Err(error.to_string()))
    }
}

/// No keyring: the feature is off.
#[cfg(not(feature = "keyring"))]
#[expect(clippy::unused_async, reason = "the same calls with and without the feature")]
mod keyring {
    const OFF: &str = "this program is built without the feature `keyring`";

    pub(super) async fn write(_: String, _: String) -> Result<(), String> {
        Err(OFF.to_owned())
    }

    pub(super) async fn read(_: String) -> Result<String, String> {
        Err(OFF.to_owned())
    }

    pub(super) async fn remove(_: String) -> Result<(), String> {
        Err(OFF.to_owned())
    }
}

#[cfg(all(test, feature = "keyring"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn secrets_are_in_the_keyring_if_there_is_one() {
        // Opens the keyring of this system, if there is one, so that the next line replaces it.
        let _ = ::keyring::Entry::store_status();
        keyring_core::set_default_store(keyring_core::mock::Store::new().unwrap());
        let kept = Kept::keep("site refresh".to_owned(), "s3cret".to_owned()).await;
        let written = serde_json::to_string(&kept).unwrap();
        assert_eq!(written, r#"{"keyring":"site refresh"}"#);
        let read: Kept = serde_json::from_str(&written).unwrap();
        assert_eq!(read.read().await.unwrap(), "s3cret");
        read.clone().forget().await;
        assert!(read.read().await.unwrap_err().starts_with("The keyring does not return"));
    }
}
