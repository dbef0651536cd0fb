//! Checks which MCP clients start this program or connect to it, and whether they can.

use std::net::{TcpStream, ToSocketAddrs as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

use crate::clients::document::{Entry, Target};
use crate::clients::{self, Client, launcher};
use crate::commands::install::{is_own, missing, mistake};
use crate::commands::serve;
use crate::flags::given::words_given;
use crate::program::home::shown;
use crate::program::{self, Program, invocation, program_name};
use toolwrit_core::diagnosis::Check;

/// How long an address may take to accept a connection.
const CONNECTING: Duration = Duration::from_secs(2);

/// What `doctor` says about clients. With `is_starting`, each entry is started, too.
pub(super) fn checks(program: &Program, matches: &ArgMatches, is_starting: bool) -> Vec<Check> {
    let here = std::env::current_dir().unwrap_or_default();
    let mut checks = Vec::new();
    for client in clients::all() {
        let files = client.user_files().chain(client.project_files(&here));
        let mut files: Vec<PathBuf> = files.filter(|file| file.is_file()).collect();
        // In the home folder, files of a project may be those of the user.
        files.dedup();
        for file in files {
            checks.extend(of_file(program, client, &file, is_starting));
        }
    }
    if checks.is_empty() {
        let message = "no known client on this machine starts this program";
        checks.push(Check::warn("clients", message, how_to_add(program, matches)));
    }
    checks
}

fn of_file(program: &Program, client: &Client, file: &Path, is_starting: bool) -> Vec<Check> {
    let document = match client.read(file) {
        Ok(document) => document,
        Err(problem) => {
            let message = format!("{}: {problem}", shown(file));
            let fix = format!("Correct the file; {} cannot read it either.", client.title);
            return vec![Check::warn(&client.name, message, fix)];
        }
    };
    let entries = client.entries(&document);
    entries.iter().filter_map(|entry| of_entry(program, client, file, entry, is_starting)).collect()
}

/// What is to say about an entry; `None` if it does not concern this program.
fn of_entry(
    program: &Program,
    client: &Client,
    file: &Path,
    entry: &Entry,
    is_starting: bool,
) -> Option<Check> {
    let project = entry.project.as_deref().map(|project| format!(" for {}", shown(project)));
    let place = format!("`{}` in {}{}", entry.name, shown(file), project.unwrap_or_default());
    let (name, does) = match &entry.target {
        Target::Command(words) if starts_program(program, words) => {
            (&client.name, format!("{place} starts {}", words.join(" ")))
        }
        Target::Url(url) if is_local(url) => (&client.name, format!("{place} connects to {url}")),
        _ => return None,
    };
    if entry.is_disabled {
        return Some(Check::ok(name, format!("{does}, but is switched off")));
    }
    let problem = match &entry.target {
        Target::Command(words) => command_problem(program, client, &entry.name, words),
        Target::Url(url) => (!answers(url)).then(|| {
            let fix = "Start the server with the flag --http, or correct the address.".to_owned();
            ("nothing listens there".to_owned(), fix)
        }),
    };
    if let Some((what, fix)) = problem {
        return Some(Check::fail(name, format!("{does}: {what}"), fix));
    }
    if !is_starting {
        return Some(Check::ok(name, does));
    }
    match start(program, entry) {
        Started::Well(said) => Some(Check::ok(name, format!("{does}: {said}"))),
        Started::Other => None,
        Started::Badly(why) => {
            let fix = match &entry.target {
                Target::Command(_) => "Start the command yourself to see why.",
                Target::Url(_) => "Correct the headers of the entry, or what the server demands.",
            };
            Some(Check::fail(name, format!("{does}: {why}"), fix))
        }
    }
}

/// Whether a command starts this program, in any folder and from any package.
fn starts_program(program: &Program, words: &[String]) -> bool {
    let stem = words.first().and_then(|word| Path::new(word).file_stem()?.to_str());
    is_own(words) || stem == Some(program.tables().server.name.as_str())
}

/// What is wrong with a command, and how to correct it.
fn command_problem(
    program: &Program,
    client: &Client,
    entry: &str,
    words: &[String],
) -> Option<(String, String)> {
    let command = words.first().map(String::as_str)?;
    let again = |flags: &str| {
        format!("`{} install {} --name {entry}{flags}` writes it again.", invocation(), client.name)
    };
    let at = words.iter().position(|word| word == serve::VERB.name);
    let flags = at.map_or(&[][..], |at| &words[at + 1..]);
    if launcher::find_program(command).is_none() {
        let rest: Vec<String> = flags.iter().map(|word| program::quoted(word)).collect();
        let flags = if rest.is_empty() { String::new() } else { format!(" -- {}", rest.join(" ")) };
        return Some(("the command does not exist".to_owned(), again(&flags)));
    }
    if let Some(folder) = missing(program, flags).first() {
        let what = format!("{} is not a folder", folder.display());
        return Some((what, "Correct the path, or create the folder.".to_owned()));
    }
    let is_same = at.is_some() && is_this(command) && !chooses_files(flags);
    let why = is_same.then(|| mistake(program, words)).flatten()?;
    Some((why, again(" -- FLAGS")))
}

fn is_this(command: &str) -> bool {
    let canonical = |path: &Path| path.canonicalize().ok();
    let found = launcher::find_program(command).and_then(|path| canonical(&path));
    found.is_some() && found == std::env::current_exe().ok().and_then(|path| canonical(&path))
}

/// Whether flags name a manifest or a configuration, with which a program may have other flags.
fn chooses_files(flags: &[String]) -> bool {
    flags.iter().any(|flag| flag.starts_with("--manifest") || flag.starts_with("--config"))
}

/// Whether an address is that of an MCP server on this machine, as this program serves over HTTP.
fn is_local(url: &str) -> bool {
    let Some((host, path)) = parts(url) else { return false };
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    ["127.0.0.1", "localhost", "[::1]"].contains(&name) && path.trim_end_matches('/') == "mcp"
}

fn answers(url: &str) -> bool {
    let addresses = parts(url).and_then(|(host, _)| host.to_socket_addrs().ok());
    let mut addresses = addresses.into_iter().flatten();
    addresses.any(|address| TcpStream::connect_timeout(&address, CONNECTING).is_ok())
}

/// The host with its port, and the path of an address.
fn parts(url: &str) -> Option<(&str, &str)> {
    url.strip_prefix("http://")?.split_once('/')
}

/// What happened when an entry was started.
#[cfg_attr(not(feature = "upstreams"), expect(dead_code, reason = "nothing is started"))]
enum Started {
    Well(String),
    /// It is another server.
    Other,
    Badly(String),
}

#[cfg(feature = "upstreams")]
fn start(program: &Program, entry: &Entry) -> Started {
    use serde_json::json;
    use toolwrit_gateway::upstreams::{Approvals, UpstreamSettings, examine};

    /// How long it may take.
    const TIME: Duration = Duration::from_secs(30);
    /// Where servers of this machine are.
    const LOOPBACK: [&str; 2] = ["127.0.0.0/8", "::1/128"];

    let settings = match &entry.target {
        Target::Command(words) => json!({ "command": words, "env": entry.environment }),
        Target::Url(url) => json!({ "url": url, "headers": entry.headers, "networks": LOOPBACK }),
    };
    let settings = settings.as_object().cloned().unwrap_or_default();
    let settings = match UpstreamSettings::parse("entry", &settings) {
        Ok(settings) => settings,
        Err(problems) => {
            return Started::Badly(problems.first().map(ToString::to_string).unwrap_or_default());
        }
    };
    let approvals = Approvals::beside(&std::env::temp_dir().join("toolwrit-doctor/config.toml"));
    let examined = program::in_runtime(1, async {
        examine(&settings, &approvals, TIME).await.map_err(crate::exit::Exit::Failed)
    });
    match examined {
        Ok(found) if found.server.name == program.tables().server.name => {
            Started::Well(format!("it answers with {} tools", found.tools.tools().len()))
        }
        Ok(_) if matches!(entry.target, Target::Url(_)) => Started::Other,
        Ok(found) => Started::Badly(format!("it is the server {}", found.server.name)),
        Err(exit) => Started::Badly(exit.into_message()),
    }
}

#[cfg(not(feature = "upstreams"))]
fn start(_: &Program, _: &Entry) -> Started {
    Started::Badly("this program cannot start servers; it was built without `upstreams`".to_owned())
}

/// The command that adds this server, with the flags that `doctor` was given.
fn how_to_add(program: &Program, matches: &ArgMatches) -> String {
    let application = (program.options)(Command::new("options"));
    let own: Vec<clap::Arg> =
        program::flags().chain(application.get_arguments().cloned()).collect();
    let is_own = |arg: &clap::Arg| own.iter().any(|flag| flag.get_id() == arg.get_id());
    let given = |flag: &clap::Arg| words_given(flag, matches, &[ValueSource::CommandLine]);
    let first: Vec<String> = own.iter().flat_map(given).collect();
    let serve = serve::keys(program);
    // A client that starts the server itself does not connect over HTTP.
    let is_remote = |arg: &clap::Arg| matches!(arg.get_help_heading(), Some("HTTP" | "OAuth"));
    let rest = serve.iter().filter(|arg| !is_own(arg) && !is_remote(arg));
    let rest: Vec<String> = rest.flat_map(given).collect();
    let mut words = vec![program_name().to_owned(), "install".to_owned(), "CLIENT".to_owned()];
    words.extend(first);
    if !rest.is_empty() {
        words.push("--".to_owned());
        words.extend(rest);
    }
    let present = clients::all().iter().filter(|client| client.is_present());
    let present: Vec<&str> = present.map(|client| client.name.as_str()).collect();
    let found = if present.is_empty() {
        String::new()
    } else {
        format!(" Clients found here: {}.", present.join(", "))
    };
    format!("Add it to one: `{}`.{found}", words.join(" "))
}
