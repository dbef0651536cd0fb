//! Finds the endpoint of a request among those of one authority, by path, headers and credential.
//! Endpoints are built once and cached.

use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode};
use moka::sync::Cache;
use rmcp::transport::streamable_http_server::session::SessionStore;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::choice::EndpointKey;
use super::refusal::{Refusal, nothing_here};
use super::sessions::Sessions;
use toolwrit_core::caller::principal::Identity;
use toolwrit_core::policy::{Policy, UnknownName};
use toolwrit_mcp::endpoint::{Endpoint, Engine};
use toolwrit_mcp::protocol::{FastPath, McpServer};
use toolwrit_mcp::renewed::Renewed;
use toolwrit_mcp::surface::{SurfaceChoice, SurfaceConfig, SurfaceOptions};
use toolwrit_text::shorten;

/// Number of cached endpoints of each kind.
const CACHED_ENDPOINTS: u64 = 64;

type Service = StreamableHttpService<McpServer, LocalSessionManager>;

/// One endpoint, as rmcp serves it.
pub(super) struct McpServices {
    pub(super) choice: EndpointKey,
    /// Answers plain tool calls.
    pub(super) fast_path: FastPath,
    /// Answers each request without a session.
    pub(super) alone: Service,
    /// Answers requests in sessions, and opens and closes sessions.
    pub(super) in_session: Service,
}

/// The endpoints of one authority, as configured by the operator.
pub struct EndpointCache {
    engine: Arc<Engine>,
    /// The operator's policy. Requests may choose a focus mode by path, and narrow the rest.
    policy: Renewed<Policy>,
    /// Whether the operator named a role. Credentials then narrow it instead of replacing it.
    role_is_cap: bool,
    surface_config: SurfaceConfig,
    sessions: Arc<Sessions>,
    kept: Cache<EndpointKey, Arc<McpServices>>,
    flat: Cache<EndpointKey, Arc<Renewed<Endpoint>>>,
}

impl EndpointCache {
    /// Creates an empty cache of endpoints of an engine.
    pub fn new(
        engine: Arc<Engine>,
        policy: Policy,
        role_is_cap: bool,
        surface_config: SurfaceConfig,
        sessions: Sessions,
    ) -> Self {
        let (kept, flat, sessions) =
            (Cache::new(CACHED_ENDPOINTS), Cache::new(CACHED_ENDPOINTS), sessions);
        let sessions = Arc::new(sessions.shared_in(engine.state()));
        let of = policy.authority.clone();
        let policy = Renewed::new(engine.live().clone(), &of, policy, Policy::over);
        Self { engine, policy, role_is_cap, surface_config, sessions, kept, flat }
    }

    pub(super) fn sessions(&self) -> &Arc<Sessions> {
        &self.sessions
    }

    /// The server's programmatic name.
    pub(super) fn server_name(&self) -> String {
        self.engine.authority().tables().server.name.clone()
    }

    /// Returns the services of a path below `/mcp` for this caller.
    ///
    /// # Errors
    /// 404 for an unknown surface or focus mode in the path, 400 for unknown names in the headers.
    pub(super) fn find(
        &self,
        path: &str,
        headers: &HeaderMap,
        identity: &Identity,
    ) -> Result<Arc<McpServices>, Refusal> {
        let (kind, focus) = self.parse_path(path)?;
        let choice = EndpointKey::read(kind, focus, headers, identity)?;
        if let Some(services) = self.kept.get(&choice) {
            return Ok(services);
        }
        let policy = self.policy_of(&choice)?;
        let surface_config = kind.map(|kind| self.surface_config.only(kind));
        let surface_config = surface_config.as_ref().unwrap_or(&self.surface_config);
        let server = McpServer::new(&self.engine, &policy, surface_config).counting_listings();
        let services = Arc::new(McpServices {
            choice: choice.clone(),
            fast_path: FastPath::alone(&server),
            alone: self.service(server.clone(), false),
            in_session: self.service(server, true),
        });
        self.kept.insert(choice, services.clone());
        Ok(services)
    }

    /// The policy of this caller, on any surface.
    ///
    /// # Errors
    /// 400 for unknown names in the headers.
    pub(super) fn policy(
        &self,
        headers: &HeaderMap,
        identity: &Identity,
    ) -> Result<Policy, Refusal> {
        self.policy_of(&EndpointKey::read(None, None, headers, identity)?)
    }

    /// The flat surface for this caller, without MCP.
    ///
    /// # Errors
    /// 400 for unknown names in the headers.
    pub(super) fn flat(
        &self,
        headers: &HeaderMap,
        identity: &Identity,
    ) -> Result<Arc<Endpoint>, Refusal> {
        let choice = EndpointKey::read(Some(SurfaceChoice::Flat), None, headers, identity)?;
        if let Some(endpoint) = self.flat.get(&choice) {
            return Ok(endpoint.now());
        }
        let SurfaceConfig { general, .. } = self.surface_config;
        let options = SurfaceOptions { kind: SurfaceChoice::Flat, legacy: false, ..general };
        let endpoint = Endpoint::new(self.engine.clone(), self.policy_of(&choice)?, options);
        let endpoint = Arc::new(endpoint.renewed());
        self.flat.insert(choice, endpoint.clone());
        Ok(endpoint.now())
    }

    /// The engine shared by all endpoints.
    pub(super) fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Parses a path below `/mcp`: empty, `/{surface}` or `/{surface}/{focus}`.
    fn parse_path<'a>(
        &self,
        path: &'a str,
    ) -> Result<(Option<SurfaceChoice>, Option<&'a str>), Refusal> {
        let mut segments = path.split('/').skip(1);
        let (surface, focus) = (segments.next(), segments.next());
        let kind = match surface {
            None => None,
            Some(name) => Some(SurfaceChoice::from_name(name).ok_or_else(|| {
                let names = SurfaceChoice::ALL.iter().map(|kind| kind.as_str());
                not_found("surface", name).expecting(names)
            })?),
        };
        if segments.next().is_some() {
            return Err(nothing_here());
        }
        let authority = self.engine.authority();
        let modes = authority.tables().focus.iter().map(|mode| mode.name.as_str());
        match focus {
            Some(name) if !modes.clone().any(|mode| mode == name) => {
                Err(not_found("focus mode", name).expecting(modes))
            }
            focus => Ok((kind, focus)),
        }
    }

    /// Applies, in this order: the operator's policy, the path's focus mode, the credential's role, and the
    /// headers that narrow it.
    fn policy_of(&self, choice: &EndpointKey) -> Result<Policy, Refusal> {
        let EndpointKey { focus, role, narrow_focus, narrow_role, .. } = choice;
        let operators = self.policy.now();
        let policy = match focus {
            Some(focus) => operators.under_focus_named(focus),
            None => Ok((*operators).clone()),
        };
        let policy = policy.and_then(|policy| match role {
            Some(role) if self.role_is_cap => policy.as_role_within(role),
            Some(role) => policy.as_role(role),
            None => Ok(policy),
        });
        policy
            .and_then(|policy| policy.narrowed(narrow_focus.as_deref(), narrow_role.as_deref()))
            .map_err(|error: UnknownName| Refusal::new(StatusCode::BAD_REQUEST, error.to_string()))
    }

    /// Builds rmcp's service. Hosts, origins and sizes of bodies have been checked before.
    fn service(&self, server: McpServer, in_session: bool) -> Service {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(in_session)
            .with_json_response(true)
            .disable_allowed_hosts();
        let mut config = config;
        config.session_store = self
            .sessions
            .shared()
            .filter(|_| in_session)
            .map(|shared| Arc::new(shared.clone()) as Arc<dyn SessionStore>);
        let server = move || Ok(server.for_client(in_session));
        StreamableHttpService::new(server, self.sessions.manager(), config)
    }
}

fn not_found(what: &str, name: &str) -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, format!("there is no {what} `{}`", shorten::name(name)))
}
