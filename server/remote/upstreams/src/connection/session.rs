//! What calls need of a connection. Many calls use one session at a time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{ClientRequest, DiscoverRequest, DiscoverRequestParams, Extensions, PingRequest};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use rmcp::{ClientHandler as _, RoleClient};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::delivery::Delivery;
use super::handler::Handler;
use super::in_flight::Flight;
use super::renewals::Renewals;
use crate::caller::User;
use crate::causes::why;
use crate::model::Timing;
use crate::pages::ListError;
use crate::tools::{self, ServerInfo, ToolList};
use crate::whole::WholeList;
use crate::written::to_json;
use toolwrit_text::shorten::visible_line;

/// Length limits of the names of a server, in characters.
const MAX_NAME: usize = 100;
/// Length limit of the instructions that are kept, in characters.
const MAX_INSTRUCTIONS: usize = 512;
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
    whole: WholeList,
    pub(super) renewals: Renewals,
    ended: CancellationToken,
    heard: Heard,
    used: Heard,
    /// Whether the transport tells which requests were delivered.
    has_receipts: bool,
    /// A request could not be sent or was not answered, so that the upstream may be lost.
    suspect: Notify,
}

/// A call in flight.
pub(crate) struct Using<'a> {
    session: &'a Session,
    _flight: Flight,
}

impl Drop for Using<'_> {
    fn drop(&mut self) {
        self.session.used.now();
    }
}

impl Session {
    pub(super) fn new(
        peer: Peer<RoleClient>,
        handler: Handler,
        whole: WholeList,
        renewals: Renewals,
        ended: CancellationToken,
        heard: Heard,
        has_receipts: bool,
    ) -> Self {
        let (used, suspect) = Default::default();
        Self { peer, handler, whole, renewals, ended, heard, used, has_receipts, suspect }
    }

    pub(super) async fn tools(&self) -> Result<ToolList, ListError> {
        tools::list(&self.peer, &self.whole).await
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

    pub(crate) fn begin_call(&self, user: &User) -> Using<'_> {
        Using { session: self, _flight: self.handler.in_flight.begin(user) }
    }

    /// Adds what tells whether a request was delivered.
    pub(crate) fn delivery(&self, extensions: &mut Extensions) -> Delivery {
        if self.has_receipts { Delivery::track(extensions) } else { Delivery::unknown() }
    }

    /// Asks for a ping, because a request could not be sent or was not answered.
    pub(crate) fn suspect(&self) {
        self.suspect.notify_one();
    }

    /// What the upstream says about itself.
    pub(crate) fn server(&self) -> ServerInfo {
        let Some(info) = self.peer.peer_info() else { return ServerInfo::default() };
        let named = |text: &str| visible_line(text, MAX_NAME);
        let instructions = |text: &str| visible_line(text, MAX_INSTRUCTIONS);
        let server = info.server_info.as_ref();
        ServerInfo {
            name: server.map(|server| named(&server.name)).unwrap_or_default(),
            version: server.map(|server| named(&server.version)).unwrap_or_default(),
            protocol: named(info.protocol_version.as_str()),
            capabilities: to_json(&info.capabilities),
            instructions: info.instructions.as_deref().map(instructions).unwrap_or_default(),
            offered: to_json(&self.handler.get_info().capabilities),
        }
    }

    pub(crate) fn is_stateless(&self) -> bool {
        self.peer.peer_info().is_some_and(|info| !info.protocol_version.has_initialize())
    }

    /// Waits until the upstream has not been called for some time.
    pub(crate) async fn unused(&self, patience: Duration) {
        loop {
            let end = self.used.last() + patience;
            let busy = !self.handler.in_flight.is_empty();
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
            let working = !self.handler.in_flight.is_empty();
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
            Err(error) => Err(format!("A ping failed: {}.", self.reason(&error))),
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

    /// Why a request failed, in a few words.
    fn reason(&self, error: &ServiceError) -> String {
        visible_line(self.handler.secrets.mask(&why(error)).trim_end_matches('.'), MAX_REASON)
    }
}
