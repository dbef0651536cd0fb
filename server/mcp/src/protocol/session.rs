//! What a client of the old era settles for its session: the log messages and the news that it
//! wants. Nothing of it changes what the client may do. Calls are counted, because their number may have a limit.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::Peer;
use tokio_util::sync::CancellationToken;

use super::list_changed::{ListNews, announce};
use toolwrit_core::reports::Level;
use toolwrit_core::session_calls::SessionCalls;
use toolwrit_core::updates::{Listener, Updates};

/// One session. Clones are the same session.
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
    resources: HashSet<String>,
    /// A task forwards the news.
    is_fed: bool,
    /// Of lists that change, until a task forwards it.
    list_news: Option<ListNews>,
}

impl Session {
    fn wishes(&self) -> MutexGuard<'_, Wishes> {
        self.0.wishes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The calls that were made in it.
    pub(super) fn calls(&self) -> SessionCalls {
        self.0.calls.clone()
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
            let (session, ended) = (Arc::downgrade(&self.0), self.0.ended.clone());
            let feed = feed(session, updates.listen(), peer);
            tokio::spawn(async move { ended.run_until_cancelled(feed).await });
        }
    }

    /// Lists may change from now on.
    pub(super) fn begin(&self, news: ListNews) {
        self.wishes().list_news = Some(news);
    }

    /// Tells the client of lists that change.
    pub(super) fn announce_lists(&self, peer: Peer<RoleServer>) {
        if let Some(news) = self.wishes().list_news.take() {
            let ended = self.0.ended.clone();
            let announcing = announce(news, peer);
            tokio::spawn(async move { ended.run_until_cancelled(announcing).await });
        }
    }

    pub(super) fn unsubscribe(&self, uri: &str) {
        self.wishes().resources.remove(uri);
    }
}

/// Sends news to a session. Its end is not waited for here: what waits must not keep it.
async fn feed(session: Weak<SessionState>, mut news: Listener, peer: Peer<RoleServer>) {
    while let Some(uri) = news.next().await {
        let Some(session) = session.upgrade().map(Session) else { return };
        let is_wanted = session.wishes().resources.contains(&*uri);
        drop(session);
        if is_wanted {
            let update = ResourceUpdatedNotificationParam::new(uri.to_string());
            if peer.notify_resource_updated(update).await.is_err() {
                return;
            }
        }
    }
}
