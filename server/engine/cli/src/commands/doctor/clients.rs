//! Checks which MCP clients start this program, and whether they can find it.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::{Program, invocation, program_name};
use toolwrit_core::diagnosis::Check;
use toolwrit_core::folders;

/// The configuration file of a client.
struct ClientFile {
    name: &'static str,
    file: Option<PathBuf>,
    /// The key of the table of servers.
    servers: &'static str,
}

fn known_clients() -> [ClientFile; 6] {
    let home = |path: &str| folders::home().map(|home| home.join(path));
    let configuration = |path: &str| folders::configuration().map(|folder| folder.join(path));
    let client = |name, file, servers| ClientFile { name, file, servers };
    [
        client("claude-code", home(".claude.json"), "mcpServers"),
        client("claude-desktop", configuration("Claude/claude_desktop_config.json"), "mcpServers"),
        client("cursor", home(".cursor/mcp.json"), "mcpServers"),
        client("codex", home(".codex/config.toml"), "mcp_servers"),
        client("gemini", home(".gemini/settings.json"), "mcpServers"),
        client("vscode", configuration("Code/User/mcp.json"), "servers"),
    ]
}

pub(super) fn checks(program: &Program) -> Vec<Check> {
    let mut checks = Vec::new();
    for ClientFile { name, file, servers } in known_clients() {
        let Some(file) = file.filter(|file| file.is_file()) else { continue };
        match read(&file) {
            Ok(settings) => {
                for (entry, command) in commands(&settings, servers) {
                    if starts_program(program, &command) {
                        checks.push(check(name, &file, &entry, &command));
                    }
                }
            }
            Err(problem) => checks.push(Check::warn(
                name,
                format!("{}: {problem}", file.display()),
                "Fix the file; the client cannot read it either.",
            )),
        }
    }
    if checks.is_empty() {
        let message = "no known client on this machine starts this program";
        checks.push(Check::warn("clients", message, how_to_add()));
    }
    checks
}

fn read(file: &Path) -> Result<Value, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    if file.extension().is_some_and(|extension| extension == "toml") {
        return toml::from_str(&text).map_err(|error| error.message().to_owned());
    }
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

/// The names and commands of all servers that a file declares, globally and for single projects.
fn commands(settings: &Value, servers: &str) -> Vec<(String, String)> {
    let projects = settings.get("projects").and_then(Value::as_object);
    let everywhere = std::iter::once(settings);
    let tables = everywhere.chain(projects.into_iter().flat_map(|projects| projects.values()));
    let entries = tables.filter_map(|table| table.get(servers)?.as_object()).flatten();
    let command = |(name, entry): (&String, &Value)| {
        Some((name.clone(), entry.get("command")?.as_str()?.to_owned()))
    };
    entries.filter_map(command).collect()
}

/// Whether a command starts this program, in any folder.
fn starts_program(program: &Program, command: &str) -> bool {
    let stem = Path::new(command).file_stem().and_then(|stem| stem.to_str());
    stem.is_some_and(|stem| stem == program_name() || stem == program.tables().server.name)
}

fn check(client: &str, file: &Path, entry: &str, command: &str) -> Check {
    let shown = file.display();
    if exists(Path::new(command)) {
        return Check::ok(client, format!("`{entry}` in {shown} starts {command}"));
    }
    let here = std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_default();
    Check::fail(
        client,
        format!("`{entry}` in {shown} starts {command}, which does not exist"),
        format!("Replace the command with {here}."),
    )
}

/// Whether the command exists, directly or in `PATH`.
fn exists(command: &Path) -> bool {
    if command.components().count() > 1 {
        return command.is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let name = command.with_added_extension(std::env::consts::EXE_EXTENSION);
    std::env::split_paths(&path)
        .any(|folder| folder.join(command).is_file() || folder.join(&name).is_file())
}

fn how_to_add() -> String {
    let here = std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_default();
    let manifest = invocation().strip_prefix(program_name()).unwrap_or_default();
    format!("Add it to one, such as `claude mcp add NAME -- {here} serve{manifest}`.")
}
