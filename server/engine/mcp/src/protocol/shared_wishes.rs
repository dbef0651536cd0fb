//! What a replica must know that goes on with a session of another: what the client wants to be told, and how many calls it made.

use std::time::Duration;

use http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::{Extensions, LoggingLevel};
use rmcp::service::Peer;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolwrit_words::headers::MCP_SESSION;

use super::McpServer;
use super::reports;
use super::session::Session;
use toolwrit_core::caller::session_calls::SessionCalls;
use toolwrit_core::shared::Kept;

/// How long they are kept, as long as the session at most.
const LIFETIME: Duration = Duration::from_hours(24);

#[derive(Default, Serialize, Deserialize)]
struct KeptWishes {
    level: Option<LoggingLevel>,
    resources: Vec<String>,
}

/// Returns the id of the session that a request over HTTP names.
pub(super) fn session_id(extensions: &Extensions) -> Option<String> {
    let id = extensions.get::<Parts>()?.headers.get(MCP_SESSION)?;
    id.to_str().ok().map(str::to_owned)
}

impl McpServer {
    /// Returns the counter of the calls of the session of a request; `None` without a session.
    pub(super) fn session_calls(&self, extensions: &Extensions) -> Option<SessionCalls> {
        let calls = self.session.as_ref()?.calls();
        let has_replicas = self.engine.state.shared().replica().is_some();
        Some(if has_replicas { calls.named(session_id(extensions)) } else { calls })
    }

    /// Tells the other replicas what the client wants to be told. Does nothing without replicas.
    pub(super) async fn tell_wishes(&self, session: &Session, id: Option<String>) {
        let shared = self.engine.state.shared();
        let (Some(_), Some(id)) = (shared.replica(), id) else { return };
        let (level, resources) = session.wished();
        let kept = KeptWishes { level: level.map(reports::wire_level), resources };
        let text = json!(kept).to_string();
        if shared.keep(Kept::SessionWishes, &id, text, LIFETIME).await.is_err() {
            tracing::warn!("another replica will not know what a session is subscribed to");
        }
    }

    /// Goes on with what a client has asked for at another replica.
    pub(super) async fn take_up(&self, session: &Session, id: &str, peer: &Peer<RoleServer>) {
        let shared = self.engine.state.shared();
        let Ok(Some(text)) = shared.kept(Kept::SessionWishes, id).await else { return };
        let Ok(KeptWishes { level, resources }) = serde_json::from_str(&text) else { return };
        if let Some(level) = level {
            session.set_level(reports::level(level));
        }
        let endpoints = self.endpoints.now();
        for uri in resources {
            if let Some(subscription) = endpoints.general.subscribe(&uri) {
                session.subscribe(uri, subscription, &self.engine.updates, peer.clone());
            }
        }
    }
}
