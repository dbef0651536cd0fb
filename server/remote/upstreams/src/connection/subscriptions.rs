//! The single resources of an upstream whose updates are wanted. They outlive connections: each next one subscribes again.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::{broadcast, watch};

/// Resources of one upstream to which we subscribe at most.
const MOST: usize = 1000;
/// Updates that are kept for a slow listener, which misses older ones.
const PENDING: usize = 1024;

/// The resources whose updates are wanted, and their updates.
pub(crate) struct Subscriptions {
    wanted: watch::Sender<Arc<BTreeSet<String>>>,
    updated: broadcast::Sender<Arc<str>>,
}

impl Default for Subscriptions {
    fn default() -> Self {
        Self { wanted: watch::Sender::default(), updated: broadcast::Sender::new(PENDING) }
    }
}

impl Subscriptions {
    /// Wants updates of these resources, and of no others.
    pub(crate) fn want(&self, uris: BTreeSet<String>) {
        let uris: BTreeSet<String> = uris.into_iter().take(MOST).collect();
        self.wanted.send_if_modified(|wanted| {
            let is_other = **wanted != uris;
            if is_other {
                *wanted = Arc::new(uris);
            }
            is_other
        });
    }

    /// Receives the resources whose updates are wanted.
    pub(super) fn wanted(&self) -> watch::Receiver<Arc<BTreeSet<String>>> {
        self.wanted.subscribe()
    }

    /// Receives the URIs of resources that change from now on.
    pub(crate) fn updates(&self) -> broadcast::Receiver<Arc<str>> {
        self.updated.subscribe()
    }

    /// Receives an update. One that nobody wants is dropped.
    pub(super) fn update(&self, uri: &str) {
        if self.wanted.borrow().contains(uri) {
            // There may be no listener.
            let _ = self.updated.send(uri.into());
        }
    }
}
