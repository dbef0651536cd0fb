//! News of resources since 2026-07-28: one request that stays open and names what it wants to hear.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ErrorData, ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification,
    SubscriptionFilter,
};
use rmcp::service::SubscriptionContext;

use crate::endpoint::Endpoint;
use toolwrit_core::updates::{Listener, Updates};

/// Those who listen already, while their clients are being told that they do: what changes at that
/// moment must not be missed. Whoever is told next takes the oldest.
#[derive(Clone, Default)]
pub(super) struct Waiting(Arc<Mutex<VecDeque<Listener>>>);

impl Waiting {
    pub(super) fn begin(&self, updates: &Updates) {
        self.listeners().push_back(updates.listen());
    }

    pub(super) fn take(&self, updates: &Updates) -> Listener {
        self.listeners().pop_front().unwrap_or_else(|| updates.listen())
    }

    fn listeners(&self) -> MutexGuard<'_, VecDeque<Listener>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What of a wish is granted: news of the resources that have some, and that the caller may read.
pub(super) fn granted(endpoint: &Endpoint, wanted: &SubscriptionFilter) -> SubscriptionFilter {
    let uris = wanted.resource_subscriptions.iter().flatten();
    let granted = uris.filter(|uri| endpoint.has_news(uri));
    SubscriptionFilter::builder().resource_subscriptions(granted).build()
}

/// Sends news until the client has heard enough.
pub(super) async fn listen(cx: SubscriptionContext, mut news: Listener) -> Result<(), ErrorData> {
    let wanted = cx.accepted().resource_subscriptions.clone().unwrap_or_default();
    loop {
        let uri = tokio::select! {
            uri = news.next() => uri,
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
