//! Checks which MCP clients start this program, and whether they can find it.

use std::path::Path;

use serde_json::Value;

use crate::clients::{self, Client};
use crate::program::{Program, invocation, program_name};
use toolwrit_core::diagnosis::Check;

pub(super) fn checks(program: &Program) -> Vec<Check> {
    let mut checks = Vec::new();
    let files = clients::all().iter().flat_map(|client| {
        client.user_files().filter(|file| file.is_file()).map(move |file| (client, file))
    });
    for (Client { name, servers, comments, .. }, file) in files {
        match read(&file) {
            Ok(settings) => {
                for (entry, command) in commands(&settings, servers) {
                    if starts_program(program, &command) {
                        checks.push(check(name, &file, &entry, &command));
                    }
                }
            }
            // It may be JSON with comments, which only imports read.
            Err(_) if *comments && has_comments(&file) => {}
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

/// Whether a file may be JSON with comments or commas at the end of lists.
fn has_comments(file: &Path) -> bool {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let ends_list = |rest: &str| rest.trim_start().starts_with(['}', ']']);
    ["//", "/*"].iter().any(|mark| text.contains(mark)) || text.split(',').skip(1).any(ends_list)
}

fn read(file: &Path) -> Result<Value, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => {
            return toml::from_str(&text).map_err(|error| error.message().to_owned());
        }
        // Its servers are known only to imports.
        Some("yaml") => return Ok(Value::Null),
        _ => {}
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
