//! Notifications of changed resources, for the clients that subscribed to them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::sync::{broadcast, watch};

/// Notifications that are kept for a slow listener, which misses older ones.
const PENDING: usize = 1024;

/// Notifies clients of changed resources. Cheap to clone: a task that watches for changes may keep one.
#[derive(Debug, Clone)]
pub struct Updates {
    changed: broadcast::Sender<Arc<str>>,
    wishes: watch::Sender<Counts>,
}

/// How many clients want updates of a resource, by its provider and its URI. The provider is empty for a resource of the
/// application.
type Counts = BTreeMap<(String, String), usize>;

impl Default for Updates {
    fn default() -> Self {
        Self { changed: broadcast::Sender::new(PENDING), wishes: watch::Sender::default() }
    }
}

impl Updates {
    /// Notifies clients that the resource with this URI has changed.
    pub fn resource(&self, uri: &str) {
        // There may be no listener.
        let _ = self.changed.send(uri.into());
    }

    /// Returns a listener that gets the URIs of resources that change from now on.
    pub fn listen(&self) -> Listener {
        Listener(self.changed.subscribe())
    }

    /// Says that a client wants updates of a resource, which a provider has added if one is named, until the wish is dropped.
    pub fn wish(&self, provider: Option<&str>, uri: &str) -> Wish {
        let key = (provider.unwrap_or_default().to_owned(), uri.to_owned());
        self.wishes.send_modify(|counts| *counts.entry(key.clone()).or_default() += 1);
        Wish { key, wishes: self.wishes.clone() }
    }

    /// Returns what clients want of the resources of a provider.
    pub fn wishes(&self, provider: &str) -> Wishes {
        Wishes { provider: provider.to_owned(), counts: self.wishes.subscribe() }
    }
}

/// Receives the URIs of changed resources.
pub struct Listener(broadcast::Receiver<Arc<str>>);

impl Listener {
    /// Returns the URI of the next changed resource; `None` when the server ends.
    pub async fn next(&mut self) -> Option<Arc<str>> {
        loop {
            match self.0.recv().await {
                Ok(uri) => return Some(uri),
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }
}

/// A client wants updates of a resource while this exists.
#[derive(Debug)]
pub struct Wish {
    key: (String, String),
    wishes: watch::Sender<Counts>,
}

impl Drop for Wish {
    fn drop(&mut self) {
        self.wishes.send_modify(|counts| match counts.get_mut(&self.key) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(counts.remove(&self.key)),
        });
    }
}

/// The resources of a provider of which clients want updates.
#[derive(Debug)]
pub struct Wishes {
    provider: String,
    counts: watch::Receiver<Counts>,
}

impl Wishes {
    /// Returns their URIs now.
    pub fn now(&mut self) -> BTreeSet<String> {
        let counts = self.counts.borrow_and_update();
        let own = counts.keys().filter(|(provider, _)| *provider == self.provider);
        own.map(|(_, uri)| uri.clone()).collect()
    }

    /// Waits until they may be others than [`Self::now`] has returned. Never completes once the server ends.
    pub async fn changed(&mut self) {
        if self.counts.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
