//! `upstream`: shows, approves and controls the servers of others that the configuration names.

pub(crate) mod added;
mod approve;
mod changes;
mod differences;
mod lines;
mod login;
mod logs;
mod overview;
mod pager;
mod remove;
mod served;
mod shown;
mod trying;
mod whole;

use std::time::Duration;

use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use toml_edit::Array;

use crate::exit::Exit;
use crate::output;
#[cfg(feature = "postgres")]
use crate::program::state::StateFlags;
use crate::program::{Program, Verb, in_runtime};
use served::file;
use toolwrit_gateway::upstreams::{Approval, Approvals, Examination, UpstreamSettings, examine};

pub(crate) use served::served;

pub(crate) const VERB: Verb = Verb { name: "upstream", command, run };

/// How long an upstream may take to start, at most.
const START_TIME: Duration = Duration::from_mins(3);

#[derive(Debug, Args)]
struct Flags {
    #[cfg(feature = "postgres")]
    #[command(flatten)]
    state: StateFlags,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the upstreams, whether they are approved, and their states in running servers. Starts none.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Start an upstream, and list its tools.
    Test {
        #[command(flatten)]
        one: One,
    },
    /// Start an upstream, and compare its tools with those that were approved.
    Diff {
        #[command(flatten)]
        one: One,
    },
    /// Start an upstream, show all that its tools say, and approve them as they are.
    Approve(approve::Flags),
    /// Log in to a remote server in the browser, so that its tools can be used on your behalf.
    Login(login::Flags),
    /// Revoke the tokens of a login, and delete them here.
    Logout {
        /// Name of the upstream.
        name: String,
    },
    /// Start an upstream again in running servers, also after failures.
    Restart {
        /// Name of the upstream.
        #[arg(required_unless_present = "all")]
        name: Option<String>,
        /// Restart all upstreams.
        #[arg(long, conflicts_with = "name")]
        all: bool,
    },
    /// Remove an upstream: its table in the configuration, its approval, its login and its log.
    Remove(remove::Flags),
    /// Call a tool once, also one that is not approved, and print its result as it is.
    Try(trying::Flags),
    /// Show what an upstream has written on standard error, its log messages and its states.
    Logs(logs::Flags),
    /// Switch an upstream on again.
    Enable {
        /// Name of the upstream.
        name: String,
    },
    /// Switch an upstream off, until it is enabled.
    Disable {
        /// Name of the upstream.
        name: String,
    },
    /// Add a server to the configuration: a well-known one, or any other with --url or --command. Without a name, list
    /// the well-known ones.
    Add {
        /// The well-known server, or the name of another one.
        server: Option<String>,
        /// What a well-known server needs, such as folders.
        parameters: Vec<String>,
        /// Name of the upstream, if it is not that of the server.
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// Address of another server over streamable HTTP.
        #[arg(long, value_name = "URL", requires = "server", conflicts_with_all = ["parameters", "command"])]
        url: Option<String>,
        /// Program of another server, and its arguments, up to the end of the command line.
        #[arg(long, value_name = "WORD", num_args = 1.., allow_hyphen_values = true, requires = "server", conflicts_with = "parameters")]
        command: Vec<String>,
    },
}

#[derive(Debug, Args)]
struct One {
    /// Name of the upstream.
    name: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

fn command(_: &Program) -> Command {
    Flags::augment_args(Command::new(VERB.name))
        .about("Show, approve and control the MCP servers of others")
        .after_help(
            "The configuration file has a table [upstreams.NAME] for each, with `command`, `url` or `json`. An upstream is \
             held until its tools are approved. Secrets stand elsewhere: { env = \"NAME\" }, { file = \"PATH\" }, \
             { keyring = \"SERVICE/USER\" } or { command = [..] }.",
        )
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let flags = Flags::from_arg_matches(matches)?;
    #[cfg(feature = "postgres")]
    let decided = flags.action.decided(program);
    act(program, flags.action)?;
    #[cfg(feature = "postgres")]
    share(program, &flags.state, &decided)?;
    Ok(())
}

#[cfg(feature = "postgres")]
impl Action {
    /// The upstreams about which this decides something.
    fn decided(&self, program: &Program) -> Vec<String> {
        let one = match self {
            Self::Approve(approve::Flags { name, .. }) | Self::Restart { name, .. } => {
                name.as_ref()
            }
            Self::Remove(remove::Flags { name, .. })
            | Self::Enable { name }
            | Self::Disable { name } => Some(name),
            _ => return Vec::new(),
        };
        let all = || {
            let enabled = program.config.upstreams().iter().filter(|one| one.is_enabled);
            enabled.map(|upstream| upstream.name.clone()).collect()
        };
        one.map_or_else(all, |name| vec![name.clone()])
    }
}

/// Tells the replicas what was decided.
#[cfg(feature = "postgres")]
fn share(program: &Program, state: &StateFlags, decided: &[String]) -> Result<(), Exit> {
    if decided.is_empty() || state.database(program)?.is_none() {
        return Ok(());
    }
    let (approvals, open) = (Approvals::beside(&file(program)?), state.open(program)?);
    in_runtime(1, async {
        for name in decided {
            approvals.share(&open.state(), name).await.map_err(|error| {
                Exit::Failed(format!(
                    "decided here, but other servers do not know it: {error}; repeat the command"
                ))
            })?;
        }
        Ok(())
    })
}

fn act(program: &Program, action: Action) -> Result<(), Exit> {
    match action {
        Action::List { json } => overview::list(program, json),
        Action::Test { one } => test(&Chosen::find(program, &one.name)?, one.json),
        Action::Diff { one } => diff(&Chosen::find(program, &one.name)?, one.json),
        Action::Approve(flags) => approve::approve(program, &flags),
        Action::Login(flags) => login::log_in(program, &flags),
        Action::Logout { name } => login::log_out(program, &name),
        Action::Restart { name: Some(name), .. } => restart(&Chosen::find(program, &name)?),
        Action::Restart { name: None, .. } => {
            let mut enabled = program.config.upstreams().iter().filter(|one| one.is_enabled);
            enabled.try_for_each(|one| restart(&Chosen::find(program, &one.name)?))
        }
        Action::Remove(flags) => remove::remove(program, &flags),
        Action::Try(flags) => trying::call(&Chosen::find(program, &flags.name)?, &flags),
        Action::Logs(flags) => logs::logs(&Chosen::find(program, &flags.name)?, &flags),
        Action::Enable { name } => switch(&Chosen::find(program, &name)?, true),
        Action::Disable { name } => switch(&Chosen::find(program, &name)?, false),
        Action::Add { server: None, .. } => added::list(),
        Action::Add { server: Some(server), name, url: Some(url), .. } => {
            added::check_address(&url)?;
            added::other(program, name.unwrap_or(server), "url", url)
        }
        Action::Add { server: Some(server), name, command, .. } if !command.is_empty() => {
            added::other(
                program,
                name.unwrap_or(server),
                "command",
                Array::from_iter(words(command)?),
            )
        }
        Action::Add { server: Some(server), parameters, name, .. } => {
            added::known(program, &server, &parameters, name)
        }
    }
}

/// The program and its arguments. A single text with several words is split as shells do.
fn words(command: Vec<String>) -> Result<Vec<String>, Exit> {
    match &command[..] {
        [line] if line.trim().contains(' ') && !std::path::Path::new(line).exists() => {
            shlex::split(line).filter(|words| !words.is_empty()).ok_or_else(|| {
                Exit::Failed(format!(
                    "`{line}` has a quote without its end; expected a program and its arguments"
                ))
            })
        }
        _ => Ok(command),
    }
}

/// An upstream of the configuration.
struct Chosen<'a> {
    settings: &'a UpstreamSettings,
    approvals: Approvals,
}

impl<'a> Chosen<'a> {
    fn find(program: &'a Program, name: &str) -> Result<Self, Exit> {
        let all = program.config.upstreams();
        let Some(settings) = all.iter().find(|upstream| upstream.name == name) else {
            let names: Vec<&str> = all.iter().map(|upstream| upstream.name.as_str()).collect();
            let path = file(program)?;
            let known = if names.is_empty() {
                "it has no upstreams".to_owned()
            } else {
                format!("expected one of: {}", names.join(", "))
            };
            return Err(Exit::Configuration(format!(
                "there is no [upstreams.{name}] in {}; {known}",
                path.display()
            )));
        };
        Ok(Self { settings, approvals: Approvals::beside(&file(program)?) })
    }

    fn examine(&self) -> Result<Examination, Exit> {
        let name = &self.settings.name;
        in_runtime(1, async {
            examine(self.settings, &self.approvals, START_TIME)
                .await
                .map_err(|why| Exit::Failed(format!("the upstream `{name}` cannot be used: {why}")))
        })
    }
}

fn test(chosen: &Chosen<'_>, json: bool) -> Result<(), Exit> {
    let found = chosen.examine()?;
    if json {
        output::print_json(&shown::json(chosen.settings, &found))
    } else {
        output::print(&shown::text(&found))
    }
}

fn diff(chosen: &Chosen<'_>, json: bool) -> Result<(), Exit> {
    let name = &chosen.settings.name;
    let lock = match chosen.approvals.approval(chosen.settings) {
        Approval::Approved(lock) | Approval::Elsewhere(lock, _) => lock,
        Approval::Missing => {
            return Err(Exit::Failed(format!(
                "the tools of the upstream `{name}` are not approved"
            )));
        }
        Approval::Broken(why) => return Err(Exit::Failed(why)),
    };
    let found = chosen.examine()?;
    let verdict = found.verdict(&lock);
    if json {
        return output::print_json(&changes::changes_json(&lock, &found, &verdict));
    }
    let has_moved = lock.location().is_some_and(|location| *location != found.location);
    if verdict.is_clean() && !has_moved {
        output::print_message("The tools are as approved.");
        return Ok(());
    }
    output::print(&changes::changes(chosen.settings, &lock, &found, &verdict))
}

fn restart(chosen: &Chosen<'_>) -> Result<(), Exit> {
    let name = &chosen.settings.name;
    chosen.approvals.restart(name).map_err(|error| cannot_write(&error))?;
    output::print_message(&format!(
        "Servers that are running with {name} restart it within a second."
    ));
    Ok(())
}

fn switch(chosen: &Chosen<'_>, on: bool) -> Result<(), Exit> {
    let name = &chosen.settings.name;
    if on && !chosen.settings.is_enabled {
        return Err(Exit::Configuration(format!(
            "the configuration has enabled = false; remove it from [upstreams.{name}]"
        )));
    }
    let has_changed = chosen.approvals.switch(name, on).map_err(|error| cannot_write(&error))?;
    let word = if on { "on" } else { "off" };
    output::print_message(&if has_changed {
        format!("{name} is {word}. Servers that are running follow within a second.")
    } else {
        format!("{name} was {word} before.")
    });
    Ok(())
}

fn cannot_write(error: &std::io::Error) -> Exit {
    Exit::Failed(format!(
        "cannot write the folder `upstreams` beside the configuration file: {error}"
    ))
}
