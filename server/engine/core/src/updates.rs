//! Notifications of changed resources, for the clients that subscribed to them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::sync::{broadcast, watch};

/// Notifications that are kept for a slow listener, which misses older ones.
const PENDING: usize = 1024;

/// Notifies clients of changed resources. Cheap to clone: a task that watches for changes may keep one.
#[derive(Debug, Clone)]
pub struct Updates {
    /// Changes that this process has seen, and that its replicas have told.
    changed: broadcast::Sender<Arc<str>>,
    /// Changes that this process has seen.
    seen: broadcast::Sender<Arc<str>>,
    subscribed: watch::Sender<Counts>,
}

/// How many clients are subscribed to a resource, by its provider and its URI. The provider is empty for a resource of the
/// application.
type Counts = BTreeMap<(String, String), usize>;

impl Default for Updates {
    fn default() -> Self {
        Self {
            changed: broadcast::Sender::new(PENDING),
            seen: broadcast::Sender::new(PENDING),
            subscribed: watch::Sender::default(),
        }
    }
}

impl Updates {
    /// Notifies clients that the resource with this URI has changed.
    pub fn resource(&self, uri: &str) {
        let uri: Arc<str> = uri.into();
        // There may be no listener.
        let _ = self.seen.send(uri.clone());
        let _ = self.changed.send(uri);
    }

    /// Notifies clients that a replica has seen a change of this resource.
    pub fn told(&self, uri: &str) {
        let _ = self.changed.send(uri.into());
    }

    /// Notifies clients of every resource that one of them is subscribed to, because changes may have been missed.
    pub fn missed(&self) {
        let uris: BTreeSet<String> =
            self.subscribed.borrow().keys().map(|(_, uri)| uri.clone()).collect();
        for uri in uris {
            self.told(&uri);
        }
    }

    /// Returns a listener that gets the URIs of resources whose changes this process sees from now on.
    pub fn listen_own(&self) -> Listener {
        Listener(self.seen.subscribe())
    }

    /// Returns a listener that gets the URIs of resources that change from now on.
    pub fn listen(&self) -> Listener {
        Listener(self.changed.subscribe())
    }

    /// Subscribes a client to a resource, until the subscription is dropped. `provider` is the one that has added the resource.
    pub fn subscribe(&self, provider: Option<&str>, uri: &str) -> Subscription {
        let key = (provider.unwrap_or_default().to_owned(), uri.to_owned());
        self.subscribed.send_modify(|counts| *counts.entry(key.clone()).or_default() += 1);
        Subscription { key, subscribed: self.subscribed.clone() }
    }

    /// Returns the resources of a provider to which clients are subscribed.
    pub fn subscribed(&self, provider: &str) -> Subscribed {
        Subscribed { provider: provider.to_owned(), counts: self.subscribed.subscribe() }
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

/// The subscription of a client to a resource. It ends when this is dropped.
#[derive(Debug)]
pub struct Subscription {
    key: (String, String),
    subscribed: watch::Sender<Counts>,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.subscribed.send_modify(|counts| match counts.get_mut(&self.key) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(counts.remove(&self.key)),
        });
    }
}

/// The resources of a provider to which clients are subscribed.
#[derive(Debug)]
pub struct Subscribed {
    provider: String,
    counts: watch::Receiver<Counts>,
}

impl Subscribed {
    /// Returns their URIs now.
    pub fn now(&mut self) -> BTreeSet<String> {
        let counts = self.counts.borrow_and_update();
        let uris = counts.keys().filter(|(provider, _)| *provider == self.provider);
        uris.map(|(_, uri)| uri.clone()).collect()
    }

    /// Waits until they may be others than [`Self::now`] has returned. Never completes once the server ends.
    pub async fn changed(&mut self) {
        if self.counts.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
