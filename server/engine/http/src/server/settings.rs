//! HTTP settings for authors who mount the server.

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderMap;

use super::{AllowedSources, EndpointCache, Host, HttpLimits, HttpServer, Origin, Sessions};
use crate::identity::{Account, Accounts, Authenticator, TokenFault, TokenFile};
use crate::metrics::Metrics;
use toolwrit_core::policy::Policy;
use toolwrit_mcp::endpoint::Engine;
use toolwrit_mcp::surface::SurfaceConfig;

/// The token file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct BadTokens(#[from] TokenFault);

/// HTTP settings for authors. By default, every request needs a credential and must be sent to a loopback
/// name of this machine.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    limits: HttpLimits,
    hosts: Vec<Host>,
    origins: Vec<Origin>,
    sessions: u16,
    tokens: Option<PathBuf>,
    is_open: bool,
    authenticator: Option<Authenticator>,
}

impl Settings {
    /// Refuses every request, until tokens or an authentication function are added or the server is opened.
    pub fn new() -> Self {
        Self::default()
    }

    /// Accepts the tokens of this file, which `token new` writes.
    #[must_use]
    pub fn tokens(mut self, file: impl Into<PathBuf>) -> Self {
        self.tokens = Some(file.into());
        self
    }

    /// Accepts exactly the requests for which this function returns an account. While a client listens for
    /// notifications, it is called again with the same headers, before each of them and every few seconds. The client
    /// listens until it gives another account or role, or none.
    #[must_use]
    pub fn authenticate<F, A>(mut self, identify: F) -> Self
    where
        F: Fn(HeaderMap) -> A + Send + Sync + 'static,
        A: Future<Output = Option<Account>> + Send + 'static,
    {
        self.authenticator = Some(Authenticator::new(identify));
        self
    }

    /// Accepts requests without a credential, as one account named `local`.
    #[must_use]
    pub fn open_to_all(mut self) -> Self {
        self.is_open = true;
        self
    }

    /// Adds a host name of the server. Requests to other hosts are refused.
    #[must_use]
    pub fn host(mut self, host: Host) -> Self {
        self.hosts.push(host);
        self
    }

    /// Allows pages of this origin to call the server.
    #[must_use]
    pub fn origin(mut self, origin: Origin) -> Self {
        self.origins.push(origin);
        self
    }

    /// Sets the maximum number of sessions, for clients that begin with `initialize`. 0, the default, answers
    /// each request without a session.
    #[must_use]
    pub fn sessions(mut self, most: u16) -> Self {
        self.sessions = most;
        self
    }

    /// Sets the size limit of a request's body, in bytes; 256 KiB by default.
    #[must_use]
    pub fn body_bytes(mut self, most: usize) -> Self {
        self.limits.body_bytes = most;
        self
    }

    /// Sets the time to receive a request's body; 10 s by default.
    #[must_use]
    pub fn body_time(mut self, most: Duration) -> Self {
        self.limits.body_time = most;
        self
    }

    /// Sets the maximum number of concurrent requests; 1024 by default.
    #[must_use]
    pub fn requests(mut self, most: usize) -> Self {
        self.limits.connections = most;
        self
    }

    /// Sets the maximum number of bytes held for bodies being received and sent; 32 MiB by default.
    #[must_use]
    pub fn held_bytes(mut self, most: usize) -> Self {
        self.limits.held_bytes = most;
        self
    }

    /// Sets the time to answer requests in flight when the server is closed; 30 s by default.
    #[must_use]
    pub fn drain_time(mut self, most: Duration) -> Self {
        self.limits.drain_time = most;
        self
    }

    /// The time to answer requests in flight when the server is closed.
    pub fn most_drain_time(&self) -> Duration {
        self.limits.drain_time
    }

    /// Builds a server. `role_is_cap` means that the author named the role of the policy.
    ///
    /// # Errors
    /// If the token file cannot be used.
    pub fn server(
        &self,
        engine: &Arc<Engine>,
        (policy, role_is_cap): (Policy, bool),
        surface_config: SurfaceConfig,
        metrics: Arc<Metrics>,
    ) -> Result<HttpServer, BadTokens> {
        let authority = engine.authority();
        let tables = authority.tables();
        let application =
            self.authenticator.clone().map(|authenticator| authenticator.for_roles(tables));
        let accounts =
            Accounts::open(self.tokens.clone().map(TokenFile::new), tables, !self.is_open)?;
        let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let sessions = Sessions::new(self.sessions);
        Ok(HttpServer {
            endpoints: EndpointCache::new(
                engine.clone(),
                policy,
                role_is_cap,
                surface_config,
                sessions,
            ),
            application,
            accounts,
            oauth: None,
            sources: AllowedSources::new(here, self.hosts.clone(), self.origins.clone()),
            limits: self.limits,
            metrics,
        })
    }
}
