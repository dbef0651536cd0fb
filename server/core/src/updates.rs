//! News of resources that have changed, on their way to the clients that asked for it.

use std::sync::Arc;

use tokio::sync::broadcast;

/// News that a slow client may be behind; it misses what is older.
const PENDING: usize = 1024;

/// Tells clients that resources have changed. Cheap to clone; a task that watches the outside world
/// may keep one.
#[derive(Debug, Clone)]
pub struct Updates(broadcast::Sender<Arc<str>>);

impl Default for Updates {
    fn default() -> Self {
        Self(broadcast::Sender::new(PENDING))
    }
}

impl Updates {
    /// The resource with this URI has changed.
    pub fn resource(&self, uri: &str) {
        // There may be no listener.
        let _ = self.0.send(uri.into());
    }

    /// The URIs of what changes from now on.
    pub fn listen(&self) -> Listener {
        Listener(self.0.subscribe())
    }
}

/// Hears of changes.
pub struct Listener(broadcast::Receiver<Arc<str>>);

impl Listener {
    /// The URI of the next resource that changed; `None` when the server ends.
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
