//! `browse`: opens the tool browser of a server that only its own user may call.

use std::net::{Ipv4Addr, SocketAddr};

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::commands::listing;
use crate::commands::serve::HttpService;
use crate::exit::Exit;
use crate::flags::given::words_given;
use crate::flags::{self, LimitFlags, PolicyFlags};
use crate::output;
use crate::output::log;
use crate::program::state::StateFlags;
use crate::program::{self, Program, Verb, invocation, program_name};
use toolwrit_core::audit::recorder::Recorder;
use toolwrit_http::identity::{Accounts, UserAccess};
use toolwrit_http::server::{AllowedSources, HttpLimits};
use toolwrit_mcp::surface::{SurfaceConfig, SurfaceOptions};

pub(crate) const VERB: Verb = Verb { name: "browse", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// Port on this machine; 0 chooses a free one.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// Print the address of the page, and open nothing.
    #[arg(long)]
    no_open: bool,
    #[command(flatten)]
    policy: PolicyFlags,
    #[command(flatten)]
    limits: LimitFlags,
    #[command(flatten)]
    state: StateFlags,
}

fn command(program: &Program) -> Command {
    let command = Flags::augment_args(program.with_options(Command::new("browse")));
    flags::guarded(program, command).about("Open the tool browser: find, call and watch operations")
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let flags = Flags::from_arg_matches(matches)?;
    let policy = flags.policy.policy(program)?;
    program.check_named(matches)?;
    log::start();
    let UserAccess { accounts, token, code } = Accounts::of_user(call_command(program, matches))
        .map_err(|error| Exit::Failed(format!("the system provides no random bytes: {error}")))?;
    // Dropped after the engine, so that all calls have written their records.
    let writer = flags.state.open(program)?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, flags.port));
    // Browsers do not send the fragment of an address to servers.
    let path = format!("/browser/#token={token}");
    let opened = format!("/browser/#code={code}");
    let look = SurfaceOptions { command: Some(invocation()), ..listing::LOOK };
    let service = HttpService {
        address,
        path,
        accounts,
        oauth: None,
        sources: AllowedSources::new(address.ip(), Vec::new(), Vec::new()),
        settings: flags.limits.settings(&program.config),
        surface_config: SurfaceConfig { general: look, clients: Vec::new() },
        sessions: 0,
        limits: HttpLimits::default(),
        recorder: Recorder::new(writer.state()),
    };
    service.run(program, matches, policy, &flags.policy, |bound| {
        if !flags.no_open && open::that_detached(format!("http://{bound}{opened}")).is_err() {
            output::print_message("no browser could be opened; open this address yourself");
        }
    })
}

/// The command that calls operations on the same data: the flags of this one that choose it.
fn call_command(program: &Program, matches: &ArgMatches) -> String {
    let application = (program.options)(Command::new("call"));
    let flags = program::flags().chain(application.get_arguments().cloned());
    // Another shell may not have the variables of this one.
    let sources = [ValueSource::CommandLine, ValueSource::EnvVariable];
    let words = flags.flat_map(|flag| words_given(&flag, matches, &sources));
    let program = [program_name().to_owned(), "call".to_owned()];
    program.into_iter().chain(words).collect::<Vec<_>>().join(" ")
}
