//! News of resources since 2026-07-28: one request that stays open and names what it wants to hear.

use std::collections::VecDeque;
use std::future::pending;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ErrorData, ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification,
    SubscriptionFilter,
};
use rmcp::service::SubscriptionContext;

use super::list_changed::ListNews;
use crate::endpoint::Endpoint;
use toolwrit_core::updates::Listener;

/// Those who listen already, while their clients are being told that they do: what changes at that
/// moment must not be missed. The next subscription takes the oldest.
#[derive(Clone, Default)]
pub(super) struct PendingSubscriptions(Arc<Mutex<VecDeque<News>>>);

/// What may be told.
pub(super) struct News {
    pub(super) resources: Listener,
    /// Of lists, where those change.
    pub(super) lists: Option<ListNews>,
}

impl PendingSubscriptions {
    pub(super) fn begin(&self, news: News) {
        self.listeners().push_back(news);
    }

    pub(super) fn take(&self) -> Option<News> {
        self.listeners().pop_front()
    }

    fn listeners(&self) -> MutexGuard<'_, VecDeque<News>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What of a wish is granted: news of the resources that have some, and that the caller may read, and of
/// lists if those change.
pub(super) fn granted(
    endpoint: &Endpoint,
    wanted: &SubscriptionFilter,
    lists_change: bool,
) -> SubscriptionFilter {
    let uris = wanted.resource_subscriptions.iter().flatten();
    let granted = uris.filter(|uri| endpoint.has_news(uri));
    let mut granted = SubscriptionFilter::builder().resource_subscriptions(granted).build();
    if lists_change {
        granted.tools_list_changed = wanted.tools_list_changed;
        granted.resources_list_changed = wanted.resources_list_changed;
        granted.prompts_list_changed = wanted.prompts_list_changed;
    }
    granted
}

/// Sends news until the client has heard enough.
pub(super) async fn listen(cx: SubscriptionContext, news: News) -> Result<(), ErrorData> {
    let News { mut resources, lists } = news;
    let (told, lists) = (cx.accepted(), async {
        match lists {
            Some(lists) => tell(&cx, lists).await,
            None => pending().await,
        }
    });
    let mut lists = pin!(lists);
    let wanted = told.resource_subscriptions.clone().unwrap_or_default();
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

/// Tells of lists that change, as far as the client wants to hear it, until it is gone.
async fn tell(cx: &SubscriptionContext, mut lists: ListNews) {
    let is_wanted = |wish: Option<bool>| wish.unwrap_or_default();
    let wanted = cx.accepted();
    while let Some(changed) = lists.next().await {
        let sink = cx.sink();
        let is_gone = (changed.tools
            && is_wanted(wanted.tools_list_changed)
            && sink.notify_tool_list_changed().await.is_err())
            || (changed.resources
                && is_wanted(wanted.resources_list_changed)
                && sink.notify_resource_list_changed().await.is_err())
            || (changed.prompts
                && is_wanted(wanted.prompts_list_changed)
                && sink.notify_prompt_list_changed().await.is_err());
        if is_gone {
            return;
        }
    }
    pending::<()>().await;
}
