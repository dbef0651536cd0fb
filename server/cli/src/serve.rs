//! `serve`: an MCP server on standard input and output, or over HTTP.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use tokio::net::TcpListener;

use super::config::Config;
use super::exit::Exit;
use super::flags::{self, LimitFlags, PolicyFlags, SurfaceFlags};
use super::oauth::OauthFlags;
use super::program::{Program, Verb, runtime};
use super::state::StateFlags;
use super::{config, log, output};
use toolwrit_core::policy::Policy;
use toolwrit_core::recorder::Recorder;
use toolwrit_http::identity::Accounts;
use toolwrit_http::metrics::Metrics;
#[cfg(feature = "otel")]
use toolwrit_http::otel::Exporter;
use toolwrit_http::server as http;
use toolwrit_mcp::endpoint::Engine;
use toolwrit_mcp::protocol::Server;
use toolwrit_mcp::stdio;
use toolwrit_mcp::surface::{Look, Looks};

pub(super) const VERB: Verb = Verb { name: "serve", command, run };

#[derive(Debug, Args)]
pub(super) struct ServeFlags {
    /// Speak MCP over standard input and output. This is the default.
    #[arg(long)]
    stdio: bool,
    #[command(flatten)]
    pub(super) http: HttpFlags,
    #[command(flatten)]
    pub(super) oauth: OauthFlags,
    #[command(flatten)]
    surface: SurfaceFlags,
    #[command(flatten)]
    pub(super) policy: PolicyFlags,
    #[command(flatten)]
    limits: LimitFlags,
    #[command(flatten)]
    pub(super) state: StateFlags,
}

/// How to serve over HTTP.
#[derive(Debug, Args)]
#[command(next_help_heading = "HTTP")]
pub(super) struct HttpFlags {
    /// Speak MCP over HTTP at this address, such as 127.0.0.1:8080; port 0 takes a free one.
    #[arg(
        long = "http",
        env = "TOOLWRIT_HTTP",
        hide_env_values = true,
        value_name = "ADDR",
        value_parser = address
    )]
    pub(super) address: Option<SocketAddr>,
    /// File of access tokens, as `token new` writes it.
    #[arg(long, env = "TOOLWRIT_TOKENS", hide_env_values = true, value_name = "FILE")]
    pub(super) tokens: Option<PathBuf>,
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

fn address(text: &str) -> Result<SocketAddr, String> {
    let mut found = text.to_socket_addrs().map_err(|error| {
        format!("{error}; expected an address and a port, such as 127.0.0.1:8080")
    })?;
    found.next().ok_or_else(|| "the name has no address".to_owned())
}

fn command(program: &Program) -> Command {
    let command = (program.options)(ServeFlags::augment_args(Command::new("serve")));
    command
        .arg(config::print_flag())
        .about("Serve MCP over standard input and output, or over HTTP")
}

/// The settings of the command that a configuration file may change.
pub(super) fn keys(program: &Program) -> Vec<Arg> {
    config::keys(&command(program))
}

/// Reads the configuration file that the command line, the environment or the configuration folder names.
///
/// # Errors
/// As [`Config::load`].
pub(super) fn configuration(program: &Program) -> Result<Config, Exit> {
    let server = program.authority.server.name;
    let operations = program.authority.operations.iter().map(|operation| operation.id);
    let operations: Vec<&str> = operations.collect();
    Config::load(server, program.command(), &program.arguments, &keys(program), &operations)
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let flags = ServeFlags::from_arg_matches(matches)?;
    let policy = flags.policy.policy(program)?;
    if config::is_wanted(matches) {
        return config::print(&program.config, &keys(program), matches, &policy);
    }
    let address = match flags.http.address {
        // The flag beats the environment and the file, but not another flag.
        Some(_) if flags.stdio => {
            if matches.value_source("address") == Some(ValueSource::CommandLine) {
                return Err(command(program)
                    .error(ErrorKind::ArgumentConflict, "--stdio and --http exclude each other")
                    .into());
            }
            None
        }
        address => address,
    };
    log::start();
    // Both are dropped after the engine, when everything that ran has left its record and its span.
    let keeper = flags.state.open(program);
    let recorder = Recorder::new(keeper.state());
    #[cfg(feature = "otel")]
    let exporter = {
        let server = &program.authority.server;
        Exporter::start(server.name, server.version).map_err(Exit::configuration)?
    };
    #[cfg(feature = "otel")]
    let recorder = recorder.traced_by(exporter.tracer());
    match address {
        Some(address) => over_http(program, matches, flags, policy, address, recorder),
        None => over_stdio(program, matches, &flags, &policy, recorder),
    }
}

fn over_stdio(
    program: &Program,
    matches: &ArgMatches,
    flags: &ServeFlags,
    policy: &Policy,
    recorder: Recorder,
) -> Result<(), Exit> {
    let engine =
        Engine::new((program.open)(matches)?, &flags.limits.settings(&program.config), recorder);
    let server = Server::new(&engine, policy, &looks(program, &flags.surface));
    let runtime = runtime()?;
    runtime
        .block_on(stdio::serve(server))
        .map_err(|error| Exit::Failed(format!("the connection broke: {error}")))?;
    // Blocking work whose caller has gone must not keep the process.
    runtime.shutdown_background();
    Ok(())
}

fn over_http(
    program: &Program,
    matches: &ArgMatches,
    flags: ServeFlags,
    policy: Policy,
    address: SocketAddr,
    recorder: Recorder,
) -> Result<(), Exit> {
    let ServeFlags { http, oauth, surface, policy: chosen, limits, state, .. } = flags;
    let oauth = oauth.resource_server(program)?;
    let accounts = accounts(program, &state, http.tokens, address, oauth.is_some())?;
    let mut hosts = http.hosts;
    // What clients and tokens call this server is its name.
    hosts.extend(oauth.iter().filter_map(|oauth| oauth.audience().authority().parse().ok()));
    let sources = http::Sources::new(address.ip(), hosts, http.origins);
    let (counters, backlog) = (&recorder.counters, recorder.state.backlog());
    let metrics = Arc::new(Metrics::new(&program.authority.into(), counters, backlog));
    let recorder = recorder.observed_by(metrics.clone());
    let engine = Engine::new((program.open)(matches)?, &limits.settings(&program.config), recorder);
    let looks = looks(program, &surface);
    let sessions = http::Sessions::new(http.sessions);
    let faces = http::Faces::new(engine, policy, chosen.names_role(), looks, sessions);
    let limits = http::Limits::default();
    let server = http::Server { faces, accounts, oauth, sources, limits, metrics };
    listen(address, "/mcp", |listener| server.serve(listener))
}

/// Listens, says where, and serves until the process is asked to stop.
pub(super) fn listen<F: Future<Output = Result<(), http::Interrupted>>>(
    address: SocketAddr,
    path: &str,
    serve: impl FnOnce(TcpListener) -> F,
) -> Result<(), Exit> {
    let runtime = runtime()?;
    let outcome = runtime.block_on(async {
        let cannot = |error| Exit::Failed(format!("cannot listen on {address}: {error}"));
        let listener = http::bind(address).map_err(cannot)?;
        let bound = listener.local_addr().map_err(cannot)?;
        output::tell(&format!("listening on http://{bound}{path}"));
        serve(listener).await.map_err(|error| Exit::Failed(error.to_string()))
    });
    // What was cut off must not keep the process.
    runtime.shutdown_background();
    outcome
}

/// How the server looks: the flags say, and the configuration file for clients of its choice.
fn looks(program: &Program, flags: &SurfaceFlags) -> Looks {
    let SurfaceFlags { surface: kind, split, profile } = *flags;
    let general = Look { kind, split, profile };
    let clients = program.config.clients().iter().map(|client| client.look(general));
    Looks { general, clients: clients.collect() }
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
    format!("make one with `{} token new --role ROLE{flags}`", flags::program_name())
}
