//! Notifications of changed resources, for the clients that subscribed to them.

use std::sync::Arc;

use tokio::sync::broadcast;

/// Notifications that are kept for a slow listener, which misses older ones.
const PENDING: usize = 1024;

/// Notifies clients of changed resources. Cheap to clone: a task that watches for changes may keep one.
#[derive(Debug, Clone)]
pub struct Updates(broadcast::Sender<Arc<str>>);

impl Default for Updates {
    fn default() -> Self {
        Self(broadcast::Sender::new(PENDING))
    }
}

impl Updates {
    /// Notifies clients that the resource with this URI has changed.
    pub fn resource(&self, uri: &str) {
        // There may be no listener.
        let _ = self.0.send(uri.into());
    }

    /// Returns a listener that gets the URIs of resources that change from now on.
    pub fn listen(&self) -> Listener {
        Listener(self.0.subscribe())
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
