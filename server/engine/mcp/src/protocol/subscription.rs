//! `subscriptions/listen`, since 2026-07-28: a request that stays open and names the notifications it wants.

use std::collections::VecDeque;
use std::future::pending;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ErrorData, ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification,
    SubscriptionFilter,
};
use rmcp::service::SubscriptionContext;

use super::list_changed::ListChanges;
use crate::endpoint::Endpoint;
use toolwrit_core::updates::{Listener, Subscription};

/// Sources of subscriptions that rmcp is still acknowledging. They exist before the acknowledgement, so that
/// no change is missed. The next subscription to start takes the oldest.
#[derive(Clone, Default)]
pub(super) struct PendingSubscriptions(Arc<Mutex<VecDeque<ChangeSources>>>);

/// The sources of the notifications of one subscription.
pub(super) struct ChangeSources {
    pub(super) resources: Listener,
    /// `None` if the lists never change.
    pub(super) lists: Option<ListChanges>,
}

impl PendingSubscriptions {
    pub(super) fn begin(&self, changes: ChangeSources) {
        self.listeners().push_back(changes);
    }

    pub(super) fn take(&self) -> Option<ChangeSources> {
        self.listeners().pop_front()
    }

    fn listeners(&self) -> MutexGuard<'_, VecDeque<ChangeSources>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the part of the wanted notifications that the server grants: updates of resources that announce
/// them and that the caller may read, and changes of lists if lists can change.
pub(super) fn granted(
    endpoint: &Endpoint,
    wanted: &SubscriptionFilter,
    lists_change: bool,
) -> SubscriptionFilter {
    let uris = wanted.resource_subscriptions.iter().flatten();
    let granted = uris.filter(|uri| endpoint.can_subscribe(uri));
    let mut granted = SubscriptionFilter::builder().resource_subscriptions(granted).build();
    if lists_change {
        granted.tools_list_changed = wanted.tools_list_changed;
        granted.resources_list_changed = wanted.resources_list_changed;
        granted.prompts_list_changed = wanted.prompts_list_changed;
    }
    granted
}

/// Subscribes the caller to the resources that it names.
pub(super) fn to_resources(
    endpoint: &Endpoint,
    accepted: &SubscriptionFilter,
) -> Vec<Subscription> {
    let uris = accepted.resource_subscriptions.iter().flatten();
    uris.filter_map(|uri| endpoint.subscribe(uri)).collect()
}

/// Sends notifications until the client cancels or disconnects.
pub(super) async fn listen(
    cx: SubscriptionContext,
    changes: ChangeSources,
    _to_resources: Vec<Subscription>,
) -> Result<(), ErrorData> {
    let ChangeSources { mut resources, lists } = changes;
    let (accepted, lists) = (cx.accepted(), async {
        match lists {
            Some(lists) => send_list_changes(&cx, lists).await,
            None => pending().await,
        }
    });
    let mut lists = pin!(lists);
    let wanted = accepted.resource_subscriptions.clone().unwrap_or_default();
    loop {
        let uri = tokio::select! {
            uri = resources.next() => uri,
            () = &mut lists => None,
            () = cx.cancelled() => None,
        };
        let Some(uri) = uri else { return Ok(()) };
        if wanted.iter().any(|wanted| **wanted == *uri) {
            let update = ResourceUpdatedNotificationParam::new(uri.to_string());
            let update = ResourceUpdatedNotification::new(update);
            let sent = cx.sink().send(ServerNotification::ResourceUpdatedNotification(update));
            if sent.await.is_err() {
                return Ok(());
            }
        }
    }
}

/// Sends the `list_changed` notifications that the client wants, until it disconnects.
async fn send_list_changes(cx: &SubscriptionContext, mut lists: ListChanges) {
    let is_wanted = |wish: Option<bool>| wish.unwrap_or_default();
    let wanted = cx.accepted();
    while let Some(changed) = lists.next().await {
        let sink = cx.sink();
        let is_disconnected = (changed.tools
            && is_wanted(wanted.tools_list_changed)
            && sink.notify_tool_list_changed().await.is_err())
            || (changed.resources
                && is_wanted(wanted.resources_list_changed)
                && sink.notify_resource_list_changed().await.is_err())
            || (changed.prompts
                && is_wanted(wanted.prompts_list_changed)
                && sink.notify_prompt_list_changed().await.is_err());
        if is_disconnected {
            return;
        }
    }
    pending::<()>().await;
}
