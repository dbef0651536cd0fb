//! MCP over streamable HTTP. A request passes, in this order (`service`): where it was sent and from
//! which page (`origin`), who sends it (`access`), whether the server still takes work (`drain`),
//! which endpoint it means (`endpoint_cache`); then its body is read. A plain tool call is answered at once
//! (`calls`); for the rest the session is looked up, if there is one (`sessions`), and rmcp takes over
//! (`mcp`).

mod access;
mod body;
mod calls;
mod challenge;
mod choice;
mod connections;
mod cors;
mod descriptors;
#[cfg(feature = "docs")]
mod docs;
mod drain;
mod endpoint_cache;
mod health;
mod mcp;
#[cfg(feature = "oauth")]
mod metadata;
#[cfg(feature = "metrics")]
mod metrics;
mod mounted;
mod origin;
mod places;
mod refusal;
mod refused;
mod service;
mod sessions;
mod settings;
mod streams;
mod tools;
mod wire;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware;
use axum::routing::{get, post};
use tokio::net::{TcpListener, TcpSocket};

use crate::identity::{Accounts, ApplicationAccounts, ResourceServer};
use crate::metrics::Metrics;
use toolwrit_mcp::signals::Signals;

pub use drain::{Drain, Interrupted};
pub use endpoint_cache::EndpointCache;
pub use origin::{Host, Origin, Sources};
pub use sessions::Sessions;
pub use settings::{BadTokens, Settings};

use access::Gate;
use mcp::HttpState;
use mounted::Mounted;
use refusal::{nothing_here, wrong_method};
use service::RequestService;
use streams::Streams;

/// What one client may cost the server.
#[derive(Debug, Clone, Copy)]
pub struct HttpLimits {
    /// Largest head of a request, in bytes.
    pub(crate) head_bytes: usize,
    /// Largest body of a request, in bytes.
    pub(crate) body_bytes: usize,
    /// For a connection to send the head of its next request; it is closed after that.
    pub(crate) head_time: Duration,
    /// For the body of a request, from its head on.
    pub(crate) body_time: Duration,
    /// For a client to take some of what is sent to it; the connection is closed after that.
    pub(crate) write_time: Duration,
    /// Connections at once, in all.
    pub(crate) connections: usize,
    /// Bytes at once of bodies that arrive and of answers that leave, in all.
    pub(crate) held_bytes: usize,
    /// For handlers at work, when the server stops.
    pub(crate) drain_time: Duration,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            head_bytes: 64 * 1024,
            body_bytes: 256 * 1024,
            head_time: Duration::from_secs(10),
            body_time: Duration::from_secs(10),
            write_time: Duration::from_secs(10),
            connections: 1024,
            held_bytes: 32 * 1024 * 1024,
            drain_time: Duration::from_secs(30),
        }
    }
}

/// A server that is bound, but not listened to yet.
pub struct HttpServer {
    /// The surfaces to serve.
    pub endpoints: EndpointCache,
    /// The accounts, if the application decides.
    pub application: Option<ApplicationAccounts>,
    /// The accounts of tokens made here.
    pub accounts: Accounts,
    /// The authorization server whose tokens count.
    pub oauth: Option<ResourceServer>,
    /// Hosts and origins that requests may name.
    pub sources: Sources,
    /// What one client may cost.
    pub limits: HttpLimits,
    /// What is counted.
    pub metrics: Arc<Metrics>,
}

impl HttpServer {
    /// Serves until the process is asked to stop, and then until what is in flight is answered.
    ///
    /// # Errors
    /// When it was asked twice and left requests unanswered, or cannot hear that it is asked.
    pub async fn serve(self, listener: TcpListener) -> Result<(), Interrupted> {
        let signals = Signals::listen()?;
        let drain = Drain::default();
        let limits = self.limits;
        let sessions = self.endpoints.sessions().clone();
        let engine = self.endpoints.engine().clone();
        let service = self.service(&drain);
        let outcome = tokio::select! {
            outcome = connections::serve(listener, service, limits, drain, signals) => outcome,
            never = sessions.expire() => never,
        };
        if outcome.is_ok() {
            engine.savings().save().await;
        }
        outcome
    }

    /// A router with these paths, for an application that owns the connections: nest it under a path, or make
    /// it a fallback. It takes work until the drain begins.
    pub fn router(self, drain: &Drain) -> Router {
        let (limits, sessions) = (self.limits, self.endpoints.sessions().clone());
        Mounted::new(self.service(drain), limits, sessions).router()
    }

    fn service(self, drain: &Drain) -> RequestService {
        #[cfg(feature = "oauth")]
        let about_tokens =
            self.oauth.as_ref().map(|oauth| metadata::router(oauth, &self.endpoints.server_name()));
        let (sources, gate, state) = self.inside(drain);
        let health = get(health::ready).with_state(drain.clone());
        let routes = Router::new()
            .route("/tools", get(tools::list))
            .route("/tools/metrics", get(tools::costs))
            .route("/tools/metrics/reset", post(tools::reset))
            .with_state(state.clone());
        #[cfg(feature = "docs")]
        let routes = routes.merge(docs::router(&state));
        let routes = routes
            .layer(middleware::from_fn_with_state(drain.clone(), drain::admit))
            .route("/healthz", get(health::alive))
            .route("/readyz", health);
        #[cfg(feature = "metrics")]
        let routes = routes.route("/metrics", get(metrics::show).with_state(state.clone()));
        #[cfg(feature = "oauth")]
        let routes = routes.merge(about_tokens.unwrap_or_default());
        let routes = routes
            .fallback(async || nothing_here())
            .method_not_allowed_fallback(async || wrong_method());
        RequestService::new(sources, gate, Some(state), routes)
    }

    /// The gate, and what is behind it.
    fn inside(self, drain: &Drain) -> (Sources, Arc<Gate>, Arc<HttpState>) {
        let Self { endpoints, application, accounts, oauth, sources, limits, metrics } = self;
        let name = endpoints.server_name();
        let gate = Arc::new(Gate::new(application, accounts, oauth, &name, metrics.clone()));
        let streams = Streams::new(limits.connections);
        let state = HttpState {
            endpoints,
            gate: gate.clone(),
            streams,
            limits,
            drain: drain.clone(),
            #[cfg(feature = "metrics")]
            metrics,
        };
        (sources, gate, Arc::new(state))
    }

    /// Serves the documentation alone, until the process is asked to stop.
    ///
    /// # Errors
    /// As [`Self::serve`].
    #[cfg(feature = "docs")]
    pub async fn serve_docs(self, listener: TcpListener) -> Result<(), Interrupted> {
        let signals = Signals::listen()?;
        let (drain, limits) = (Drain::default(), self.limits);
        let (sources, gate, state) = self.inside(&drain);
        let routes = docs::router(&state)
            .layer(middleware::from_fn_with_state(drain.clone(), drain::admit))
            .fallback(async || docs::no_such_page())
            .method_not_allowed_fallback(async || wrong_method());
        let service = RequestService::new(sources, gate, None, routes);
        connections::serve(listener, service, limits, drain, signals).await
    }
}

/// What the system holds for a client that takes nothing, in bytes. Left alone it takes megabytes.
const SEND_BUFFER: u32 = 128 * 1024;
/// Connections that the system keeps until they are accepted.
const BACKLOG: u32 = 1024;

/// Binds an address, so that clients can connect from now on. Needs a runtime.
///
/// # Errors
/// When the address is taken, or not this machine's.
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // On other systems it would let two servers have one address.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    // Connections inherit it.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
