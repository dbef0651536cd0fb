//! `serve --http`: its flags, the server, its socket, and its accounts.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use tokio::net::TcpListener;

use super::{ServeFlags, command, surface_config};
use crate::exit::Exit;
use crate::output;
use crate::program::{Program, in_runtime, program_name};
use crate::state::StateFlags;
use toolwrit_core::policy::Policy;
use toolwrit_core::recorder::Recorder;
use toolwrit_http::identity::Accounts;
use toolwrit_http::metrics::Metrics;
use toolwrit_http::server as http;
use toolwrit_mcp::endpoint::Engine;

/// How to serve over HTTP.
#[derive(Debug, Args)]
#[command(next_help_heading = "HTTP")]
pub(crate) struct HttpFlags {
    /// Speak MCP over HTTP at this address, such as 127.0.0.1:8080; port 0 takes a free one.
    #[arg(
        long = "http",
        env = "TOOLWRIT_HTTP",
        hide_env_values = true,
        value_name = "ADDR",
        value_parser = resolved
    )]
    pub(crate) address: Option<SocketAddr>,
    /// File of access tokens, as `token new` writes it.
    #[arg(long, env = "TOOLWRIT_TOKENS", hide_env_values = true, value_name = "FILE")]
    pub(crate) tokens: Option<PathBuf>,
    /// A further name under which clients reach the server; repeatable.
    #[arg(
        long = "allowed-host",
        env = "TOOLWRIT_ALLOWED_HOST",
        hide_env_values = true,
        value_name = "HOST",
        value_delimiter = ','
    )]
    hosts: Vec<http::Host>,
    /// A further origin whose pages may call the server; repeatable.
    #[arg(
        long = "allowed-origin",
        env = "TOOLWRIT_ALLOWED_ORIGIN",
        hide_env_values = true,
        value_name = "ORIGIN",
        value_delimiter = ','
    )]
    origins: Vec<http::Origin>,
    /// Keep at most N sessions for clients that begin with `initialize`, so that the server can send
    /// them requests and notifications; 0 serves each request on its own.
    #[arg(
        long,
        env = "TOOLWRIT_SESSIONS",
        hide_env_values = true,
        value_name = "N",
        default_value_t = 0
    )]
    sessions: u16,
}

fn resolved(text: &str) -> Result<SocketAddr, String> {
    let mut found = text.to_socket_addrs().map_err(|error| {
        format!("{error}; expected an address and a port, such as 127.0.0.1:8080")
    })?;
    found.next().ok_or_else(|| "the name has no address".to_owned())
}

/// The address of `--http`, unless `--stdio` says otherwise. That flag beats the environment and the file, but
/// not another flag.
///
/// # Errors
/// When both flags are there.
pub(super) fn address(
    program: &Program,
    matches: &ArgMatches,
    flags: &ServeFlags,
) -> Result<Option<SocketAddr>, Exit> {
    let address = flags.http.address.filter(|_| !flags.stdio);
    let is_flag = matches.value_source("address") == Some(ValueSource::CommandLine);
    if flags.stdio && is_flag {
        return Err(command(program)
            .error(ErrorKind::ArgumentConflict, "--stdio and --http exclude each other")
            .into());
    }
    Ok(address)
}

/// Serves at this address until the process is asked to stop.
pub(super) fn serve(
    program: &Program,
    matches: &ArgMatches,
    flags: ServeFlags,
    policy: Policy,
    address: SocketAddr,
    recorder: Recorder,
) -> Result<(), Exit> {
    #[cfg(feature = "oauth")]
    let oauth = flags.oauth.resource_server(program)?;
    #[cfg(not(feature = "oauth"))]
    let oauth = None;
    let ServeFlags { http, surface, policy: chosen, limits, state, .. } = flags;
    let accounts = accounts(program, &state, http.tokens, address, oauth.is_some())?;
    #[cfg(feature = "oauth")]
    // What clients and tokens call this server is its name.
    let own = oauth.iter().filter_map(|oauth| oauth.audience().authority().parse().ok());
    #[cfg(not(feature = "oauth"))]
    let own = [];
    let hosts = http.hosts.into_iter().chain(own).collect();
    let sources = http::Sources::new(address.ip(), hosts, http.origins);
    let (counters, backlog) = (&recorder.counters, recorder.state.backlog());
    let metrics = Arc::new(Metrics::new(&program.authority.into(), counters, backlog));
    let recorder = recorder.observed_by(metrics.clone());
    let settings = limits.settings(&program.config);
    let surface_config = surface_config(program, &surface);
    let sessions = http::Sessions::new(http.sessions);
    let limits = http::HttpLimits::default();
    in_runtime(settings.handlers(program.authority), async {
        let engine = Engine::new((program.open)(matches).await?, &settings, recorder);
        let endpoints = http::EndpointCache::new(
            engine.clone(),
            policy,
            chosen.names_role(),
            surface_config,
            sessions,
        );
        let server = http::HttpServer {
            endpoints,
            application: None,
            accounts,
            oauth,
            sources,
            limits,
            metrics,
        };
        let ended = listen(address, "/mcp", |listener| server.serve(listener)).await;
        // Who asks twice to stop does not want to wait.
        if ended.is_ok() {
            engine.close().await;
        }
        ended
    })
}

/// Listens, says where, and serves until the process is asked to stop.
pub(crate) async fn listen<F: Future<Output = Result<(), http::Interrupted>>>(
    address: SocketAddr,
    path: &str,
    serve: impl FnOnce(TcpListener) -> F,
) -> Result<(), Exit> {
    let cannot = |error| Exit::Failed(format!("cannot listen on {address}: {error}"));
    let listener = http::bind(address).map_err(cannot)?;
    let bound = listener.local_addr().map_err(cannot)?;
    output::tell(&format!("listening on http://{bound}{path}"));
    serve(listener).await.map_err(|error| Exit::Failed(error.to_string()))
}

/// Who may come in with a token made here. Beyond this machine, where there is a file of tokens, and where
/// an authorization server gives some, nobody does without one.
fn accounts(
    program: &Program,
    state: &StateFlags,
    named: Option<PathBuf>,
    address: SocketAddr,
    has_oauth: bool,
) -> Result<Accounts, Exit> {
    let is_open_to_others = !address.ip().is_loopback();
    if let Some(path) = named.as_ref().filter(|path| !path.is_file()) {
        return Err(Exit::Configuration(format!(
            "there is no file of tokens {}; {}",
            path.display(),
            how_to_make_one(&format!(" --tokens {}", path.display()))
        )));
    }
    let is_required = is_open_to_others || has_oauth || named.is_some();
    let file = state.tokens(program, named);
    let path = file.as_ref().map(|file| file.path().display().to_string()).unwrap_or_default();
    let accounts =
        Accounts::open(file, program.authority, is_required).map_err(Exit::configuration)?;
    if is_open_to_others && accounts.is_empty() && !has_oauth {
        return Err(Exit::Configuration(format!(
            "{address} can be reached from other machines, and nobody has an access token; {}, or \
             name an authorization server with --oauth-issuer",
            how_to_make_one("")
        )));
    }
    if accounts.are_required() && accounts.is_empty() && !has_oauth {
        output::tell(&format!("nobody can come in: the file of tokens {path} has none"));
    }
    Ok(accounts)
}

fn how_to_make_one(flags: &str) -> String {
    format!("make one with `{} token new --role ROLE{flags}`", program_name())
}
