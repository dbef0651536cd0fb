//! `serve`: serves MCP over standard input and output, or over HTTP.

#[cfg(feature = "http")]
mod http;
#[cfg(feature = "manifest")]
mod reload;

use std::io::{IsTerminal as _, stdin};

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use crate::config;
use crate::config::{Config, Declared};
use crate::exit::Exit;
#[cfg(feature = "oauth")]
use crate::flags::oauth::OauthFlags;
use crate::flags::{self, LimitFlags, PinFlags, PolicyFlags, SurfaceFlags};
use crate::output::{self, log};
use crate::program::state::StateFlags;
use crate::program::{Program, Verb, in_runtime, invocation};
use toolwrit_core::audit::recorder::Recorder;
use toolwrit_core::policy::Policy;
#[cfg(feature = "otel")]
use toolwrit_http::otel::Exporter;
use toolwrit_mcp::endpoint::Engine;
use toolwrit_mcp::protocol::McpServer;
use toolwrit_mcp::stdio;
use toolwrit_mcp::surface::{MANY_TOKENS, SurfaceConfig, SurfaceOptions, measure_pins};

#[cfg(feature = "http")]
pub(crate) use http::HttpFlags;
#[cfg(feature = "browser")]
pub(crate) use http::HttpService;
#[cfg(feature = "docs")]
pub(crate) use http::listen;

pub(crate) const VERB: Verb = Verb { name: "serve", command, run };

#[derive(Debug, Args)]
pub(crate) struct ServeFlags {
    /// Serve MCP over standard input and output. This is the default.
    #[arg(long)]
    stdio: bool,
    #[cfg(feature = "http")]
    #[command(flatten)]
    pub(crate) http: HttpFlags,
    #[cfg(feature = "oauth")]
    #[command(flatten)]
    pub(crate) oauth: OauthFlags,
    #[command(flatten)]
    surface: SurfaceFlags,
    #[command(flatten)]
    pub(crate) policy: PolicyFlags,
    #[command(flatten)]
    limits: LimitFlags,
    #[command(flatten)]
    pub(crate) state: StateFlags,
}

fn command(program: &Program) -> Command {
    let command = ServeFlags::augment_args(program.with_options(Command::new("serve")));
    let command = flags::guarded(program, command);
    command.arg(config::print_flag()).about(if cfg!(feature = "http") {
        "Serve MCP over standard input and output, or over HTTP"
    } else {
        "Serve MCP over standard input and output"
    })
}

/// The flags of `serve` that a configuration file may set.
pub(crate) fn keys(program: &Program) -> Vec<Arg> {
    config::keys(&command(program))
}

/// Loads the configuration file.
///
/// # Errors
/// See [`Config::load`].
pub(crate) fn configuration(program: &Program) -> Result<Config, Exit> {
    let declared = program.whole().tables();
    let operations = declared.operations.iter().map(|operation| operation.id.as_str());
    let providers = declared.providers.iter();
    let declared = Declared {
        authority: program.authority,
        operations: operations.collect(),
        providers: providers
            .filter_map(|provider| Some((provider.name.as_str(), provider.settings()?)))
            .collect(),
        #[cfg(feature = "chat")]
        conversations: program.converse.is_some(),
    };
    let server = program.folder_name();
    let may_create = adds_servers(program);
    Config::load(&server, &program.arguments, &command(program), &declared, may_create)
}

/// Whether the command adds to the configuration file, and so creates it.
fn adds_servers(program: &Program) -> bool {
    let matches = program.command().ignore_errors(true).try_get_matches_from(&program.arguments);
    let Ok(matches) = matches else { return false };
    let names =
        matches.subcommand().and_then(|(verb, inner)| Some((verb, inner.subcommand_name()?)));
    matches!(names, Some(("upstream", "add") | ("import", "claude" | "clients")))
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let flags = ServeFlags::from_arg_matches(matches)?;
    let policy = flags.policy.policy(program)?;
    if config::is_wanted(matches) {
        return config::print(&program.config, &keys(program), matches, &policy);
    }
    announce_pins(program, &policy, &flags.surface.pins)?;
    #[cfg(feature = "http")]
    let address = http::address(program, matches, &flags)?;
    log::start();
    #[cfg(feature = "manifest")]
    if let Some(manifest) = &program.manifest {
        reload::announce(&manifest.left_out);
    }
    // Dropped after the engine, so that all calls have written their records and spans.
    let writer = flags.state.open(program)?;
    let recorder = Recorder::new(writer.state());
    #[cfg(feature = "otel")]
    let exporter = {
        let server = &program.tables().server;
        Exporter::start(&server.name, &server.version).map_err(Exit::configuration)?
    };
    #[cfg(feature = "otel")]
    let recorder = recorder.traced_by(exporter.tracer());
    #[cfg(feature = "http")]
    if let Some(address) = address {
        return http::serve(program, matches, flags, policy, address, recorder);
    }
    over_stdio(program, matches, &flags, &policy, recorder)
}

fn over_stdio(
    program: &Program,
    matches: &ArgMatches,
    flags: &ServeFlags,
    policy: &Policy,
    recorder: Recorder,
) -> Result<(), Exit> {
    let settings = flags.limits.settings(&program.config);
    in_runtime(settings.handlers(program.tables()), async {
        #[cfg(feature = "upstreams")]
        program.upstreams.follow(&recorder.state).await?;
        let engine = Engine::new(program.open(matches).await?, &settings, recorder);
        engine.take_place().await.map_err(|why| Exit::Failed(why.to_string()))?;
        engine.examined_within(Engine::START_TIME).await;
        if stdin().is_terminal() {
            announce(program, engine.described());
        }
        let surface = surface_config(program, &flags.surface)?;
        let server = McpServer::new(&engine, policy, &surface);
        let ended = following(program, &flags.policy, &engine, stdio::serve(server)).await;
        engine.close().await;
        ended.map_err(|error| Exit::Failed(format!("the connection failed: {error}")))
    })
}

/// Tells a person who has typed the command that it waits for a client.
fn announce(program: &Program, described: Option<String>) {
    let what = described.unwrap_or_else(|| program.tables().server.name.clone());
    let has_browser = program.verbs().any(|verb| verb.name == "browse");
    let people = if has_browser {
        format!(" For people: `{} browse`.", invocation())
    } else {
        String::new()
    };
    output::print_message(&format!(
        "Serving {what} to a client on standard input, until it ends or Ctrl-C.{people}"
    ));
}

/// Serves, and follows the files of `--manifest` meanwhile.
async fn following<T>(
    program: &Program,
    policy: &PolicyFlags,
    engine: &Engine,
    serve: impl Future<Output = T>,
) -> T {
    #[cfg(feature = "manifest")]
    return tokio::select! {
        ended = serve => ended,
        never = reload::follow(program, policy, engine) => match never {},
    };
    #[cfg(not(feature = "manifest"))]
    {
        let _ = (program, policy, engine);
        serve.await
    }
}

/// The surface of all clients from the flags, and those of single clients from the configuration file.
fn surface_config(program: &Program, flags: &SurfaceFlags) -> Result<SurfaceConfig, Exit> {
    let SurfaceFlags { surface: kind, split, profile, legacy, pins } = flags;
    let (kind, split, profile, legacy) = (*kind, *split, *profile, *legacy);
    let pins = pins.named(program.authority)?;
    let command = Some(invocation());
    let general = SurfaceOptions { kind, split, profile, legacy, command, pins };
    let clients = program.config.clients().iter().map(|client| client.options(general));
    Ok(SurfaceConfig { general, clients: clients.collect() })
}

/// Warns of pinned operations that nothing offers, and of many tokens.
fn announce_pins(program: &Program, policy: &Policy, flags: &PinFlags) -> Result<(), Exit> {
    let pins = flags.named(program.authority)?;
    if pins.is_empty() {
        return Ok(());
    }
    let listed = program.listed();
    for unmatched in flags.unmatched(&listed) {
        output::print_warning(&unmatched.to_string());
    }
    let cost = measure_pins(&policy.over(&listed), pins).pop();
    if let Some(cost) = cost.filter(|cost| cost.tokens >= MANY_TOKENS) {
        output::print_warning(&format!(
            "the {} pinned tools cost {} tokens in every conversation; `{} tokens --pin ..` has the cost of each",
            cost.tools,
            cost.tokens,
            invocation()
        ));
    }
    Ok(())
}
