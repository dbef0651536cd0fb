//! What calls need of a connection. Many calls use one session at a time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{
    ClientRequest, DiscoverRequest, DiscoverRequestParams, Extensions, PingRequest,
    SubscriptionFilter,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use rmcp::{ClientHandler as _, RoleClient};
use serde_json::Value;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::delivery::Delivery;
use super::handler::Handler;
use crate::causes::innermost;
use crate::model::Timing;
use crate::tools::{self, ServerInfo, ToolList};
use crate::visible::shortened;

/// The pause between two lists, so that an upstream cannot make us list without end.
const LIST_PAUSE: Duration = Duration::from_secs(1);
/// How long a list may take.
const LIST_PATIENCE: Duration = Duration::from_secs(30);
/// Length limits of the names of a server, in characters.
const MAX_NAME: usize = 100;
/// Length limit of a reason, in characters.
const MAX_REASON: usize = 200;

/// When something last happened.
#[derive(Debug, Clone)]
pub(crate) struct Heard(Arc<Mutex<Instant>>);

impl Default for Heard {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }
}

impl Heard {
    pub(super) fn now(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn last(&self) -> Instant {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What calls need of a connection.
pub(crate) struct Session {
    peer: Peer<RoleClient>,
    pub(crate) handler: Handler,
    ended: CancellationToken,
    heard: Heard,
    used: Heard,
    in_flight: AtomicUsize,
    /// Whether the transport tells which requests were delivered.
    has_receipts: bool,
    /// A request could not be sent or was not answered, so that the upstream may be lost.
    suspect: Notify,
}

/// Counts a call while it is in flight.
pub(crate) struct InFlight<'a>(&'a Session);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.used.now();
        self.0.in_flight.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Session {
    pub(super) fn new(
        peer: Peer<RoleClient>,
        handler: Handler,
        ended: CancellationToken,
        heard: Heard,
        has_receipts: bool,
    ) -> Self {
        let (used, in_flight, suspect) = Default::default();
        Self { peer, handler, ended, heard, used, in_flight, has_receipts, suspect }
    }

    pub(crate) fn peer(&self) -> &Peer<RoleClient> {
        &self.peer
    }

    /// Waits until the connection has ended.
    pub(crate) async fn ended(&self) {
        self.ended.cancelled().await;
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.is_cancelled()
    }

    /// Fails the calls in flight.
    pub(crate) fn end(&self) {
        self.ended.cancel();
    }

    pub(crate) fn begin_call(&self) -> InFlight<'_> {
        self.in_flight.fetch_add(1, Ordering::AcqRel);
        InFlight(self)
    }

    /// Adds what tells whether a request was delivered.
    pub(crate) fn delivery(&self, extensions: &mut Extensions) -> Delivery {
        if self.has_receipts { Delivery::of(extensions) } else { Delivery::unknown() }
    }

    /// Asks for a ping, because a request could not be sent or was not answered.
    pub(crate) fn suspect(&self) {
        self.suspect.notify_one();
    }

    /// What the upstream says about itself.
    pub(crate) fn server(&self) -> ServerInfo {
        let Some(info) = self.peer.peer_info() else { return ServerInfo::default() };
        let named = |text: &str| shortened(text, MAX_NAME);
        let server = info.server_info.as_ref();
        ServerInfo {
            name: server.map(|server| named(&server.name)).unwrap_or_default(),
            version: server.map(|server| named(&server.version)).unwrap_or_default(),
            protocol: named(info.protocol_version.as_str()),
            capabilities: serde_json::to_value(&info.capabilities).unwrap_or(Value::Null),
            offered: serde_json::to_value(self.handler.get_info().capabilities)
                .unwrap_or(Value::Null),
        }
    }

    fn is_stateless(&self) -> bool {
        self.peer.peer_info().is_some_and(|info| !info.protocol_version.has_initialize())
    }

    /// Waits until the upstream has not been called for some time.
    pub(crate) async fn unused(&self, patience: Duration) {
        loop {
            let end = self.used.last() + patience;
            let busy = self.in_flight.load(Ordering::Acquire) > 0;
            let now = Instant::now();
            if !busy && end <= now {
                return;
            }
            tokio::time::sleep_until(if busy { now + patience } else { end }).await;
        }
    }

    /// Sends pings in silence. Returns why the upstream is lost. An upstream that works on a call may not answer pings,
    /// so that it gets none until a deadline has passed.
    pub(crate) async fn unhealthy(&self, timing: &Timing) -> String {
        let mut missed = 0;
        let mut next = Instant::now() + timing.silence;
        loop {
            let asked = tokio::select! {
                () = tokio::time::sleep_until(next) => false,
                () = self.suspect.notified() => true,
            };
            let now = Instant::now();
            let working = self.in_flight.load(Ordering::Acquire) > 0;
            let heard = if working { now } else { self.heard.last() };
            if !asked && missed == 0 && heard + timing.silence > now {
                next = heard + timing.silence;
                continue;
            }
            match tokio::time::timeout(timing.ping, self.answers()).await {
                Ok(Ok(())) => {
                    missed = 0;
                    next = Instant::now() + timing.silence;
                }
                Ok(Err(why)) => return why,
                Err(_) => {
                    missed += 1;
                    next = Instant::now();
                }
            }
            if missed >= timing.missed_pings {
                return format!("It did not answer {missed} pings.");
            }
        }
    }

    /// Whether the upstream answers a ping. An upstream that does not know the request has answered.
    ///
    /// # Errors
    /// Why it does not, as a sentence.
    pub(crate) async fn answers(&self) -> Result<(), String> {
        match self.ping().await {
            Ok(()) | Err(ServiceError::McpError(_)) => Ok(()),
            Err(error) => Err(format!("A ping failed: {}.", reason(&error))),
        }
    }

    async fn ping(&self) -> Result<(), ServiceError> {
        let request = if self.is_stateless() {
            ClientRequest::DiscoverRequest(DiscoverRequest::new(DiscoverRequestParams {}))
        } else {
            ClientRequest::PingRequest(PingRequest::default())
        };
        let options = PeerRequestOptions::no_options();
        let handle = self.peer.send_cancellable_request(request, options).await?;
        handle.await_response().await.map(drop)
    }

    /// Lists the tools again when the upstream says that they have changed.
    pub(super) async fn follow_lists(self: Arc<Self>, changed: watch::Sender<Arc<ToolList>>) {
        tokio::join!(self.subscribe(), async {
            loop {
                self.handler.tools_changed.notified().await;
                match tokio::time::timeout(LIST_PATIENCE, tools::list(&self.peer)).await {
                    Ok(Ok(tools)) => drop(changed.send(Arc::new(tools))),
                    Ok(Err(error)) => tracing::warn!(%error, "changed tools cannot be listed"),
                    Err(_) => tracing::warn!("changed tools cannot be listed in time"),
                }
                tokio::time::sleep(LIST_PAUSE).await;
            }
        });
    }

    /// Without a handshake, news of changed tools come to subscribers only.
    async fn subscribe(&self) {
        let declared = self.peer.peer_info().is_some_and(|info| {
            info.capabilities.tools.as_ref().is_some_and(|tools| tools.list_changed == Some(true))
        });
        if !self.is_stateless() || !declared {
            return;
        }
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        let Ok(mut subscription) = self.peer.listen(filter).await else { return };
        while let Ok(Some(_)) = subscription.next().await {
            self.handler.tools_changed.notify_one();
        }
    }
}

/// Why a request failed, in a few words.
fn reason(error: &ServiceError) -> String {
    let text = match error {
        ServiceError::TransportSend(error) => innermost(error),
        error => error.to_string(),
    };
    shortened(text.trim_end_matches('.'), MAX_REASON)
}
