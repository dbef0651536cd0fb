//! `import mcp`: writes the first manifest of another MCP server, and the lock file with its tools.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::Value;
use tokio::time::timeout;
use toolwrit_openapi::{Imported, ServerAddress, ToolServer, import_tools};
use toolwrit_upstreams::model::{Definition, Endpoint, Remote};
use toolwrit_upstreams::{Lock, Network, State, Status, Supervisor, ToolList, model};

use super::{Source, openapi};
use crate::exit::Exit;
use crate::output;
use crate::program::{Program, in_runtime};

pub(super) const SOURCE: Source = Source { name: "mcp", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// Name of the provider, such as `git`.
    #[arg(value_name = "NAME")]
    name: String,
    /// Address of the server, if it is reached over streamable HTTP.
    #[arg(
        long,
        value_name = "URL",
        conflicts_with = "command",
        required_unless_present = "command"
    )]
    url: Option<String>,
    /// Variable of this environment with a bearer token for the address.
    #[arg(long, value_name = "VARIABLE", conflicts_with = "command")]
    bearer: Option<String>,
    /// Network of the address, if it is not public: 127.0.0.0/8.
    #[arg(long = "network", value_name = "CIDR", conflicts_with = "command")]
    networks: Vec<Network>,
    /// Variable of this environment that the program needs, and that becomes a secret of the operator.
    #[arg(long = "env", value_name = "VARIABLE", conflicts_with = "url")]
    environment: Vec<String>,
    /// File of the manifest, which must not exist. The lock file is written beside it.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Category of the operations. By default, the name of the provider.
    #[arg(long, value_name = "NAME")]
    category: Option<String>,
    /// Print what was written and lost as JSON.
    #[arg(long)]
    json: bool,
    /// Program that is the server, and its words: everything that follows.
    #[arg(long, value_name = "PROGRAM", num_args = 1.., allow_hyphen_values = true)]
    command: Vec<String>,
}

fn command() -> Command {
    Flags::augment_args(Command::new(SOURCE.name))
        .about("Write a manifest and a lock file from the tools of another MCP server")
}

fn run(_: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let flags = Flags::from_arg_matches(matches)?;
    let endpoint = endpoint(&flags)?;
    let (status, list) =
        in_runtime(1, async { list(&flags.name, endpoint).await.map_err(Exit::Failed) })?;
    for refused in list.refused() {
        output::print_message(&format!("left out: {}: {}", refused.name, refused.reason));
    }
    let lock = Lock::new(status.server.unwrap_or_default(), &list)
        .write()
        .map_err(|why| Exit::Failed(why.to_string()))?;
    let lock_name = format!("{}.lock.yaml", flags.name);
    let tools = list.tools().iter().map(|tool| Value::Object(tool.json().clone()));
    let server = ToolServer {
        name: &flags.name,
        category: flags.category.as_deref(),
        address: address(&flags),
        lock: &lock_name,
    };
    let imported = import_tools(&server, tools.collect());
    let imported = imported.map_err(|why| Exit::Failed(why.to_string()))?;
    openapi::check(|path| match path {
        path if path.ends_with(&lock_name) => Ok(lock.clone()),
        _ => Ok(imported.manifest.clone()),
    })?;
    let lock_path = flags.out.with_file_name(&lock_name);
    if lock_path.exists() {
        return Err(Exit::Failed(format!(
            "`{}` exists; remove it, or choose another folder with `--out`",
            lock_path.display()
        )));
    }
    openapi::write(&flags.out, &imported.manifest)?;
    openapi::write(&lock_path, &lock)?;
    report(&flags, &imported, &lock_path)
}

fn report(flags: &Flags, imported: &Imported, lock: &Path) -> Result<(), Exit> {
    if !flags.json {
        output::print_message(&format!("Wrote {}.", lock.display()));
    }
    openapi::report(imported, Some(&flags.out), flags.json)
}

/// Where the server is, for this process.
fn endpoint(flags: &Flags) -> Result<Endpoint, Exit> {
    let variable = |name: &str| {
        std::env::var(name).map_err(|_| Exit::Failed(format!("the variable {name} is not set")))
    };
    if let Some(url) = &flags.url {
        let mut remote = Remote::new(url);
        remote.networks.clone_from(&flags.networks);
        if let Some(name) = &flags.bearer {
            remote = remote.with_header("Authorization", format!("Bearer {}", variable(name)?));
        }
        return Ok(Endpoint::Remote(remote));
    }
    let Some((program, words)) = flags.command.split_first() else {
        return Err(Exit::Failed("expected `--command` or `--url`".to_owned()));
    };
    let mut command = model::Command::new(program, words.to_vec());
    for name in &flags.environment {
        command = command.with_variable(name, variable(name)?);
    }
    Ok(Endpoint::Command(command))
}

/// Where the server is, for the manifest.
fn address(flags: &Flags) -> ServerAddress<'_> {
    match &flags.url {
        Some(url) => ServerAddress::Url { url, bearer: flags.bearer.as_deref() },
        None => ServerAddress::Command { words: &flags.command, environment: &flags.environment },
    }
}

/// Starts the server and lists its tools.
async fn list(name: &str, endpoint: Endpoint) -> Result<(Status, ToolList), String> {
    let definition = Definition::new(name, endpoint);
    let patience = definition.timing.start;
    let upstream = Supervisor::default().supervise(definition);
    let is_settled = |status: &Status| !matches!(status.state, State::Starting | State::Idle);
    let status = timeout(patience, upstream.until(is_settled)).await;
    let status = status.unwrap_or_else(|_| upstream.status());
    let tools = upstream.tools();
    upstream.stop().await;
    let Some(tools) = tools.filter(|_| status.state == State::Ready) else {
        let why = status.reason.as_deref().unwrap_or("it did not answer in time");
        let wrote = status.output.as_deref().map(|text| format!("\nIt wrote:\n{text}"));
        return Err(format!("the MCP server cannot be used: {why}{}", wrote.unwrap_or_default()));
    };
    Ok((status, (*tools).clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_an_address_or_a_program_is_given() {
        let parse = |words: &[&str]| {
            let matches = command().try_get_matches_from([&["mcp"], words].concat()).ok()?;
            Flags::from_arg_matches(&matches).ok()
        };
        assert!(parse(&["git", "--out", "a.yaml"]).is_none());
        let url = ["git", "--url", "https://a.example/mcp", "--out", "a.yaml"];
        assert!(matches!(address(&parse(&url).unwrap()), ServerAddress::Url { .. }));
        let program = ["git", "--out", "a.yaml", "--command", "npx", "-y", "server@1.2.3"];
        assert_eq!(parse(&program).unwrap().command, ["npx", "-y", "server@1.2.3"]);
    }
}
