//! `docs`: builds or serves the documentation site of the authority.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::commands::listing;
use crate::commands::serve::listen;
use crate::exit::Exit;
use crate::flags::PolicyFlags;
use crate::output;
use crate::output::log;
use crate::program::manifest::{self, ManifestFile};
use crate::program::{Program, Verb, in_runtime};
use toolwrit_core::audit::counters::Counters;
use toolwrit_core::audit::storage::State;
use toolwrit_core::authority::Authority;
use toolwrit_http::identity::Accounts;
use toolwrit_http::metrics::Metrics;
use toolwrit_http::server as http;
use toolwrit_http::site::costs;
use toolwrit_manifest::{Model, View};
use toolwrit_mcp::surface::SurfaceConfig;

pub(crate) const VERB: Verb = Verb { name: "docs", command, run };

#[derive(Debug, Args)]
struct Build {
    /// Folder for the site. An earlier site there is replaced; other content is refused.
    #[arg(long, value_name = "DIR", default_value = "site")]
    out: PathBuf,
    /// Root file of an older manifest. The site then has a page of what changed since.
    #[arg(long, value_name = "FILE")]
    since: Option<PathBuf>,
    #[command(flatten)]
    policy: PolicyFlags,
}

#[derive(Debug, Args)]
struct Serve {
    /// Loopback address to listen on; port 0 chooses a free port.
    #[arg(long = "http", value_name = "ADDR", default_value = "127.0.0.1:8080")]
    address: SocketAddr,
    #[command(flatten)]
    policy: PolicyFlags,
}

fn command(_: &Program) -> Command {
    let build = Build::augment_args(Command::new("build"));
    let serve = Serve::augment_args(Command::new("serve"));
    Command::new("docs")
        .about("Build or serve the documentation site")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(build.about("Write the site to a folder: the guide and the reference"))
        .subcommand(serve.about("Serve the site to browsers on this machine"))
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    match matches.subcommand() {
        Some(("build", matches)) => build(program, &Build::from_arg_matches(matches)?),
        Some(("serve", matches)) => serve(program, &Serve::from_arg_matches(matches)?),
        _ => Ok(()),
    }
}

fn build(program: &Program, flags: &Build) -> Result<(), Exit> {
    let whole = program.whole();
    let older = match &flags.since {
        Some(file) => {
            let older = ManifestFile::load(file, &whole.tables().server);
            Some(known(
                &older.map_err(|problems| manifest::invalid(&problems))?.whole,
                &flags.policy,
            )?)
        }
        None => None,
    };
    let model = known(whole, &flags.policy)?;
    let costs = costs(&flags.policy.policy_of(whole)?);
    let version = &program.tables().server.version;
    let site = toolwrit_docs::build(&model, version, older.as_ref(), &costs, &flags.out)
        .map_err(|error| Exit::Failed(error.to_string()))?;
    output::print(&format!("{} pages, from {}", site.pages, site.index.display()))
}

/// What a caller under the policy of the flags may know of an authority: all without flags. The role of the caller is
/// the only one, if it is named.
fn known(authority: &Authority, flags: &PolicyFlags) -> Result<Model, Exit> {
    let manifest = manifest::valid(authority.tables())?;
    if flags.is_empty() {
        return Ok(Model::clone(&manifest));
    }
    let policy = flags.policy_of(authority)?;
    let tables = policy.tables();
    let operations = tables.operations.iter().enumerate();
    let allowed = operations.filter(|(index, _)| policy.shows(*index));
    let role = flags.names_role().then(|| policy.role());
    let operations = allowed.map(|(_, operation)| operation.id.as_str()).collect();
    Ok(manifest.narrowed(&View { operations, focus: policy.focus(), role }))
}

fn serve(program: &Program, Serve { address, policy }: &Serve) -> Result<(), Exit> {
    let address = *address;
    if !address.ip().is_loopback() {
        return Err(Exit::Configuration(format!(
            "{address} can be reached from other machines; expected a loopback address such as \
             127.0.0.1:8080. To serve others, use `serve --http`: it has the site at /docs/, protected by \
             access tokens"
        )));
    }
    log::start();
    let surface_config = SurfaceConfig { general: listing::LOOK, clients: Vec::new() };
    let (role_is_cap, chosen) = (policy.names_role(), policy.policy(program)?);
    let sessions = http::Sessions::new(0);
    let endpoints = http::EndpointCache::new(
        listing::engine(program),
        chosen,
        role_is_cap,
        surface_config,
        sessions,
    );
    let server = http::HttpServer {
        endpoints,
        application: None,
        accounts: Accounts::open(None, program.tables(), false).map_err(Exit::configuration)?,
        oauth: None,
        sources: http::AllowedSources::new(address.ip(), Vec::new(), Vec::new()),
        limits: http::HttpLimits::default(),
        metrics: Arc::new(Metrics::new(program.authority, &Counters::default(), &State::none())),
    };
    let handlers = program.tables().concurrency;
    in_runtime(handlers, listen(address, "/docs/", |listener| server.serve_docs(listener)))
}
