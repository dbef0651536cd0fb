//! Follows what Obsidian and its plugins keep in the vault, while the server runs.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::sleep;
use toolwrit_vault::Vault;

/// How often it is looked at.
const INTERVAL: Duration = Duration::from_secs(1);

/// Something in the vault that may change.
pub(super) struct Watch<S> {
    vault: Vault,
    read: fn(&Vault) -> S,
    seen: Mutex<S>,
}

impl<S: PartialEq + Send + 'static> Watch<S> {
    /// Follows what `read` returns. It is compared only, and should be cheap to read.
    pub(super) fn new(vault: &Vault, read: fn(&Vault) -> S) -> Self {
        Self { vault: vault.clone(), read, seen: Mutex::new(read(vault)) }
    }

    /// Completes when it has changed since this completed last, or since the watch was made.
    pub(super) async fn wait_for_change(&self) {
        loop {
            sleep(INTERVAL).await;
            let (vault, read) = (self.vault.clone(), self.read);
            let Ok(now) = spawn_blocking(move || read(&vault)).await else { continue };
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if *seen != now {
                *seen = now;
                return;
            }
        }
    }
}
