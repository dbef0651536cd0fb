//! The state of a session, before 2026-07-28: the log level and the resource updates that the client asked
//! for. They never change what it may do. Calls are counted, because their number may be limited.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::Peer;
use tokio_util::sync::CancellationToken;

use super::list_changed::{ListChanges, announce};
use toolwrit_core::call::reports::Level;
use toolwrit_core::caller::session_calls::SessionCalls;
use toolwrit_core::updates::{Listener, Subscription, Updates};

/// One session. Clones share its state.
#[derive(Clone, Default)]
pub(super) struct Session(Arc<SessionState>);

#[derive(Default)]
struct SessionState {
    wishes: Mutex<Wishes>,
    calls: SessionCalls,
    ended: CancellationToken,
}

impl Drop for SessionState {
    fn drop(&mut self) {
        self.ended.cancel();
    }
}

#[derive(Default)]
struct Wishes {
    level: Option<Level>,
    resources: HashMap<String, Subscription>,
    /// Whether a task already forwards resource updates.
    is_forwarding: bool,
    /// The source of list changes, until a task takes it.
    list_changes: Option<ListChanges>,
}

impl Session {
    fn wishes(&self) -> MutexGuard<'_, Wishes> {
        self.0.wishes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the counter of its calls.
    pub(super) fn calls(&self) -> SessionCalls {
        self.0.calls.clone()
    }

    /// Returns the lowest level of log messages to send; `None` until the client sets one.
    pub(super) fn level(&self) -> Option<Level> {
        self.wishes().level
    }

    pub(super) fn set_level(&self, level: Level) {
        self.wishes().level = Some(level);
    }

    /// Starts to send updates of this resource.
    pub(super) fn subscribe(
        &self,
        uri: String,
        subscription: Subscription,
        updates: &Updates,
        peer: Peer<RoleServer>,
    ) {
        let mut wishes = self.wishes();
        wishes.resources.insert(uri, subscription);
        if !std::mem::replace(&mut wishes.is_forwarding, true) {
            let (session, ended) = (Arc::downgrade(&self.0), self.0.ended.clone());
            let forwarding = forward_updates(session, updates.listen(), peer);
            tokio::spawn(async move { ended.run_until_cancelled(forwarding).await });
        }
    }

    /// Keeps the source of list changes until the client has completed initialization.
    pub(super) fn begin(&self, changes: ListChanges) {
        self.wishes().list_changes = Some(changes);
    }

    /// Starts to notify the client of list changes.
    pub(super) fn announce_lists(&self, peer: Peer<RoleServer>) {
        if let Some(changes) = self.wishes().list_changes.take() {
            let ended = self.0.ended.clone();
            let announcing = announce(changes, peer);
            tokio::spawn(async move { ended.run_until_cancelled(announcing).await });
        }
    }

    /// Returns the level and the resources that the client asked for.
    pub(super) fn wished(&self) -> (Option<Level>, Vec<String>) {
        let wishes = self.wishes();
        (wishes.level, wishes.resources.keys().cloned().collect())
    }

    pub(super) fn unsubscribe(&self, uri: &str) {
        self.wishes().resources.remove(uri);
    }
}

/// Sends resource updates to a session. Holds it weakly, so that waiting does not keep the session alive.
async fn forward_updates(
    session: Weak<SessionState>,
    mut updates: Listener,
    peer: Peer<RoleServer>,
) {
    while let Some(uri) = updates.next().await {
        let Some(session) = session.upgrade().map(Session) else { return };
        let is_wanted = session.wishes().resources.contains_key(&*uri);
        drop(session);
        if is_wanted {
            let update = ResourceUpdatedNotificationParam::new(uri.to_string());
            if peer.notify_resource_updated(update).await.is_err() {
                return;
            }
        }
    }
}
