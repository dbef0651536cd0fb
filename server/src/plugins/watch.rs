//! Follows what Obsidian and its plugins keep in the vault, while the server runs.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::sleep;
use toolwrit_vault::Vault;

/// How often it is looked at: a change shows within a second.
const INTERVAL: Duration = Duration::from_millis(500);

/// Something in vaults that may change.
pub(super) struct Watch<S> {
    vaults: Arc<[Vault]>,
    read: fn(&Vault) -> S,
    seen: Mutex<Vec<S>>,
}

impl<S: PartialEq + Send + 'static> Watch<S> {
    /// Follows what `read` returns. It is compared only, and should be cheap to read.
    pub(super) fn new(vaults: &Arc<[Vault]>, read: fn(&Vault) -> S) -> Self {
        Self { vaults: vaults.clone(), read, seen: Mutex::new(vaults.iter().map(read).collect()) }
    }

    /// Completes when it has changed since this completed last, or since the watch was made.
    pub(super) async fn wait_for_change(&self) {
        loop {
            sleep(INTERVAL).await;
            let (vaults, read) = (self.vaults.clone(), self.read);
            let now = spawn_blocking(move || vaults.iter().map(read).collect::<Vec<S>>()).await;
            let Ok(now) = now else { continue };
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if *seen != now {
                *seen = now;
                return;
            }
        }
    }
}
