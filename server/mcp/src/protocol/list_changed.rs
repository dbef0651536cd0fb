//! Notifies clients when a list changes because the authority has changed.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::service::Peer;

use super::client_endpoints::{ChangedLists, ClientEndpoints, Lists};
use crate::renewed::Renewed;
use toolwrit_core::authority::Changes;

/// Waits for lists to change. Misses no change after it is created.
pub(super) struct ListChanges {
    endpoints: Arc<Renewed<ClientEndpoints>>,
    changes: Changes,
    known: Lists,
    /// Whether the authority may have changed since the lists were last compared.
    is_due: bool,
}

impl ListChanges {
    pub(super) fn new(endpoints: &Arc<Renewed<ClientEndpoints>>, changes: Changes) -> Self {
        Self { endpoints: endpoints.clone(), changes, known: endpoints.now().lists(), is_due: true }
    }

    /// Returns which lists have changed; `None` when no further change is possible. Cancel-safe.
    pub(super) async fn next(&mut self) -> Option<ChangedLists> {
        loop {
            if !self.is_due {
                self.changes.next().await?;
                self.is_due = true;
            }
            let now = self.endpoints.now().lists();
            let changed = now.changed_from(&self.known);
            (self.known, self.is_due) = (now, false);
            if changed.tools || changed.resources || changed.prompts {
                return Some(changed);
            }
        }
    }
}

/// Notifies the client of a session until it disconnects.
pub(super) async fn announce(mut changes: ListChanges, peer: Peer<RoleServer>) {
    while let Some(changed) = changes.next().await {
        if changed.tools && peer.notify_tool_list_changed().await.is_err() {
            return;
        }
        if changed.resources && peer.notify_resource_list_changed().await.is_err() {
            return;
        }
        if changed.prompts && peer.notify_prompt_list_changed().await.is_err() {
            return;
        }
    }
}
