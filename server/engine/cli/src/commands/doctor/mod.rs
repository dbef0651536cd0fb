//! `doctor`: checks everything that `serve` would need with the same flags, and says how to fix problems.
//! There is a file for each check.

#[cfg(feature = "authoring")]
mod authority;
#[cfg(feature = "clients")]
mod clients;
#[cfg(feature = "postgres")]
mod database;
#[cfg(feature = "upstreams")]
mod logins;
#[cfg(feature = "chat")]
mod models;
#[cfg(feature = "http")]
mod network;
#[cfg(feature = "oauth")]
mod oauth;
mod providers;
#[cfg(feature = "sqlite")]
mod state;
#[cfg(feature = "http")]
mod tokens;
#[cfg(feature = "upstreams")]
mod upstreams;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::json;

use crate::commands::serve::{self, ServeFlags};
use crate::exit::Exit;
use crate::flags;
use crate::output;
use crate::output::table::{Align, table};
use crate::program::home::shown;
use crate::program::{Program, Verb};
use toolwrit_core::diagnosis::{Check, Verdict};

pub(crate) const VERB: Verb = Verb { name: "doctor", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Start each entry of a client that starts this program, as the client does.
    #[cfg(feature = "clients")]
    #[arg(long)]
    start: bool,
    #[command(flatten)]
    serve: ServeFlags,
}

fn command(program: &Program) -> Command {
    let command = Flags::augment_args(program.with_options(Command::new("doctor")));
    flags::guarded(program, command)
        .about("Check manifest, configuration, files, port and clients of a server")
        .after_help(
            "Takes the flags of `serve`, and checks what a server with these flags would use. Exits with \
             code 1 if a check fails.",
        )
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let flags = Flags::from_arg_matches(matches)?;
    let json = flags.json;
    let checks = examine(program, matches, &flags);
    let worst = checks.iter().map(Check::verdict).max().unwrap_or(Verdict::Ok);
    if json {
        output::print_json(&json!({ "status": worst, "checks": checks }))?;
    } else {
        let columns = [("check", Align::Left), ("status", Align::Left), ("found", Align::Left)];
        let rows: Vec<Vec<String>> = checks.iter().flat_map(rows).collect();
        output::print(&table(&columns, &rows))?;
    }
    // The failures have been printed.
    if worst == Verdict::Fail { Err(Exit::Failed(String::new())) } else { Ok(()) }
}

/// The row of a check, and rows below it for further lines of its message, and how to fix it.
fn rows(check: &Check) -> Vec<Vec<String>> {
    let [what, status, message, fix] = check.cells();
    let mut lines = message.lines();
    let first = lines.next().unwrap_or_default();
    let fix = Some(format!("Fix: {fix}")).filter(|_| !fix.is_empty());
    let below = lines.map(str::to_owned).chain(fix);
    let below = below.map(|line| vec![String::new(), String::new(), line]);
    std::iter::once([what, status, first].map(str::to_owned).to_vec()).chain(below).collect()
}

fn examine(program: &Program, matches: &ArgMatches, given: &Flags) -> Vec<Check> {
    let flags = &given.serve;
    let mut checks = Vec::new();
    #[cfg(feature = "authoring")]
    checks.extend(authority::checks(program));
    checks.push(configuration(program));
    checks.extend(policy(program, flags));
    match (program.diagnose)(matches) {
        Ok(found) => checks.extend(found),
        Err(exit) => checks.push(Check::fail(
            "application",
            exit.into_message(),
            "Fix the application's flags; `serve --help` lists them.",
        )),
    }
    checks.extend(providers::providers(program));
    #[cfg(feature = "upstreams")]
    checks.extend(logins::logins(program));
    #[cfg(feature = "upstreams")]
    checks.extend(upstreams::upstreams(program));
    #[cfg(feature = "chat")]
    checks.extend(models::models(program));
    #[cfg(feature = "sqlite")]
    checks.extend(state(program, flags));
    #[cfg(feature = "http")]
    checks.extend(tokens::tokens(program, flags));
    #[cfg(feature = "oauth")]
    checks.extend(oauth::authorization_server(program, &flags.oauth));
    #[cfg(feature = "http")]
    checks.extend(flags.http.address.map(network::address));
    #[cfg(feature = "clients")]
    checks.extend(clients::checks(program, matches, given.start));
    checks
}

/// Where the state is kept.
#[cfg(feature = "sqlite")]
fn state(program: &Program, flags: &ServeFlags) -> Vec<Check> {
    #[cfg(feature = "postgres")]
    match flags.state.database(program) {
        Ok(Some(settings)) => return database::database(&settings),
        Ok(None) => {}
        Err(exit) => return vec![database::unusable(exit)],
    }
    vec![state::state(flags.state.file(program).as_deref())]
}

fn configuration(program: &Program) -> Check {
    let name = "configuration";
    match serve::configuration(program) {
        // A gateway without other settings has the file of the program whose place it takes.
        Ok(config) => match config.path().or(program.config.path()) {
            Some(path) => Check::ok(name, shown(path)),
            None => Check::ok(name, "no configuration file; flags and the environment are used"),
        },
        Err(exit) => Check::fail(
            name,
            exit.into_message(),
            "Fix the file; `serve --print-config` then shows the settings in force.",
        ),
    }
}

fn policy(program: &Program, flags: &ServeFlags) -> Vec<Check> {
    let name = "policy";
    let policy = match flags.policy.unannounced(program) {
        Ok(policy) => policy,
        Err(exit) => return vec![Check::fail(name, exit.into_message(), "Fix the flag.")],
    };
    let shown = policy.visible().count();
    let (focus, role) = (policy.focus(), policy.role());
    let message = format!("{shown} operations in focus `{focus}` for role `{role}`");
    let counted = if shown > 0 {
        Check::ok(name, message)
    } else {
        Check::warn(name, message, "Choose a wider --focus, --role or --tools.")
    };
    let unmatched = program.unmatched(&policy);
    let unmatched = unmatched.iter().map(|unmatched| {
        let fix = "Correct the name, or approve the tool.";
        // What a typing mistake does not withhold is exposed.
        if unmatched.withholds() {
            Check::fail(name, unmatched.to_string(), fix)
        } else {
            Check::warn(name, unmatched.to_string(), fix)
        }
    });
    std::iter::once(counted).chain(unmatched).collect()
}
