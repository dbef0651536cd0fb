//! What an author sets about HTTP.

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderMap;

use super::{EndpointCache, Host, HttpLimits, HttpServer, Origin, Sessions, Sources};
use crate::identity::{Account, Accounts, Authenticator, TokenFault, TokenFile};
use crate::metrics::Metrics;
use toolwrit_core::policy::Policy;
use toolwrit_mcp::endpoint::Engine;
use toolwrit_mcp::surface::SurfaceConfig;

/// A file of access tokens that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct BadTokens(#[from] TokenFault);

/// What an author sets about HTTP. Unless it says otherwise, every request needs a credential, and is sent to a
/// name of this machine for itself.
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
    /// Every request is refused: name tokens, authenticate requests, or open the server to all.
    pub fn new() -> Self {
        Self::default()
    }

    /// Accepts the tokens of this file, as `token new` writes it.
    #[must_use]
    pub fn tokens(mut self, file: impl Into<PathBuf>) -> Self {
        self.tokens = Some(file.into());
        self
    }

    /// Accepts the requests for which this function returns an account; it decides alone. Answers that stay
    /// open ask it again from time to time.
    #[must_use]
    pub fn authenticate<F, A>(mut self, identify: F) -> Self
    where
        F: Fn(HeaderMap) -> A + Send + Sync + 'static,
        A: Future<Output = Option<Account>> + Send + 'static,
    {
        self.authenticator = Some(Authenticator::new(identify));
        self
    }

    /// Lets everybody in who has no credential, as one account named `local`.
    #[must_use]
    pub fn open_to_all(mut self) -> Self {
        self.is_open = true;
        self
    }

    /// A name under which clients reach the server. Requests to other names are refused.
    #[must_use]
    pub fn host(mut self, host: Host) -> Self {
        self.hosts.push(host);
        self
    }

    /// An origin whose pages may call the server.
    #[must_use]
    pub fn origin(mut self, origin: Origin) -> Self {
        self.origins.push(origin);
        self
    }

    /// Keeps at most so many sessions for clients that begin with `initialize`. 0, which is the default,
    /// serves each request on its own.
    #[must_use]
    pub fn sessions(mut self, most: u16) -> Self {
        self.sessions = most;
        self
    }

    /// Largest body of a request, in bytes; 256 KiB by default.
    #[must_use]
    pub fn body_bytes(mut self, most: usize) -> Self {
        self.limits.body_bytes = most;
        self
    }

    /// For the body of a request to arrive; 10 s by default.
    #[must_use]
    pub fn body_time(mut self, most: Duration) -> Self {
        self.limits.body_time = most;
        self
    }

    /// Requests at once; 1024 by default.
    #[must_use]
    pub fn requests(mut self, most: usize) -> Self {
        self.limits.connections = most;
        self
    }

    /// Bytes at once of bodies that arrive and of answers that leave; 32 MiB by default.
    #[must_use]
    pub fn held_bytes(mut self, most: usize) -> Self {
        self.limits.held_bytes = most;
        self
    }

    /// For requests in flight when the server is closed; 30 s by default.
    #[must_use]
    pub fn drain_time(mut self, most: Duration) -> Self {
        self.limits.drain_time = most;
        self
    }

    /// For requests in flight when the server is closed.
    pub fn most_drain_time(&self) -> Duration {
        self.limits.drain_time
    }

    /// A server with these settings. `role_is_cap` says that the author named the role of the policy.
    ///
    /// # Errors
    /// A file of tokens that cannot be used.
    pub fn server(
        &self,
        engine: &Arc<Engine>,
        (policy, role_is_cap): (Policy, bool),
        surface_config: SurfaceConfig,
        metrics: Arc<Metrics>,
    ) -> Result<HttpServer, BadTokens> {
        let authority = engine.authority();
        let tables = authority.tables();
        let application = self.authenticator.clone().map(|own| own.for_roles(tables));
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
            sources: Sources::new(here, self.hosts.clone(), self.origins.clone()),
            limits: self.limits,
            metrics,
        })
    }
}
