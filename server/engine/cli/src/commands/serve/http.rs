//! `serve --http`: its flags, accounts and socket.

use std::io::{IsTerminal as _, stderr};
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use jiff::SignedDuration;
use tokio::net::TcpListener;

use super::{PolicyFlags, ServeFlags, command, following, surface_config};
use crate::exit::Exit;
use crate::output;
use crate::program::state::StateFlags;
use crate::program::{Program, in_runtime, invocation};
use toolwrit_core::audit::recorder::Recorder;
use toolwrit_core::period::period;
use toolwrit_core::pipeline::CallSettings;
use toolwrit_core::policy::Policy;
use toolwrit_http::identity::{Accounts, ResourceServer};
use toolwrit_http::metrics::Metrics;
use toolwrit_http::server as http;
use toolwrit_mcp::endpoint::Engine;
use toolwrit_mcp::surface::SurfaceConfig;

/// The flags of the HTTP server.
#[derive(Debug, Args)]
#[command(next_help_heading = "HTTP")]
pub(crate) struct HttpFlags {
    /// Serve MCP over HTTP at this address, such as 127.0.0.1:8080; port 0 chooses a free port.
    #[arg(
        long = "http",
        env = "TOOLWRIT_HTTP",
        hide_env_values = true,
        value_name = "ADDR",
        value_parser = resolved
    )]
    pub(crate) address: Option<SocketAddr>,
    /// File of access tokens, created with `token new`.
    #[arg(long, env = "TOOLWRIT_TOKENS", hide_env_values = true, value_name = "FILE")]
    pub(crate) tokens: Option<PathBuf>,
    /// Additional host name of the server; repeatable. Requests to other hosts are refused.
    #[arg(
        long = "allowed-host",
        env = "TOOLWRIT_ALLOWED_HOST",
        hide_env_values = true,
        value_name = "HOST",
        value_delimiter = ','
    )]
    hosts: Vec<http::Host>,
    /// Additional origin whose pages may call the server; repeatable.
    #[arg(
        long = "allowed-origin",
        env = "TOOLWRIT_ALLOWED_ORIGIN",
        hide_env_values = true,
        value_name = "ORIGIN",
        value_delimiter = ','
    )]
    origins: Vec<http::Origin>,
    /// Maximum number of sessions, for clients that begin with `initialize`. In a session, the server can
    /// send requests and notifications. 0 answers each request without a session.
    #[arg(
        long,
        env = "TOOLWRIT_SESSIONS",
        hide_env_values = true,
        value_name = "N",
        default_value_t = 0
    )]
    sessions: u16,
    /// Time to go on serving after the signal to stop, while /readyz answers 503, such as 5s; none by default. A balancer
    /// that asks /readyz then sends requests elsewhere before the server refuses them.
    #[arg(
        long,
        env = "TOOLWRIT_DRAIN_DELAY",
        hide_env_values = true,
        value_name = "TIME",
        value_parser = delay
    )]
    drain_delay: Option<Duration>,
}

fn resolved(text: &str) -> Result<SocketAddr, String> {
    let mut found = text.to_socket_addrs().map_err(|error| {
        format!("{error}; expected an address and a port, such as 127.0.0.1:8080")
    })?;
    found.next().ok_or_else(|| "the host name has no address".to_owned())
}

/// The address of `--http`. `--stdio` overrides an address from the environment or the configuration file,
/// but conflicts with the flag `--http`.
///
/// # Errors
/// If both flags are given.
pub(super) fn address(
    program: &Program,
    matches: &ArgMatches,
    flags: &ServeFlags,
) -> Result<Option<SocketAddr>, Exit> {
    let address = flags.http.address.filter(|_| !flags.stdio);
    let is_flag = matches.value_source("address") == Some(ValueSource::CommandLine);
    if flags.stdio && is_flag {
        return Err(command(program)
            .error(ErrorKind::ArgumentConflict, "--stdio and --http cannot be used together")
            .into());
    }
    Ok(address)
}

/// Serves at this address until the process gets a signal to stop.
pub(super) fn serve(
    program: &Program,
    matches: &ArgMatches,
    flags: ServeFlags,
    policy: Policy,
    address: SocketAddr,
    recorder: Recorder,
) -> Result<(), Exit> {
    program.check_named(matches)?;
    #[cfg(feature = "oauth")]
    let oauth = flags.oauth.resource_server(program)?;
    #[cfg(not(feature = "oauth"))]
    let oauth = None;
    let ServeFlags { http, surface, policy: chosen, limits, state, .. } = flags;
    let accounts = accounts(program, &state, http.tokens, address, oauth.is_some())?;
    #[cfg(feature = "oauth")]
    // Clients and tokens name this server by its audience, so its host is allowed.
    let audience_hosts = oauth.iter().filter_map(|oauth| oauth.audience().authority().parse().ok());
    #[cfg(not(feature = "oauth"))]
    let audience_hosts = [];
    let hosts: Vec<http::Host> = http.hosts.into_iter().chain(audience_hosts).collect();
    if address.ip().is_unspecified() && hosts.is_empty() {
        output::print_message(
            "only the host `localhost` is allowed; allow the names and addresses of this machine with --allowed-host",
        );
    }
    let service = HttpService {
        address,
        path: "/mcp".to_owned(),
        accounts,
        oauth,
        sources: http::AllowedSources::new(address.ip(), hosts, http.origins),
        settings: limits.settings(&program.config),
        surface_config: surface_config(program, &surface)?,
        sessions: http.sessions,
        limits: http::HttpLimits::default().with_drain_delay(http.drain_delay.unwrap_or_default()),
        recorder,
    };
    service.run(program, matches, policy, &chosen, |bound| {
        // The log of a service has no reader who would open it.
        if cfg!(feature = "browser") && stderr().is_terminal() {
            output::print_message(&format!("the tool browser is at http://{bound}/browser/"));
        }
    })
}

/// What is served over HTTP, and to whom.
pub(crate) struct HttpService {
    pub(crate) address: SocketAddr,
    /// The path of the address that is printed.
    pub(crate) path: String,
    pub(crate) accounts: Accounts,
    pub(crate) oauth: Option<ResourceServer>,
    pub(crate) sources: http::AllowedSources,
    pub(crate) settings: CallSettings,
    pub(crate) surface_config: SurfaceConfig,
    pub(crate) sessions: u16,
    pub(crate) limits: http::HttpLimits,
    pub(crate) recorder: Recorder,
}

/// Parses a duration that may be zero, so that a flag can undo what a file says.
fn delay(text: &str) -> Result<Duration, String> {
    match text.parse::<SignedDuration>() {
        Ok(SignedDuration::ZERO) => Ok(Duration::ZERO),
        _ => period(text),
    }
}

impl HttpService {
    /// Serves until the process gets a signal to stop. `listening` is called with the address as soon as clients can
    /// connect.
    pub(crate) fn run(
        self,
        program: &Program,
        matches: &ArgMatches,
        policy: Policy,
        chosen: &PolicyFlags,
        listening: impl FnOnce(SocketAddr),
    ) -> Result<(), Exit> {
        let Self { address, path, accounts, oauth, sources, settings, recorder, .. } = self;
        let (counters, state) = (&recorder.counters, &recorder.state);
        let metrics = Arc::new(Metrics::new(program.authority, counters, state));
        let recorder = recorder.observed_by(metrics.clone());
        let sessions = http::Sessions::new(self.sessions);
        in_runtime(settings.handlers(program.tables()), async {
            #[cfg(feature = "upstreams")]
            program.upstreams.follow(&recorder.state).await?;
            let engine = Engine::new(program.open(matches).await?, &settings, recorder);
            engine.take_place().await.map_err(|why| Exit::Failed(why.to_string()))?;
            engine.examined_within(Engine::START_TIME).await;
            let endpoints = http::EndpointCache::new(
                engine.clone(),
                policy,
                chosen.names_role(),
                self.surface_config,
                sessions,
            );
            let server = http::HttpServer {
                endpoints,
                application: None,
                accounts,
                oauth,
                sources,
                limits: self.limits,
                metrics,
            };
            let serve = listen(address, &path, |listener| {
                listening(listener.local_addr().unwrap_or(address));
                server.serve(listener)
            });
            let ended = following(program, chosen, &engine, serve).await;
            // A second signal means that the operator does not want to wait.
            if ended.is_ok() {
                engine.close().await;
            }
            ended
        })
    }
}

/// Listens, prints the address, and serves until the process gets a signal to stop.
pub(crate) async fn listen<F: Future<Output = Result<(), http::Interrupted>>>(
    address: SocketAddr,
    path: &str,
    serve: impl FnOnce(TcpListener) -> F,
) -> Result<(), Exit> {
    let cannot = |error| Exit::Failed(format!("cannot listen on {address}: {error}"));
    let listener = http::bind(address).map_err(cannot)?;
    let bound = listener.local_addr().map_err(cannot)?;
    output::print_message(&format!("listening on http://{bound}{path}"));
    serve(listener).await.map_err(|error| Exit::Failed(error.to_string()))
}

/// Opens the accounts of access tokens. Every request needs a token if the address is not loopback, a file of
/// tokens exists or is named, or an authorization server is configured.
fn accounts(
    program: &Program,
    state: &StateFlags,
    named: Option<PathBuf>,
    address: SocketAddr,
    has_oauth: bool,
) -> Result<Accounts, Exit> {
    let is_public = !address.ip().is_loopback();
    if let Some(path) = named.as_ref().filter(|path| !path.is_file()) {
        return Err(Exit::Configuration(format!(
            "the token file {} does not exist; {}",
            path.display(),
            how_to_create_token(&format!(" --tokens {}", path.display()))
        )));
    }
    let is_required = is_public || has_oauth || named.is_some();
    let file = state.tokens(program, named);
    let path = file.as_ref().map(|file| file.path().display().to_string()).unwrap_or_default();
    let accounts =
        Accounts::open(file, program.tables(), is_required).map_err(Exit::configuration)?;
    if is_public && accounts.is_empty() && !has_oauth {
        return Err(Exit::Configuration(format!(
            "{address} can be reached from other machines, but there is no access token; {}, or \
             name an authorization server with --oauth-issuer",
            how_to_create_token("")
        )));
    }
    if accounts.are_required() && accounts.is_empty() && !has_oauth {
        output::print_message(&format!(
            "all requests will be refused: the token file {path} contains no tokens"
        ));
    }
    Ok(accounts)
}

fn how_to_create_token(flags: &str) -> String {
    format!("create one with `{} token new --role ROLE{flags}`", invocation())
}
