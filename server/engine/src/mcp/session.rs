//! What a client of the old era settles for its session: the log messages and the news that it
//! wants. Nothing of it changes what the client may do.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::Peer;

use crate::context::Level;
use crate::updates::{Listener, Updates};

/// One session. Clones are the same session.
#[derive(Debug, Clone, Default)]
pub(super) struct Session(Arc<Mutex<Wishes>>);

#[derive(Debug, Default)]
struct Wishes {
    level: Option<Level>,
    resources: HashSet<String>,
    /// A task forwards the news.
    is_fed: bool,
}

impl Session {
    fn wishes(&self) -> MutexGuard<'_, Wishes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The least severe messages that it wants; none until it says so.
    pub(super) fn level(&self) -> Option<Level> {
        self.wishes().level
    }

    pub(super) fn set_level(&self, level: Level) {
        self.wishes().level = Some(level);
    }

    /// Sends news of this resource from now on.
    pub(super) fn subscribe(&self, uri: String, updates: &Updates, peer: Peer<RoleServer>) {
        let mut wishes = self.wishes();
        wishes.resources.insert(uri);
        if !std::mem::replace(&mut wishes.is_fed, true) {
            tokio::spawn(self.clone().feed(updates.listen(), peer));
        }
    }

    pub(super) fn unsubscribe(&self, uri: &str) {
        self.wishes().resources.remove(uri);
    }

    /// Ends with the connection.
    async fn feed(self, mut news: Listener, peer: Peer<RoleServer>) {
        while let Some(uri) = news.next().await {
            if peer.is_transport_closed() {
                break;
            }
            if self.wishes().resources.contains(&*uri) {
                let update = ResourceUpdatedNotificationParam::new(uri.to_string());
                if peer.notify_resource_updated(update).await.is_err() {
                    break;
                }
            }
        }
    }
}
