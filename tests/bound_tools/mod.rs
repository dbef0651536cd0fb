//! Operations that are tools of another MCP server, as clients and the command line see them: the books of a room.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod drift;
mod import;
mod passing;
mod served;

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{ChildStderr, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::waiting::until;

/// A server that was compiled from `library.yaml`.
fn library() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_library"))
}

/// The manifest of that server.
const MANIFEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/bound_tools/library.yaml");

/// The configuration of a server whose upstream differs from the approved one in this way.
fn home(drift: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("token"), "secret").unwrap();
    let drift = if drift.is_empty() { String::new() } else { format!("drift = {drift:?}\n") };
    let settings =
        format!("[providers.shelf]\nroom = \"blue\"\ntoken = {{ file = \"token\" }}\n{drift}");
    fs::write(folder.path().join("config.toml"), settings).unwrap();
    folder
}

/// `PATH` with the folder of the scripted server.
fn path() -> OsString {
    let own = Path::new(env!("CARGO_BIN_EXE_shelf")).parent().unwrap().to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&others))).unwrap()
}

fn command(program: &Path, home: &TempDir, verb: &str, others: &[&str]) -> Command {
    let of = |name: &str| home.path().join(name);
    let mut command = Command::new(program);
    command.arg("--config").arg(of("config.toml")).arg(verb).arg("--data-dir").arg(of("data"));
    command.args(others).env("PATH", path()).env_remove("TOOLWRIT_MANIFEST");
    command
}

fn run(home: &TempDir, verb: &str, others: &[&str]) -> Output {
    command(library(), home, verb, others).output().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// A client of a server. Its standard error must stay open.
fn serve(program: &Path, home: &TempDir, flags: &[&str], era: Era) -> (Client, ChildStderr) {
    let mut command = command(program, home, "serve", flags);
    command.stderr(Stdio::piped());
    Client::of(command, era)
}

/// Waits until the tools of the other server are offered. A list does not wait long for a server that starts.
fn await_tools(client: &mut Client) {
    until("the tools", || !client.tools().is_empty());
}
