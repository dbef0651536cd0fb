//! Sessions that any replica can go on with: what their clients said first, and to whom they belong. Their open streams are lost
//! with their replica.

use std::time::Duration;

use rmcp::transport::streamable_http_server::session::{
    SessionState, SessionStore, SessionStoreError,
};
use serde_json::json;
use tokio::sync::broadcast::{self, error::RecvError};

use super::session_owner::SessionOwner;
use toolwrit_core::audit::storage::{State, StorageFailed};
use toolwrit_core::shared::{Heard, Kept, Notice};

/// How long replicas know a session, at most. The replica that serves it ends it earlier if it is idle.
const LIFETIME: Duration = Duration::from_hours(24);

/// The sessions that replicas share.
#[derive(Debug, Clone)]
pub(super) struct SharedSessions(State);

impl SharedSessions {
    /// Returns the sessions of this state; `None` without replicas.
    pub(super) fn of(state: &State) -> Option<Self> {
        state.shared().replica().map(|_| Self(state.clone()))
    }

    /// Tells the replicas to whom a new session belongs.
    pub(super) async fn opened(&self, id: &str, owner: &SessionOwner) {
        let kept = self.0.shared().keep(Kept::SessionOwner, id, owner.digest(), LIFETIME).await;
        if kept.is_err() {
            tracing::warn!(
                "another replica cannot go on with a session, because it was not stored"
            );
        }
    }

    /// Tells the replicas that a client has ended a session, which they may have gone on with.
    pub(super) async fn ended(&self, id: &str) {
        self.0.shared().publish(Notice::SessionEnded(id.to_owned())).await;
    }

    /// Returns the next session that a client has ended at another replica; `None` if no more can come.
    pub(super) async fn next_ended(heard: &mut broadcast::Receiver<Heard>) -> Option<String> {
        loop {
            match heard.recv().await {
                Ok(Heard::Notice(Notice::SessionEnded(id))) => return Some(id),
                // A session whose end was missed ends when it is idle.
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    }

    /// Returns what other replicas say from now on.
    pub(super) fn watch(&self) -> Option<broadcast::Receiver<Heard>> {
        self.0.shared().watch()
    }

    /// Whether a session of another replica belongs to this owner.
    pub(super) async fn is_known(&self, id: &str, owner: &SessionOwner) -> bool {
        let kept = self.0.shared().kept(Kept::SessionOwner, id).await;
        kept.is_ok_and(|kept| kept.is_some_and(|kept| kept == owner.digest()))
    }

    /// Forgets a session that has ended.
    pub(super) async fn forget(&self, id: &str) {
        for kind in [Kept::SessionOwner, Kept::Session, Kept::SessionWishes] {
            // What cannot be removed ends with its lifetime.
            let _ = self.0.shared().collect(kind, id).await;
        }
    }
}

#[async_trait::async_trait]
impl SessionStore for SharedSessions {
    async fn load(&self, id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let kept = self.0.shared().kept(Kept::Session, id).await.map_err(failed)?;
        Ok(kept.as_deref().map(serde_json::from_str).transpose()?)
    }

    async fn store(&self, id: &str, session: &SessionState) -> Result<(), SessionStoreError> {
        let text = json!(session).to_string();
        self.0.shared().keep(Kept::Session, id, text, LIFETIME).await.map_err(failed)
    }

    async fn delete(&self, id: &str) -> Result<(), SessionStoreError> {
        self.forget(id).await;
        Ok(())
    }
}

fn failed(_: StorageFailed) -> SessionStoreError {
    "what replicas share cannot be reached".into()
}
