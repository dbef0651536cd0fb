//! Notifies clients when a list changes because the authority, or the availability of a provider, has changed. Several changes
//! before a client is notified are one notification; a change that was taken back meanwhile is none.

use std::future::pending;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::service::Peer;
use tokio::sync::watch;

use super::client_endpoints::{ChangedLists, ClientEndpoints, Lists};
use crate::renewed::Renewed;
use toolwrit_core::authority::Changes;

/// Waits for lists to change. Misses no change after it is created.
pub(super) struct ListChanges {
    endpoints: Arc<Renewed<ClientEndpoints>>,
    changes: Changes,
    /// Changes when the availability of a provider does; `None` if there are no providers.
    availability: Option<watch::Receiver<u64>>,
    known: Lists,
    /// Whether the lists may have changed since they were last compared.
    is_due: bool,
}

impl ListChanges {
    pub(super) fn new(
        endpoints: &Arc<Renewed<ClientEndpoints>>,
        changes: Changes,
        availability: Option<watch::Receiver<u64>>,
    ) -> Self {
        let known = endpoints.now().lists();
        Self { endpoints: endpoints.clone(), changes, availability, known, is_due: true }
    }

    /// Returns which lists have changed; `None` when no further change is possible. Cancel-safe.
    pub(super) async fn next(&mut self) -> Option<ChangedLists> {
        loop {
            if !self.is_due {
                let availability = async {
                    match &mut self.availability {
                        Some(receiver) => receiver.changed().await.ok(),
                        None => pending().await,
                    }
                };
                tokio::select! {
                    changed = self.changes.next() => changed?,
                    changed = availability => changed?,
                }
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
