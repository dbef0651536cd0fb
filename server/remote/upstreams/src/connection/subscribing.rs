//! Subscribes to single resources of an upstream, for as long as a connection lasts.
#![expect(deprecated, reason = "older upstreams have a request for each resource")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    ClientRequest, ServerNotification, SubscribeRequest, SubscribeRequestParams,
    SubscriptionFilter, UnsubscribeRequest, UnsubscribeRequestParams,
};
use tokio::sync::watch;
use tokio::time::timeout;

use super::session::Session;

/// The pause before a subscription that the upstream has ended begins again.
const PAUSE: Duration = Duration::from_secs(1);
/// How long the request for a subscription may take.
const PATIENCE: Duration = Duration::from_secs(10);

impl Session {
    /// Subscribes to the resources that are wanted, and to no others. Does not end.
    pub(super) async fn keep_subscribed(&self) {
        let capabilities = self.peer().peer_info().map(|info| info.capabilities.clone());
        let resources = capabilities.and_then(|capabilities| capabilities.resources);
        if resources.and_then(|resources| resources.subscribe) == Some(true) {
            let wanted = self.handler.subscriptions.wanted();
            if self.is_stateless() {
                self.keep_listening(wanted).await;
            } else {
                self.keep_each(wanted).await;
            }
        }
        std::future::pending::<()>().await;
    }

    /// Subscribes to each, as before 2026-07-28.
    async fn keep_each(&self, mut wanted: watch::Receiver<Arc<BTreeSet<String>>>) {
        let mut subscribed = Arc::<BTreeSet<String>>::default();
        let mut renewals = self.renewals.receiver();
        loop {
            let now = wanted.borrow_and_update().clone();
            for uri in subscribed.difference(&now) {
                let params = UnsubscribeRequestParams::new(uri.clone());
                let request = UnsubscribeRequest::new(params);
                self.tell(ClientRequest::UnsubscribeRequest(request), uri).await;
            }
            for uri in now.difference(&subscribed) {
                let request = SubscribeRequest::new(SubscribeRequestParams::new(uri.clone()));
                self.tell(ClientRequest::SubscribeRequest(request), uri).await;
            }
            subscribed = now;
            tokio::select! {
                changed = wanted.changed() => if changed.is_err() { return },
                // Another session has no subscriptions.
                Ok(()) = renewals.changed() => subscribed = Arc::default(),
            }
        }
    }

    async fn tell(&self, request: ClientRequest, uri: &str) {
        match timeout(PATIENCE, self.peer().send_request(request)).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::debug!(%error, uri, "a subscription has failed"),
            Err(_) => tracing::debug!(uri, "a subscription has not been answered in time"),
        }
    }

    /// Subscribes to all at once, since 2026-07-28. The next subscription begins before the last one ends, so that no update
    /// is missed.
    async fn keep_listening(&self, mut wanted: watch::Receiver<Arc<BTreeSet<String>>>) {
        let mut current = None;
        loop {
            let now = wanted.borrow_and_update().clone();
            current = if now.is_empty() {
                None
            } else {
                let filter = SubscriptionFilter::builder();
                let filter = filter.resource_subscriptions(now.iter().cloned()).build();
                if let Ok(Ok(next)) = timeout(PATIENCE, self.peer().listen(filter)).await {
                    Some(next)
                } else {
                    tracing::debug!("a subscription to resources has failed");
                    current
                }
            };
            loop {
                let news = async {
                    match &mut current {
                        Some(subscription) => subscription.next().await,
                        None => std::future::pending().await,
                    }
                };
                tokio::select! {
                    changed = wanted.changed() => match changed {
                        Ok(()) => break,
                        Err(_) => return,
                    },
                    news = news => match news {
                        Ok(Some(ServerNotification::ResourceUpdatedNotification(update))) => {
                            self.handler.subscriptions.update(&update.params.uri);
                        }
                        Ok(Some(_)) => {}
                        // The upstream has ended it, or has sent what nobody wants.
                        Ok(None) | Err(_) => {
                            tokio::time::sleep(PAUSE).await;
                            break;
                        }
                    },
                }
            }
        }
    }
}
