//! MCP over streamable HTTP. A request passes these steps in order (`service`): checks of its host and
//! origin (`origin`), authentication (`access`), the check whether the server is stopping (`drain`), and
//! reading the body (`body`). Its endpoint is looked up (`endpoint_cache`). A plain tool call is answered
//! directly (`calls`). Other messages are passed to rmcp (`mcp`), in their session if they have one
//! (`sessions`).

mod access;
mod body;
#[cfg(feature = "browser")]
mod browser;
#[cfg(feature = "browser")]
mod call_series;
mod calls;
mod challenge;
mod choice;
mod connections;
#[cfg(any(feature = "browser", feature = "docs"))]
mod content_policy;
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
#[cfg(feature = "browser")]
mod page_caller;
#[cfg(feature = "browser")]
mod page_check;
#[cfg(feature = "browser")]
mod page_files;
#[cfg(feature = "browser")]
mod page_history;
#[cfg(feature = "browser")]
mod page_operations;
#[cfg(feature = "browser")]
mod page_session;
#[cfg(feature = "browser")]
mod page_status;
mod plugins;
#[cfg(feature = "browser")]
mod readers;
mod refusal;
#[cfg(feature = "docs")]
mod refusal_page;
mod refused;
mod service;
mod session_owner;
mod sessions;
mod settings;
mod shared_sessions;
mod slot_state;
mod slots;
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
pub use origin::{AllowedSources, Host, Origin};
pub use sessions::Sessions;
pub use settings::{BadTokens, Settings};

use access::Gate;
use mcp::HttpState;
use mounted::Mounted;
use refusal::{nothing_here, wrong_method};
use service::RequestService;
use streams::Streams;

/// Limits of what clients may use.
#[derive(Debug, Clone, Copy)]
pub struct HttpLimits {
    /// Size limit of the head of a request, in bytes.
    pub(crate) head_bytes: usize,
    /// Size limit of the body of a request, in bytes.
    pub(crate) body_bytes: usize,
    /// Time to receive the head of the next request; the connection is closed after that.
    pub(crate) head_time: Duration,
    /// Time to receive the body of a request, after its head.
    pub(crate) body_time: Duration,
    /// Time without a client reading any of its answer; the connection is closed after that.
    pub(crate) write_time: Duration,
    /// Maximum number of open connections.
    pub(crate) connections: usize,
    /// Maximum number of bytes held for all requests being received and answers being sent.
    pub(crate) held_bytes: usize,
    /// Time for running handlers to end when the server stops.
    pub(crate) drain_time: Duration,
    /// Time to go on serving before that, while `/readyz` says that the server stops.
    pub(crate) drain_delay: Duration,
}

impl HttpLimits {
    /// Goes on serving for some time after the signal to stop, until every balancer has noticed.
    #[must_use]
    pub fn with_drain_delay(self, drain_delay: Duration) -> Self {
        Self { drain_delay, ..self }
    }
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
            drain_delay: Duration::ZERO,
        }
    }
}

/// A server, ready to be served on a listener or mounted as a router.
pub struct HttpServer {
    /// The endpoints to serve.
    pub endpoints: EndpointCache,
    /// Accounts of the application. If present, they replace all others.
    pub application: Option<ApplicationAccounts>,
    /// Accounts of tokens made by this server.
    pub accounts: Accounts,
    /// The authorization server whose tokens are accepted.
    pub oauth: Option<ResourceServer>,
    /// Hosts and origins that are allowed.
    pub sources: AllowedSources,
    /// Limits of what clients may use.
    pub limits: HttpLimits,
    /// The metrics to count in.
    pub metrics: Arc<Metrics>,
}

impl HttpServer {
    /// Serves until the process gets a signal to stop, and then until requests in flight are answered.
    ///
    /// # Errors
    /// If a second signal left requests unanswered, or the process cannot listen for signals.
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

    /// Returns a router for an application that owns the connections: nest it under a path, or make it a
    /// fallback. It accepts requests until the drain begins.
    pub fn router(self, drain: &Drain) -> Router {
        let (limits, sessions) = (self.limits, self.endpoints.sessions().clone());
        Mounted::new(self.service(drain), limits, sessions).router()
    }

    fn service(self, drain: &Drain) -> RequestService {
        #[cfg(feature = "oauth")]
        let token_metadata =
            self.oauth.as_ref().map(|oauth| metadata::router(oauth, &self.endpoints.server_name()));
        let stored = self.endpoints.engine().state().clone();
        let (sources, gate, state) = self.split(drain);
        let health = get(health::ready).with_state((drain.clone(), stored));
        let routes = Router::new()
            .route("/tools", get(tools::list))
            .route("/plugins", get(plugins::list))
            .route("/plugins/{id}/capabilities", get(plugins::capabilities))
            .route("/tools/metrics", get(tools::costs))
            .route("/tools/metrics/reset", post(tools::reset))
            .with_state(state.clone());
        #[cfg(feature = "docs")]
        let routes = routes.merge(docs::router(&state));
        #[cfg(feature = "browser")]
        let routes = routes.merge(browser::router(&state)).merge(page_session::router(&state));
        let routes = routes
            .layer(middleware::from_fn_with_state(drain.clone(), drain::admit))
            .route("/healthz", get(health::alive))
            .route("/readyz", health);
        #[cfg(feature = "metrics")]
        let routes = routes.route("/metrics", get(metrics::show).with_state(state.clone()));
        #[cfg(feature = "oauth")]
        let routes = routes.merge(token_metadata.unwrap_or_default());
        let routes = routes
            .fallback(async || nothing_here())
            .method_not_allowed_fallback(async || wrong_method());
        RequestService::new(sources, gate, Some(state), routes)
    }

    /// Splits the server into what checks requests and what answers them.
    fn split(self, drain: &Drain) -> (AllowedSources, Arc<Gate>, Arc<HttpState>) {
        let Self { endpoints, application, accounts, oauth, sources, limits, metrics } = self;
        let name = endpoints.server_name();
        let gate = Arc::new(Gate::new(
            application,
            accounts,
            oauth,
            &name,
            metrics.clone(),
            #[cfg(feature = "browser")]
            endpoints.engine().state(),
        ));
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

    /// Serves only the documentation, until the process gets a signal to stop.
    ///
    /// # Errors
    /// As [`Self::serve`].
    #[cfg(feature = "docs")]
    pub async fn serve_docs(self, listener: TcpListener) -> Result<(), Interrupted> {
        let signals = Signals::listen()?;
        let (drain, limits) = (Drain::default(), self.limits);
        let (sources, gate, state) = self.split(&drain);
        let routes = docs::router(&state)
            .layer(middleware::from_fn_with_state(drain.clone(), drain::admit))
            .fallback(async || docs::no_such_page())
            .method_not_allowed_fallback(async || wrong_method());
        let service = RequestService::new(sources, gate, None, routes);
        connections::serve(listener, service, limits, drain, signals).await
    }
}

/// Bytes that the system buffers for a client that reads nothing. The default is megabytes.
const SEND_BUFFER: u32 = 128 * 1024;
/// Connections that the system queues until they are accepted.
const BACKLOG: u32 = 1024;

/// Binds an address; clients can connect from then on. Needs a Tokio runtime.
///
/// # Errors
/// If the address is in use, or does not belong to this machine.
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // On Windows, SO_REUSEADDR would let two servers share one address.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    // Accepted connections inherit this size.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
